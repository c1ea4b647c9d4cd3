import { type Identity, type KnownPeople, People, type StoredAlias } from './resolve-people';

const seen = (userId: string, name = '', declared = false): Identity => ({ userId, name, declared });
const manual = (alias: string, personId: string): StoredAlias => ({
  alias,
  personId,
  by: 'manual',
  name: null,
});
const mailmap = (alias: string, personId: string, name: string | null = null): StoredAlias => ({
  alias,
  personId,
  by: 'mailmap',
  name,
});
const people = (known: Partial<KnownPeople>) =>
  new People({ identities: [], aliases: [], people: [], ...known });

const GITHUB = 'users.noreply.github.com';

describe('People', () => {
  it('takes each address for a person of its own while nobody says otherwise', () => {
    const known = people({ identities: [seen('ada@acme.dev', 'Ada Byron'), seen('bob@acme.dev', 'bob')] });
    expect(known.all()).toEqual([
      {
        personId: 'ada@acme.dev',
        name: 'Ada Byron',
        kind: 'person',
        aliases: [{ alias: 'ada@acme.dev', by: null }],
      },
      {
        personId: 'bob@acme.dev',
        name: 'bob',
        kind: 'person',
        aliases: [{ alias: 'bob@acme.dev', by: null }],
      },
    ]);
    expect(known.personOf('Nobody@Acme.dev')).toMatchObject({ personId: 'nobody@acme.dev', kind: 'person' });
    expect(known.knows('nobody@acme.dev')).toBe(false);
  });

  it('follows mailmaps and decisions over several steps', () => {
    const known = people({
      identities: [seen('ada@laptop', 'Ada'), seen('ada@old', 'Ada'), seen('ada@acme.dev')],
      aliases: [mailmap('ada@laptop', 'ada@old', 'Ada Byron'), manual('ada@old', 'ada@acme.dev')],
    });
    expect(known.personOf('ada@laptop')).toEqual({
      personId: 'ada@acme.dev',
      name: 'Ada Byron',
      kind: 'person',
      aliases: [
        { alias: 'ada@acme.dev', by: null },
        { alias: 'ada@laptop', by: 'mailmap' },
        { alias: 'ada@old', by: 'manual' },
      ],
    });
    expect(known.aliasesOf('ADA@OLD')).toEqual(['ada@acme.dev', 'ada@laptop', 'ada@old']);
  });

  it('keeps a decision where a mailmap says the opposite', () => {
    const known = people({ aliases: [mailmap('a@x', 'b@x'), manual('b@x', 'a@x')] });
    expect(known.personOf('b@x').personId).toBe('a@x');
    expect(known.all()).toHaveLength(1);
  });

  it('joins the noreply addresses of one account of a host, renamed or not', () => {
    const known = people({
      identities: [
        seen(`7+ada@${GITHUB}`, 'Ada'),
        seen(`ada@${GITHUB}`, 'Ada'),
        seen(`7+ada-byron@${GITHUB}`, 'Ada Byron'),
        seen('ada@noreply.codeberg.org', 'Ada'),
      ],
    });
    expect(known.aliasesOf(`7+ada@${GITHUB}`)).toEqual([
      `ada@${GITHUB}`,
      `7+ada-byron@${GITHUB}`,
      `7+ada@${GITHUB}`,
    ]);
    expect(known.personOf('ada@noreply.codeberg.org').aliases).toHaveLength(1);
  });

  it('does not join a login that two accounts have had', () => {
    const known = people({
      identities: [seen(`7+ada@${GITHUB}`), seen(`8+ada@${GITHUB}`), seen(`ada@${GITHUB}`)],
    });
    expect(known.all()).toHaveLength(3);
  });

  it('gives a whole account to whom a mailmap gives one of its addresses, and its bare login, too', () => {
    const known = people({
      identities: [seen(`7+ada@${GITHUB}`), seen(`ada@${GITHUB}`), seen('ada'), seen('ada@acme.dev')],
      aliases: [mailmap(`7+ada@${GITHUB}`, 'ada@acme.dev')],
    });
    expect(known.personOf('ada').aliases).toEqual([
      { alias: 'ada@acme.dev', by: null },
      { alias: `7+ada@${GITHUB}`, by: 'mailmap' },
      { alias: 'ada', by: 'login' },
      { alias: `ada@${GITHUB}`, by: 'noreply' },
    ]);
  });

  it('leaves a bare login alone that different people have on different hosts', () => {
    const known = people({
      identities: [seen(`ada@${GITHUB}`), seen('ada@noreply.codeberg.org'), seen('ada')],
    });
    expect(known.personOf('ada').aliases).toHaveLength(1);
  });

  it('leaves an address that was split off alone, whatever hosts and mailmaps say', () => {
    const alias = `ada@${GITHUB}`;
    const known = people({
      identities: [seen(alias), seen(`7+ada@${GITHUB}`)],
      aliases: [manual(alias, alias)],
    });
    expect(known.personOf(alias).aliases).toHaveLength(1);
    expect(known.personOf(`7+ada@${GITHUB}`).aliases).toHaveLength(1);
  });

  it('tells bots and assistants from people', () => {
    const known = people({
      identities: [
        seen(`49+dependabot[bot]@${GITHUB}`, 'dependabot[bot]'),
        seen(`20+claude[bot]@${GITHUB}`, 'claude[bot]', true),
        seen('ci@acme.dev', 'github-actions[bot]'),
        seen('paul@acme.dev', 'Paul (aider)', true),
        seen('paul@acme.dev', 'Paul'),
        seen('shared@acme.dev', 'Jenkins'),
        seen('shared@acme.dev', 'Bob'),
      ],
    });
    expect(Object.fromEntries(known.all().map(({ personId, kind }) => [personId, kind]))).toEqual({
      [`49+dependabot[bot]@${GITHUB}`]: 'bot',
      [`20+claude[bot]@${GITHUB}`]: 'assistant',
      'ci@acme.dev': 'bot',
      'paul@acme.dev': 'person',
      'shared@acme.dev': 'person',
    });
    expect(known.personOf('paul@acme.dev').name).toBe('Paul');
  });

  it('takes what somebody has set of a person before everything else', () => {
    const known = people({
      identities: [seen('release@acme.dev', 'Release Train')],
      people: [{ personId: 'release@acme.dev', name: 'Trains', kind: 'bot' }],
    });
    expect(known.personOf('release@acme.dev')).toMatchObject({ name: 'Trains', kind: 'bot' });
  });

  it('says the same whatever order things were learnt in', () => {
    const identities = ['ada', `7+ada@${GITHUB}`, `ada@${GITHUB}`, 'a@x', 'b@x', 'c@x'].map((id) =>
      seen(id, id),
    );
    const aliases = [mailmap('a@x', 'b@x'), mailmap('b@x', 'c@x'), manual('c@x', `ada@${GITHUB}`)];
    const all = people({ identities, aliases }).all();
    expect(people({ identities: [...identities].reverse(), aliases: [...aliases].reverse() }).all()).toEqual(
      all,
    );
    expect(all).toHaveLength(1);
  });
});
