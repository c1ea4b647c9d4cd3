import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Adapter, type CaptureState, recordEdits, VERSION, type WorkingTree } from '@lineprint/capture';
import { LineprintError } from '@lineprint/platform';

export interface ImportReport {
  readonly files: number;
  readonly edits: number;
  /** Told by an earlier file already. */
  readonly repeated: number;
  readonly fingerprints: number;
}

/**
 * Spools what an assistant's past transcripts tell, each call once.
 * @param path a transcript, or a folder that is searched for `*.jsonl`
 * @param trees where the files lay, if the transcripts come from other machines
 * @throws LineprintError `no-transcripts`
 */
export function importTranscripts(
  adapter: Adapter,
  path: string,
  state: CaptureState,
  { trees, now }: { trees?: readonly WorkingTree[]; now: number },
): ImportReport {
  const { editsOfTranscript } = adapter;
  if (!editsOfTranscript) {
    throw new LineprintError('no-transcripts', `${adapter.name} keeps no transcripts that can be read.`);
  }
  const files = transcriptsIn(path);
  if (files.length === 0) throw new LineprintError('no-transcripts', `There is no transcript in ${path}.`);
  const told = new Set<string>();
  const report = { files: files.length, edits: 0, repeated: 0, fingerprints: 0 };
  for (const file of files) {
    const edits = editsOfTranscript(readFileSync(file, 'utf8'));
    const calls = edits.map(({ sessionId, toolCallId }) => `${sessionId}\0${toolCallId}`);
    const fresh = edits.filter((_, i) => !told.has(calls[i]!));
    calls.forEach((call) => told.add(call));
    const client = { name: adapter.name, version: VERSION };
    report.fingerprints += recordEdits(fresh, state, { client, ...(trees && { trees }) }, now);
    report.edits += fresh.length;
    report.repeated += edits.length - fresh.length;
  }
  return report;
}

/** In the order of their names, so that the same folder gives the same import. */
function transcriptsIn(path: string): string[] {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry) return [];
  if (!entry.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => join(path, name));
}
