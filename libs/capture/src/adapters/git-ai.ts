import { type Fields, isFields } from './fields';
import { type LineClaim, type LineClaims, storableModel } from './line-claims';

/** Where git-ai keeps its notes. */
export const GIT_AI_REF = 'refs/notes/ai';

const ENTRY = /^\s+(\S+)\s+([\d,\s-]+)$/;
/** `h_<14 hex>`: a person. */
const PERSON = /^h_/;
/** `s_<14 hex>::t_<14 hex>`: a session and its tool call; older ones 7 or 16 hex digits: a prompt. */
const SESSION = /^(s_[0-9a-f]+)(?:::\S+)?$/;
const PROMPT = /^(?:[0-9a-f]{7}|[0-9a-f]{16})$/;

/**
 * What a note of git-ai (`authorship/3.0.0` and older) says of a commit's lines. Lines that it does not list are
 * untracked: it says nothing of them. Nothing where the text is no such note.
 */
export function gitAiClaims(note: string): LineClaims {
  const [, listing, metadata] = /^([\s\S]*?)^---[ \t]*\r?\n([\s\S]*)$/m.exec(note) ?? [];
  const fields = parse(metadata);
  if (listing === undefined || !fields || !isKnownSchema(fields['schema_version'])) return new Map();
  const claims = new Map<string, LineClaim[]>();
  let file: LineClaim[] | undefined;
  for (const line of listing.split(/\r?\n/)) {
    const [, id, ranges] = ENTRY.exec(line) ?? [];
    if (id !== undefined && ranges !== undefined) file?.push(...claimsOf(id, ranges, fields));
    else if (/^\S/.test(line)) {
      const path = unquoted(line.trimEnd());
      file = claims.get(path) ?? [];
      claims.set(path, file);
    }
  }
  return claims;
}

function isKnownSchema(version: unknown): boolean {
  return typeof version === 'string' && /^authorship\/[0-3]\./.test(version);
}

function claimsOf(id: string, ranges: string, metadata: Fields): LineClaim[] {
  const session = SESSION.exec(id)?.[1];
  if (!PERSON.test(id) && session === undefined && !PROMPT.test(id)) return [];
  const author = PERSON.test(id)
    ? { kind: 'H' as const }
    : { kind: 'P' as const, ...modelOf(session ? metadata['sessions'] : metadata['prompts'], session ?? id) };
  return ranges.split(',').flatMap((range) => {
    const [, first, last = first] = /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/.exec(range) ?? [];
    return Number(first) >= 1 ? [{ first: Number(first), last: Number(last), ...author }] : [];
  });
}

function modelOf(authors: unknown, id: string): { model?: string } {
  const author = isFields(authors) ? authors[id] : undefined;
  const agent = isFields(author) ? author['agent_id'] : undefined;
  const model = isFields(agent) ? storableModel(agent['model']) : undefined;
  return model === undefined ? {} : { model };
}

function parse(text: string | undefined): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function unquoted(path: string): string {
  return /^".*"$/.test(path) ? path.slice(1, -1).replace(/\\(["\\])/g, '$1') : path;
}
