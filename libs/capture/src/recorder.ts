import { isAbsolute, join } from 'node:path';
import type { CodeFingerprint } from '@lineprint/contracts';
import { deriveLineKey } from '@lineprint/fingerprint';
import type { CapturedEdit } from './adapters/adapter';
import type { CaptureSettings, CaptureState } from './capture-state';
import { fingerprintsOf, type PlacedEdit } from './fingerprints';
import { Spool } from './spool';
import { findWorkingTree, pathInTree, type WorkingTree } from './working-tree';

export interface RecordOptions {
  /** The assistant, as the fingerprints name their client. */
  readonly client: { readonly name: string; readonly version: string };
  /** Where the files lay, if not on this machine's disk; one may lie in another, as linked working trees do. */
  readonly trees?: readonly WorkingTree[];
}

/** Fingerprints in one segment of the spool. */
const SEGMENT_RECORDS = 200;

/**
 * Fingerprints of edits, as this machine is enrolled. Edits outside every repository give none: no commit will hold
 * them.
 */
export function fingerprintEdits(
  edits: readonly CapturedEdit[],
  settings: CaptureSettings,
  { client, trees }: RecordOptions,
): CodeFingerprint[] {
  const placed = edits.flatMap((edit): PlacedEdit[] => {
    const path = isAbsolute(edit.path) || !edit.cwd ? edit.path : join(edit.cwd, edit.path);
    const found = trees ? innermostTree(trees, path) : findWorkingTree(path);
    if (!found) return [];
    const relative = pathInTree(found.root, path);
    const userId = found.userEmail ?? settings.userId;
    const { projectId } = settings;
    return [
      { edit, place: { path: relative, repository: found.name, userId, ...(projectId && { projectId }) } },
    ];
  });
  return fingerprintsOf(placed, {
    lineKey: deriveLineKey(Buffer.from(settings.lineKey, 'base64'), settings.keyId),
    client,
    includeCode: settings.rawCode === true && settings.sendCode === true,
  });
}

function innermostTree(trees: readonly WorkingTree[], path: string): WorkingTree | undefined {
  const around = trees.filter(({ root }) => !pathInTree(root, path).startsWith('../'));
  return around.sort((a, b) => b.root.length - a.root.length)[0];
}

/** Captures edits: makes their fingerprints and keeps them in the spool. @returns how many */
export function recordEdits(
  edits: readonly CapturedEdit[],
  state: CaptureState,
  options: RecordOptions,
  now: number,
): number {
  const records = fingerprintEdits(edits, state.settings(), options).map((item) => JSON.stringify(item));
  const spool = new Spool(state.spoolDirectory);
  for (let from = 0; from < records.length; from += SEGMENT_RECORDS) {
    spool.append(records.slice(from, from + SEGMENT_RECORDS), now);
  }
  return records.length;
}
