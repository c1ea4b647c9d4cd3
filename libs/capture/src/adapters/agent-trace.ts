import { type Fields, isFields, jsonLines, listOf, optionalText } from './fields';
import { type LineClaim, type LineClaims, storableModel } from './line-claims';

/** Where tools keep their traces, from the repository's root. */
export const AGENT_TRACE_FILE = '.agent-trace/traces.jsonl';

const VERSION = /^\d+\.\d+(?:\.\d+)?$/;
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
/** What a contributor's type says of lines; of `unknown`, and where nobody is named, nothing. */
const KINDS: Readonly<Record<string, LineClaim['kind']>> = { ai: 'P', mixed: 'M', human: 'H' };

/**
 * What Agent Trace records (0.1.0, one JSON object a line) say, by the commit that they name: line numbers of a record
 * are those of the files in its revision, so that one without a git revision says nothing. Lines in another shape are
 * passed over.
 */
export function agentTraceClaims(text: string): ReadonlyMap<string, LineClaims> {
  const commits = new Map<string, Map<string, LineClaim[]>>();
  for (const record of jsonLines(text)) {
    const revision = revisionOf(record);
    if (revision === undefined) continue;
    const files = commits.get(revision) ?? new Map<string, LineClaim[]>();
    commits.set(revision, files);
    for (const file of listOf(record['files'])) {
      const path = optionalText(file, 'path');
      if (path === undefined) continue;
      const claims = files.get(path) ?? [];
      files.set(path, claims);
      for (const conversation of listOf(file['conversations'])) claims.push(...claimsOf(conversation));
    }
  }
  return commits;
}

function revisionOf(record: Fields): string | undefined {
  const vcs = isFields(record['vcs']) ? record['vcs'] : {};
  const isRecord =
    VERSION.test(optionalText(record, 'version') ?? '') && 'id' in record && 'timestamp' in record;
  const revision = optionalText(vcs, 'revision');
  const isGit = (optionalText(vcs, 'type') ?? 'git') === 'git';
  return isRecord && isGit && revision !== undefined && COMMIT.test(revision) ? revision : undefined;
}

function claimsOf(conversation: Fields): LineClaim[] {
  return listOf(conversation['ranges']).flatMap((range) => {
    const own = range['contributor'];
    const contributor = isFields(own) ? own : conversation['contributor'];
    const [first, last] = [range['start_line'], range['end_line']];
    if (!isFields(contributor) || !isLine(first) || !isLine(last)) return [];
    const kind = KINDS[optionalText(contributor, 'type') ?? ''];
    const model = storableModel(contributor['model_id']);
    return kind ? [{ first, last, kind, ...(model !== undefined && { model }) }] : [];
  });
}

function isLine(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}
