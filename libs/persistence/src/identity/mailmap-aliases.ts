import { type MailmapConflict, type MailmapEntry, personId } from '@lineprint/contracts';

export interface RepositoryMailmap {
  readonly repository: string;
  readonly entries: readonly MailmapEntry[];
}

/** Whom an address belongs to by the mailmaps. The person is the address itself where they give it a name only. */
export interface MailmapAlias {
  readonly alias: string;
  readonly personId: string;
  readonly name: string | null;
}

interface Mapped {
  email: string | null;
  name: string | null;
}

interface Statement {
  /** Repositories by whom their mailmaps name. */
  readonly people: Map<string, string[]>;
  name: string | null;
  shared: boolean;
}

/**
 * What mailmaps say of addresses. Each is read as git reads it: upper and lower case are alike, an entry with the
 * commit's name goes before one without, and of equal entries the last counts. Then they say who is the same person, and
 * so follow from each other, over several lines and repositories, whatever order they were sent in.
 * @param mailmaps by repository, which decides between names alone
 * @param namesOf the names that an address was seen with; none where it was not seen
 */
export function mailmapAliases(
  mailmaps: readonly RepositoryMailmap[],
  namesOf: (address: string) => readonly string[],
): { aliases: MailmapAlias[]; conflicts: MailmapConflict[] } {
  const statements = statementsOf(mailmaps, namesOf);
  const parents = new Map<string, string>();
  const rootOf = (alias: string): string => {
    let root = alias;
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next;
    return root;
  };
  const join = (alias: string, person: string): void => {
    // Two lines may each call the other's address the proper one.
    if (rootOf(person) !== alias) parents.set(alias, person);
  };

  const sorted = [...statements].sort(([a], [b]) => (a < b ? -1 : 1));
  const open: typeof sorted = [];
  for (const [alias, statement] of sorted) {
    const [person, ...others] = statement.people.keys();
    if (person !== undefined && others.length === 0) join(alias, person);
    else if (person !== undefined) open.push([alias, statement]);
  }
  const conflicts: MailmapConflict[] = [];
  for (const [alias, { people, shared }] of open) {
    const roots = new Set([...people.keys()].map(rootOf));
    const [root] = roots;
    if (roots.size === 1) join(alias, root!);
    else {
      conflicts.push({
        code: shared ? 'address-shared' : 'mailmaps-differ',
        alias,
        people: [...people.keys()].sort(),
        repositories: [...new Set([...people.values()].flat())].sort(),
      });
    }
  }
  const disputed = new Set(conflicts.map(({ alias }) => alias));
  return {
    aliases: sorted
      .filter(([alias, { name }]) => !disputed.has(alias) && (parents.has(alias) || name !== null))
      .map(([alias, { name }]) => ({ alias, personId: parents.get(alias) ?? alias, name })),
    conflicts,
  };
}

function statementsOf(
  mailmaps: readonly RepositoryMailmap[],
  namesOf: (address: string) => readonly string[],
): Map<string, Statement> {
  const statements = new Map<string, Statement>();
  for (const { repository, entries } of mailmaps) {
    for (const [alias, ofAddress] of byAddress(entries)) {
      const names = namesOf(alias);
      const mapped = (names.length === 0 ? [null] : names).map((name) => mappedAuthor(ofAddress, name));
      const people = new Set(mapped.map(({ email }) => email ?? alias));
      const isShared = people.size > 1;
      const statement = statements.get(alias) ?? {
        people: new Map<string, string[]>(),
        name: null,
        shared: false,
      };
      statements.set(alias, statement);
      statement.shared ||= isShared;
      if (!isShared) statement.name ??= mapped.find(({ name }) => name !== null)?.name ?? null;
      for (const person of people) {
        // To leave an address as it is contradicts nobody, unless others commit with it.
        if (person === alias && !isShared) continue;
        statement.people.set(person, [...(statement.people.get(person) ?? []), repository]);
      }
    }
  }
  return statements;
}

function byAddress(entries: readonly MailmapEntry[]): Map<string, MailmapEntry[]> {
  const addresses = new Map<string, MailmapEntry[]>();
  for (const entry of entries) {
    const address = personId(entry.commitEmail);
    addresses.set(address, [...(addresses.get(address) ?? []), entry]);
  }
  return addresses;
}

/** What git makes of an author with this name, by the entries of the address. */
function mappedAuthor(entries: readonly MailmapEntry[], name: string | null): Mapped {
  const named = entries.filter(
    ({ commitName }) => commitName !== null && commitName.toLowerCase() === name?.toLowerCase(),
  );
  const used = named.length > 0 ? named : entries.filter(({ commitName }) => commitName === null);
  const mapped: Mapped = { email: null, name: null };
  for (const { properEmail, properName } of used) {
    if (properEmail !== null) mapped.email = personId(properEmail);
    if (properName !== null) mapped.name = properName;
  }
  return mapped;
}
