import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { dataSetsIn, labelledFiles, loadDataSet } from '../../bench/accuracy/data';
import { attributeRecord, indexDataSet, Timeline } from '../../bench/accuracy/engine';
import { scoreRecords } from '../../bench/accuracy/score';
import { SeedEngine } from '../../bench/accuracy/seed-attribution';
import { textLane } from '../../bench/accuracy/seed-text-lane';

const codeOf = (ship: string): string =>
  Array.from(
    { length: 8 },
    (_, i) => `let ${ship}${i} = ${ship}Harbour.berth(${i * 37}, "quay ${i} of ${ship}")`,
  ).join('\n');
const wholeOf = (ship: string) => ({
  final_file: codeOf(ship),
  truth: 'P'.repeat(8),
  added: '1'.repeat(8),
});
const CODE = codeOf('vessel');
const whole = wholeOf('vessel');

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'lineprint-labelled-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(part: string, values: readonly object[]): void {
  const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
  writeFileSync(join(folder, `odd.${part}.jsonl.gz`), gzipSync(text));
}

describe('labelled data', () => {
  it('may have languages and edits that nobody has heard of, and lack whatever is optional', async () => {
    write('records', [
      {
        id: 'r0',
        language: 'klingon',
        size: 'huge',
        transform: 'sung',
        base: 's0',
        path: 'a/b.kl',
        ...whole,
      },
      { id: 'r1', base: 's1', path: 'Makefile', ...wholeOf('barge') },
      { id: 'r2', ...whole, snippets: ['s2'], path: 'x.rs', aliases: ['y.rs', 'z.rs'], time: 20, since: 5 },
      { id: 'r3', ...whole, truth: 'H'.repeat(8), base: null, skip: null, time: null },
      {
        id: 'r4',
        ...whole,
        final_file: `${CODE}\n`,
        final_file2: CODE,
        truth2: whole.truth,
        added2: whole.added,
      },
    ]);
    write('snippets', [
      { id: 's0', language: 'klingon', path: 'a/b.kl', snippet: codeOf('bird') },
      { id: 's1', language: 'make', path: null, snippet: codeOf('barge'), before: null, after: 'end' },
      { id: 's2', language: 'rs', path: 'y.rs', snippet: CODE, before: '', time: 10, distractor: true },
      { id: 's3', snippet: '\n\n' },
      { id: 's4', language: 'text', path: 'empty', snippet: '' },
    ]);
    const data = loadDataSet(folder, 'odd');
    expect(data.background).toEqual([]);

    const index = await indexDataSet(data);
    const ours = await scoreRecords(data.records, (record) => attributeRecord(record, index));
    expect(ours).toMatchObject({ records: 5, withAi: { records: 4 }, humanOnly: { records: 1 } });
    expect(ours.byTransform['sung']).toMatchObject({ recall: 1 });
    expect(ours.byLanguage['klingon']).toMatchObject({ recall: 1 });

    const seed = new SeedEngine(textLane);
    await seed.index(data.snippets);
    const theirs = await scoreRecords(data.records, (record) => seed.attribute(record));
    expect(theirs.byTransform['sung']).toMatchObject({ recall: 1 });
  });

  it('are refused with the record and the line where a line has no label', () => {
    write('records', [{ id: 'r0', path: 'a.py', ...whole, truth: 'PPP' }]);
    write('snippets', []);
    expect(() => loadDataSet(folder, 'odd')).toThrow('Record r0 of odd says nothing about line 4 of a.py.');
  });

  it('are refused with the file and the line where a text is missing', () => {
    write('records', [{ id: 'r0', ...whole }, { id: 'r1' }]);
    write('snippets', []);
    expect(() => loadDataSet(folder, 'odd')).toThrow(
      /odd\.records\.jsonl\.gz, line 2: the text `final_file`/,
    );
    expect(dataSetsIn(folder)).toEqual(['odd']);
    expect(dataSetsIn(join(folder, 'nowhere'))).toEqual([]);
  });

  it('give a record no snippet of its future, however close', async () => {
    const records = [9, 10].map((time) => ({ id: `at ${time}`, path: 'a.py', base: 's', time, ...whole }));
    const data = {
      records,
      snippets: [{ id: 's', path: 'a.py', snippet: CODE, time: 10 }],
      background: [],
    };
    const index = await indexDataSet(data);
    const found = await Promise.all(records.map((record) => attributeRecord(record, index)));
    expect(found.map(({ recalled }) => recalled.size)).toEqual([0, 1]);
  });

  it('keep the order of their times, years apart or not', () => {
    const day = 86_400;
    const timeline = new Timeline({
      records: [{ id: 'r', ...whole, time: 1000 * day, since: 3 }],
      snippets: [2, 3, 999 * day].map((time) => ({ id: `${time}`, snippet: '', time })),
    });
    const times = [2, 3, 999 * day, 1000 * day, null].map((time) => timeline.at(time));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(new Set(times).size).toBe(5);
    expect(times[4]! - times[0]!).toBeLessThan(day * 1000);
  });

  it('may spread a commit over two files, which then have two paths', () => {
    const record = { id: 'r', ...whole, final_file2: CODE, truth2: whole.truth, added2: whole.added };
    expect(labelledFiles({ ...record, path: 'src/a.test.ts' }).map(({ path }) => path)).toEqual([
      'src/a.test.ts',
      'src/a.test.second.ts',
    ]);
    expect(labelledFiles({ ...record, path: 'v1.0/Makefile' }).map(({ path }) => path)).toEqual([
      'v1.0/Makefile',
      'v1.0/Makefile.second',
    ]);
  });
});
