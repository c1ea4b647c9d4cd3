import { authorId } from './primitives';

/** What an erased person is called by: nothing else of them is kept. */
export const PSEUDONYM = /^erased-[0-9a-f]{16}$/;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The value of an event of any topic with pseudonyms in the place of erased people: as user, author and committer of
 * the event or of its commit. Their raw code is left out. The same object where it names none of them.
 *
 * @param pseudonymOf of an address or name; undefined for whom nobody has erased
 */
export function pseudonymised(value: unknown, pseudonymOf: (address: string) => string | undefined): unknown {
  if (!isFields(value)) return value;
  const changes: Record<string, unknown> = {};
  const { userId, authorName, authorEmail, committerName, committerEmail, commit } = value;
  const user = typeof userId === 'string' ? pseudonymOf(userId) : undefined;
  if (user !== undefined) {
    changes['userId'] = user;
    if ('rawCodeEncrypted' in value) changes['rawCodeEncrypted'] = undefined;
  }
  const author = pseudonymOfPair(authorName, authorEmail, pseudonymOf);
  if (author !== undefined) Object.assign(changes, { authorName: author, authorEmail: author });
  const committer = pseudonymOfPair(committerName, committerEmail, pseudonymOf);
  if (committer !== undefined)
    Object.assign(changes, { committerName: committer, committerEmail: committer });
  const inner = pseudonymised(commit, pseudonymOf);
  if (inner !== commit) changes['commit'] = inner;
  return Object.keys(changes).length === 0 ? value : { ...value, ...changes };
}

function pseudonymOfPair(
  name: unknown,
  email: unknown,
  pseudonymOf: (address: string) => string | undefined,
): string | undefined {
  if (typeof name !== 'string' || typeof email !== 'string') return undefined;
  return pseudonymOf(authorId({ authorName: name, authorEmail: email }));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
