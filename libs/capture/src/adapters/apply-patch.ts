/** What the patch of an `apply_patch` call does to one file. */
export interface PatchedFile {
  readonly path: string;
  readonly type: 'add' | 'update' | 'delete';
  /** The path afterwards, where the file moves. */
  readonly movePath?: string;
  /** Lines with their marks: ` ` in both, `-` before, `+` after. */
  readonly lines: readonly string[];
}

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;

/** The files of a patch between `*** Begin Patch` and `*** End Patch`, as the model wrote it. */
export function patchedFiles(patch: string): PatchedFile[] {
  const files: { path: string; type: PatchedFile['type']; movePath?: string; lines: string[] }[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const [, type, path] = FILE.exec(line) ?? [];
    const file = files.at(-1);
    if (type !== undefined && path !== undefined) {
      files.push({ path: path.trim(), type: type.toLowerCase() as PatchedFile['type'], lines: [] });
    } else if (file) {
      const [, movePath] = MOVE.exec(line) ?? [];
      if (movePath !== undefined) file.movePath = movePath.trim();
      else if (/^[ +-]/.test(line)) file.lines.push(line);
      else if (line === '' && file.type === 'update') file.lines.push(' ');
    }
  }
  return files;
}
