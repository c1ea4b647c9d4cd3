import { pseudonymised } from './erasure';

const pseudonymOf = (address: string) =>
  address.toLowerCase() === 'ada@acme.dev' || address === 'ada' ? 'erased-0123456789abcdef' : undefined;
const said = (value: unknown) => JSON.stringify(pseudonymised(value, pseudonymOf));

describe('an event of an erased person', () => {
  it('has a pseudonym for user and no raw code', () => {
    expect(said({ codeId: 'c', userId: 'Ada@acme.dev', rawCodeEncrypted: 'v1.x', lineCount: 1 })).toBe(
      '{"codeId":"c","userId":"erased-0123456789abcdef","lineCount":1}',
    );
  });

  it('has it for author and committer, in the commit of later topics as well', () => {
    const author = { authorName: 'Ada Byron', authorEmail: 'ada@acme.dev' };
    const committer = { committerName: 'Ada', committerEmail: '' };
    expect(said({ sha: '1', ...author, ...committer })).toBe(
      '{"sha":"1","authorName":"erased-0123456789abcdef","authorEmail":"erased-0123456789abcdef",' +
        '"committerName":"erased-0123456789abcdef","committerEmail":"erased-0123456789abcdef"}',
    );
    expect(said({ commit: { ...author, userId: 'ada@acme.dev' }, files: [] })).not.toMatch(/Ada|ada/);
  });
});

it.each([
  { userId: 'bob@acme.dev', rawCodeEncrypted: 'v1.x' },
  { tenant: 'acme', refs: [] },
  [],
  null,
  'ada',
])('an event of others is the same object (case %#)', (value) => {
  expect(pseudonymised(value, pseudonymOf)).toBe(value);
});
