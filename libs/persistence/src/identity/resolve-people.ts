import { type AliasReason, personId as personIdOf, type PersonKind } from '@lineprint/contracts';
import { isBotAddress, isBotName } from './bots';
import { type HostAccount, hostAccount } from './host-account';

/** A user id that commits or sessions carry, with a name beside it ('' where there is none). */
export interface Identity {
  readonly userId: string;
  readonly name: string;
  /** Whether commits by this name were declared an AI's by their author. */
  readonly declared: boolean;
}

/** What is stored of an address: somebody's decision, or what the mailmaps say. */
export interface StoredAlias {
  readonly alias: string;
  readonly personId: string;
  readonly by: 'manual' | 'mailmap';
  readonly name: string | null;
}

/** What somebody has set of a person. */
export interface StoredPerson {
  readonly personId: string;
  readonly name: string | null;
  readonly kind: PersonKind | null;
}

export interface Alias {
  readonly alias: string;
  /** Null for the address that the person is called by. */
  readonly by: AliasReason | null;
}

/** One who commits or uses an assistant, under whatever addresses. */
export interface Person {
  /** The address, in lower case, that the person is called by. */
  readonly personId: string;
  readonly name: string;
  readonly kind: PersonKind;
  /** All addresses, the person's id first. */
  readonly aliases: readonly Alias[];
}

export interface KnownPeople {
  readonly identities: readonly Identity[];
  readonly aliases: readonly StoredAlias[];
  readonly people: readonly StoredPerson[];
}

/**
 * Who is who in an organisation. Decisions go before mailmaps, mailmaps before what the addresses of hosts and the logins
 * in them say; where these do not agree, an address stays a person of its own.
 */
export class People {
  private readonly parents = new Map<string, { person: string; by: AliasReason }>();
  private readonly persons = new Map<string, Person>();

  constructor(private readonly known: KnownPeople) {
    this.joinStored();
    this.joinAccounts();
    this.describe();
  }

  /** The person with this address; one of its own for an address that is not known. */
  personOf(address: string): Person {
    const id = personIdOf(address);
    return (
      this.persons.get(this.rootOf(id)) ?? {
        personId: id,
        name: id,
        kind: isBotAddress(id) ? 'bot' : 'person',
        aliases: [{ alias: id, by: null }],
      }
    );
  }

  /** Whether a commit, a session or a decision has named somebody with this id. */
  knows(personId: string): boolean {
    return this.persons.has(personId);
  }

  /** All addresses of whom this one belongs to: the rows that carry one of them are that person's. */
  aliasesOf(address: string): string[] {
    return this.personOf(address).aliases.map(({ alias }) => alias);
  }

  /** Everybody, by id. */
  all(): Person[] {
    return [...this.persons.values()];
  }

  private rootOf(alias: string): string {
    let root = alias;
    for (let next = this.parents.get(root); next; next = this.parents.get(root)) root = next.person;
    return root;
  }

  private joinStored(): void {
    const manual = this.known.aliases.filter(({ by }) => by === 'manual');
    const mailmap = this.known.aliases.filter(({ by }) => by === 'mailmap');
    for (const { alias, personId, by } of [...sortedBy(manual, 'alias'), ...sortedBy(mailmap, 'alias')]) {
      // A mailmap may call proper what somebody has merged into the address it replaces.
      if (this.rootOf(personId) !== alias) this.parents.set(alias, { person: personId, by });
    }
  }

  /** Joins the addresses of one account of a host, and the login in them where a client says no more. */
  private joinAccounts(): void {
    const { identities, aliases } = this.known;
    const decided = new Set(aliases.flatMap(({ alias, personId }) => [alias, personId]));
    const split = new Set(
      aliases
        .filter(({ alias, personId }) => alias === personId)
        .filter(({ by }) => by === 'manual')
        .map(({ alias }) => alias),
    );
    const addresses = new Set([...identities.map(({ userId }) => userId), ...decided]);
    const logins = new Map<string, Set<string>>();
    for (const group of accountGroups([...addresses].filter((address) => !split.has(address)))) {
      const roots = new Set(
        group.filter(({ address }) => decided.has(address)).map(({ address }) => this.rootOf(address)),
      );
      const free = group.map(({ address }) => address).filter((address) => !decided.has(address));
      free.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
      const person = roots.size === 1 ? [...roots][0]! : free[0];
      for (const address of free) {
        if (address !== person) this.parents.set(address, { person: person!, by: 'noreply' });
      }
      for (const { account, address } of group) {
        if (account.login === null) continue;
        logins.set(account.login, (logins.get(account.login) ?? new Set()).add(this.rootOf(address)));
      }
    }
    for (const [login, roots] of logins) {
      const [root] = roots;
      if (roots.size === 1 && addresses.has(login) && !decided.has(login)) {
        this.parents.set(login, { person: root!, by: 'login' });
      }
    }
  }

  private describe(): void {
    const { identities, aliases, people } = this.known;
    const addresses = new Set<string>();
    for (const { userId } of identities) addresses.add(userId);
    for (const { alias, personId } of aliases) addresses.add(alias).add(personId);
    for (const { personId } of people) addresses.add(personId);
    const groups = grouped([...addresses].sort(), (address) => this.rootOf(address));
    const identitiesOf = grouped(identities, ({ userId }) => userId);
    const mailmapNames = grouped(sortedBy(aliases, 'alias'), ({ alias }) => this.rootOf(alias));
    const set = new Map(people.map((person) => [person.personId, person]));
    for (const [personId, members] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const own = [personId, ...members.filter((member) => member !== personId)];
      const seen = own.flatMap((address) => identitiesOf.get(address) ?? []);
      const mailmapName = mailmapNames.get(personId)?.find(({ name }) => name !== null)?.name;
      const stored = set.get(personId);
      this.persons.set(personId, {
        personId,
        name: stored?.name ?? mailmapName ?? bestName(personId, seen) ?? personId,
        kind: stored?.kind ?? kindOf(own, seen),
        aliases: own.map((alias) => ({ alias, by: this.parents.get(alias)?.by ?? null })),
      });
    }
  }
}

interface AccountAddress {
  readonly address: string;
  readonly account: HostAccount;
}

/** Addresses by account: of one id, or of one login where no two accounts have had it. */
function accountGroups(addresses: readonly string[]): AccountAddress[][] {
  const accounts = [...addresses].sort().flatMap((address) => {
    const account = hostAccount(address);
    return account ? [{ address, account }] : [];
  });
  const idsOf = new Map<string, Set<string>>();
  for (const { account } of accounts) {
    if (account.id === null || account.login === null) continue;
    const key = `${account.login}@${account.host}`;
    idsOf.set(key, (idsOf.get(key) ?? new Set()).add(account.id));
  }
  const groups = grouped(accounts, ({ account: { host, id, login } }) => {
    const ids = idsOf.get(`${login}@${host}`);
    const known = id ?? (ids?.size === 1 ? [...ids][0] : undefined);
    return known === undefined ? `${host} login ${login}` : `${host} id ${known}`;
  });
  return [...groups.values()];
}

function kindOf(addresses: readonly string[], seen: readonly Identity[]): PersonKind {
  const commits = seen.filter(({ name }) => name !== '');
  if (commits.length > 0 && commits.every(({ declared }) => declared)) return 'assistant';
  const isBot = (address: string): boolean => {
    const names = commits.filter(({ userId }) => userId === address);
    return isBotAddress(address) || (names.length > 0 && names.every(({ name }) => isBotName(name)));
  };
  return addresses.every(isBot) ? 'bot' : 'person';
}

/** Of the names that commits give, one of first and last name, rather the longer; the person's own address first. */
function bestName(personId: string, seen: readonly Identity[]): string | undefined {
  const rank = ({ userId, name, declared }: Identity): readonly number[] => [
    Number(declared),
    Number(!name.includes(' ')),
    Number(userId !== personId),
    -name.length,
  ];
  const names = seen
    .filter(({ name }) => name !== '')
    .map((identity) => ({ name: identity.name, rank: rank(identity) }));
  names.sort((a, b) => {
    const at = a.rank.findIndex((value, i) => value !== b.rank[i]);
    return at < 0 ? (a.name < b.name ? -1 : 1) : a.rank[at]! - b.rank[at]!;
  });
  return names[0]?.name;
}

function sortedBy<K extends string, T extends Readonly<Record<K, string>>>(items: readonly T[], key: K): T[] {
  return [...items].sort((a, b) => (a[key] < b[key] ? -1 : 1));
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
