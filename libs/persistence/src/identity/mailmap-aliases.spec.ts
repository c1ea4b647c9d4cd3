import type { MailmapEntry } from '@lineprint/contracts';
import { mailmapAliases } from './mailmap-aliases';

type Line = Partial<MailmapEntry> & { commitEmail: string };

const entry = (line: Line): MailmapEntry => ({
  properName: null,
  properEmail: null,
  commitName: null,
  ...line,
});
const mailmap = (repository: string, ...lines: Line[]) => ({ repository, entries: lines.map(entry) });
const SEEN: Readonly<Record<string, readonly string[]>> = {
  'root@build': ['Ada', 'Bob'],
  'ada@old': ['Ada Byron'],
};
const resolve = (...mailmaps: ReturnType<typeof mailmap>[]) =>
  mailmapAliases(mailmaps, (address) => SEEN[address] ?? []);

describe('mailmapAliases', () => {
  it('gives a commit’s address to the proper one, in any case, and names alone to the address itself', () => {
    expect(
      resolve(
        mailmap(
          'desk',
          { properName: 'Ada Byron', properEmail: 'Ada@Acme.dev', commitEmail: 'ADA@laptop' },
          { properName: 'Bob', commitEmail: 'bob@acme.dev' },
        ),
      ),
    ).toEqual({
      aliases: [
        { alias: 'ada@laptop', personId: 'ada@acme.dev', name: 'Ada Byron' },
        { alias: 'bob@acme.dev', personId: 'bob@acme.dev', name: 'Bob' },
      ],
      conflicts: [],
    });
  });

  it('takes the last of equal entries, field by field, as git does', () => {
    expect(
      resolve(
        mailmap(
          'desk',
          { properName: 'Ada', properEmail: 'a@first', commitEmail: 'a@x' },
          { properEmail: 'a@second', commitEmail: 'a@x' },
        ),
      ).aliases,
    ).toEqual([{ alias: 'a@x', personId: 'a@second', name: 'Ada' }]);
  });

  it('follows an entry with the commit’s name where all commits of the address have that name', () => {
    expect(
      resolve(
        mailmap(
          'desk',
          { properEmail: 'ada@acme.dev', commitName: 'ADA byron', commitEmail: 'ada@old' },
          { properEmail: 'other@acme.dev', commitEmail: 'ada@old' },
        ),
      ).aliases,
    ).toEqual([{ alias: 'ada@old', personId: 'ada@acme.dev', name: null }]);
  });

  it('leaves an address alone with which several people commit, and says so', () => {
    const shared = mailmap(
      'desk',
      { properEmail: 'ada@acme.dev', commitName: 'Ada', commitEmail: 'root@build' },
      { properEmail: 'bob@acme.dev', commitName: 'Bob', commitEmail: 'root@build' },
    );
    expect(resolve(shared)).toEqual({
      aliases: [],
      conflicts: [
        {
          code: 'address-shared',
          alias: 'root@build',
          people: ['ada@acme.dev', 'bob@acme.dev'],
          repositories: ['desk'],
        },
      ],
    });
  });

  it('leaves an address alone that two mailmaps give to different people, whatever their order', () => {
    const desk = mailmap('desk', { properEmail: 'ada@acme.dev', commitEmail: 'a@x' });
    const shop = mailmap('shop', { properEmail: 'anna@acme.dev', commitEmail: 'a@x' });
    const expected = {
      aliases: [],
      conflicts: [
        {
          code: 'mailmaps-differ',
          alias: 'a@x',
          people: ['ada@acme.dev', 'anna@acme.dev'],
          repositories: ['desk', 'shop'],
        },
      ],
    };
    expect(resolve(desk, shop)).toEqual(expected);
    expect(resolve(shop, desk)).toEqual(expected);
  });

  it('sees that two mailmaps mean the same person where another line says so', () => {
    const { aliases, conflicts } = resolve(
      mailmap(
        'desk',
        { properEmail: 'ada@new', commitEmail: 'a@x' },
        { properEmail: 'ada@new', commitEmail: 'ada@old' },
      ),
      mailmap('shop', { properEmail: 'ada@old', commitEmail: 'a@x' }),
    );
    expect(conflicts).toEqual([]);
    expect(aliases).toContainEqual({ alias: 'a@x', personId: 'ada@new', name: null });
  });

  it('is not led in a circle', () => {
    const { aliases } = resolve(
      mailmap('desk', { properEmail: 'a@x', commitEmail: 'b@x' }),
      mailmap('shop', { properEmail: 'b@x', commitEmail: 'a@x' }),
    );
    expect(aliases).toEqual([{ alias: 'a@x', personId: 'b@x', name: null }]);
  });
});
