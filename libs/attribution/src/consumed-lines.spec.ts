import type { ConsumedLines } from './consumed-lines';
import { addedLineHashes, decodeRemovedLines, encodeRemovedLines, snippetUses } from './consumed-lines';
import { attributeCommit } from './attribute-commit';
import { fileOf, inputOf, lineHashOf, pathKeyOf, snippetOf } from './fixtures/commit';
import type { ChangedFile, ChangedLine } from './inherited-lines';

const TEXT = [
  'export function moorAt(quay: Quay, vessel: Vessel): Mooring {',
  '  const fenders = quay.fenders.filter((fender) => fender.diameter > vessel.freeboard / 4);',
  '  const bollards = nearestBollards(quay.bollards, vessel.bow, vessel.stern);',
  '  const tension = windLoad(vessel.profile, forecast.gusts) / Math.max(1, bollards.length);',
  '  if (tension > quay.certifiedLoad) throw new UnsafeMooring(quay.name, tension);',
  '  const springs = vessel.length > 120 ? doubled(vessel.springLines) : vessel.springLines;',
  '  return { fenders, bollards, since: harbourClock.now(), lines: springs.concat(vessel.breastLines) };',
  '}',
].join('\n');
const LINES = [0, 1, 2, 3, 4, 5, 6, 7];
const snippet = snippetOf('s1', TEXT, {
  pathKey: pathKeyOf('moor.ts'),
  before: lineHashOf("import { Quay } from './quay';"),
});
const file = fileOf('moor.ts', TEXT);
const judge = (consumed?: ConsumedLines, files = [file]) =>
  attributeCommit({ ...inputOf(files, [snippet]), ...(consumed ? { consumed } : {}) });

const shortHashOf = (line: string) => Number(BigInt(`0x${lineHashOf(line)}`) & 0xffff_ffffn);
const linesOf = (...texts: string[]): ChangedLine[] =>
  texts.map((text, line) => {
    const h1 = BigInt(`0x${lineHashOf(text)}`);
    return { line, ordinal: line, h1, h2: h1, h3: h1, bits: 20 };
  });
const changed = (path: string, removed: string[], added: string[]): ChangedFile => ({
  path,
  hunks: [{ removed: linesOf(...removed), added: linesOf(...added) }],
});

describe('lines of a snippet that an ancestor has used up', () => {
  it('explain nothing', () => {
    const [half] = judge(new Map([['s1', new Set([0, 1])]]));
    expect(half!.lines.map(({ start, count, kind }) => [start, count, kind])).toEqual([
      [0, 2, 'H'],
      [2, 6, 'P'],
    ]);
    const [all] = judge(new Map([['s1', new Set(LINES)]]));
    expect(all!.lines.map(({ count, kind }) => [count, kind])).toEqual([[8, 'H']]);
  });

  it('are those of that snippet only', () => {
    expect(judge(new Map([['another', new Set(LINES)]]))).toEqual(judge());
  });
});

describe('what a commit uses up', () => {
  it('are the lines that its kept and changed lines came from, whatever they look like now', () => {
    const edited = TEXT.replace('harbourClock.now()', 'localClock.now()').split('\n');
    edited.splice(1, 0, '  audit(vessel.registration, "mooring requested at the northern basin");');
    const files = [fileOf('moor.ts', edited.join('\n'))];
    const uses = snippetUses(files, judge(undefined, files));
    expect(uses.map(({ codeId, snippetLine }) => [codeId, snippetLine])).toEqual(
      LINES.map((line) => ['s1', line]),
    );
    expect(uses.map(({ hash }) => hash)).toEqual(
      [0, 2, 3, 4, 5, 6, 7, 8].map((line) => shortHashOf(edited[line]!)),
    );
  });

  it('are no lines of what is too weak to count', () => {
    const files = [fileOf('other.ts', TEXT.split('\n').slice(2, 4).join('\n'))];
    const verdict = judge(undefined, files);
    expect(verdict[0]!.results.map(({ suspect }) => suspect)).toEqual([2]);
    expect(snippetUses(files, verdict)).toEqual([]);
  });

  it('are no lines of what it declares itself', () => {
    const declared = { tool: 'agent', by: 'trailer', source: 'agent' } as const;
    const input = inputOf([file], []);
    const verdict = attributeCommit({ ...input, commit: { ...input.commit, declared } });
    expect(snippetUses([file], verdict)).toEqual([]);
  });
});

describe('the lines that a commit removes', () => {
  it('are those that it removes more often than it adds them, in whatever files, each once', () => {
    const files = [
      changed('a.ts', ['gone();', 'moved();', 'gone();'], ['born();']),
      changed('b.ts', ['half();', 'half();'], ['moved();', 'half();']),
    ];
    const expected = ['gone();', 'half();'].map(shortHashOf).sort((a, b) => a - b);
    expect([...decodeRemovedLines(encodeRemovedLines(files))]).toEqual(expected);
  });

  it('are nothing at all where it removes none', () => {
    expect(encodeRemovedLines([changed('a.ts', [], ['born();'])])).toBe('');
    expect([...decodeRemovedLines('')]).toEqual([]);
  });

  it('are refused where they break off', () => {
    expect(() => decodeRemovedLines('AAAA')).toThrow(
      expect.objectContaining({ code: 'candidates-malformed' }) as Error,
    );
  });

  it('have the hashes of the lines that a commit adds', () => {
    const removed = decodeRemovedLines(encodeRemovedLines([changed('moor.ts', TEXT.split('\n'), [])]));
    expect(new Set(removed)).toEqual(addedLineHashes([file]));
  });
});
