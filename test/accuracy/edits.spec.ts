import { computeLinePrints } from '@lineprint/fingerprint';
import { type DataSet, type LabelledCommit, labelledFiles } from '../../bench/accuracy/data';
import { attributeRecord, type BenchIndex, indexDataSet } from '../../bench/accuracy/engine';
import { scoredLines } from '../../bench/accuracy/score';
import {
  addComments,
  type Edit,
  type EditedLine,
  reformat,
  rename,
} from '../../bench/accuracy/self-made/edits';
import { SeededRandom } from '../../bench/accuracy/self-made/random';
import { selfMadeSet } from '../../bench/accuracy/self-made/self-made';

const SEED = 2;
const set = selfMadeSet(SEED);
const unedited = set.records.filter(({ transform, size }) => transform === 'none' && size !== 'tab');
let index: BenchIndex;

beforeAll(async () => {
  index = await indexDataSet(set);
}, 60_000);

const addBlankLines: Edit = (lines, { random }) =>
  lines.flatMap((line) => (random.share() < 0.3 ? [{ text: '', truth: 'H' as const }, line] : [line]));

/** The commit with its AI lines edited. */
function edited(record: LabelledCommit, edit: Edit): LabelledCommit {
  const [file] = labelledFiles(record);
  const first = record.truth.indexOf('P');
  const last = record.truth.lastIndexOf('P');
  const ai = file!.lines.slice(first, last + 1).map((text): EditedLine => ({ text, truth: 'P' }));
  const lines = edit(ai, { random: new SeededRandom(SEED), humanLines: () => [] });
  if (!lines) return record;
  const around = (ours: string, what: string) => what.slice(0, first) + ours + what.slice(last + 1);
  return {
    ...record,
    final_file: [
      ...file!.lines.slice(0, first),
      ...lines.map(({ text }) => text),
      ...file!.lines.slice(last + 1),
    ].join('\n'),
    truth: around(lines.map(({ truth }) => truth).join(''), record.truth),
    added: around('1'.repeat(lines.length), record.added),
  };
}

/** Share of the commits' AI lines that are called human. */
async function lostShare(records: readonly LabelledCommit[]): Promise<number> {
  let ai = 0;
  let lost = 0;
  for (const record of records) {
    const answer = await attributeRecord(record, index);
    for (const { file, line, truth } of scoredLines(labelledFiles(record))) {
      if (truth === 'H') continue;
      ai++;
      if ((answer.files[file]!.get(line)?.kind ?? 'H') === 'H') lost++;
    }
  }
  return lost / ai;
}

/** Beyond what is lost of the same code unedited; from `npm run bench -- accuracy`. */
const EDITS: readonly [name: string, edit: Edit, rate: number][] = [
  ['adding blank lines', addBlankLines, 0],
  ['adding comments', addComments, 0.015],
  ['reformatting', reformat, 0.02],
  ['renaming some variables', rename(0.3), 0.03],
  ['renaming all variables', rename(1), 0.13],
];

describe('editing AI code makes its lines human no more often than the benchmark says:', () => {
  it.each(EDITS)('%s', async (_name, edit, rate) => {
    const before = await lostShare(unedited);
    const after = await lostShare(unedited.map((record) => edited(record, edit)));
    expect(after - before).toBeLessThanOrEqual(rate);
  });
});

describe('a snippet that shares no line and no shape of a line with a commit', () => {
  it('changes nothing about it', async () => {
    // Another language's longer lines: a brace alone would be shared.
    const strangers = set.snippets
      .filter(({ language }) => language === 'c')
      .slice(0, 20)
      .map(({ id, snippet }) => ({
        id: `stranger-${id}`,
        language: 'c',
        snippet: snippet
          .split('\n')
          .filter((line) => line.trim().length > 30)
          .join('\n'),
      }))
      .filter(({ snippet }) => snippet !== '');
    const own: DataSet = { ...set, snippets: set.snippets.filter(({ language }) => language === 'ts') };
    const records = set.records.filter(({ language }) => language === 'ts');
    const alone = await indexDataSet(own);
    const crowded = await indexDataSet({ ...own, snippets: [...strangers, ...own.snippets] });

    const known = new Set(
      strangers.flatMap(({ snippet }) =>
        computeLinePrints(snippet, 'c', alone.key).flatMap(({ h1, h2, h3 }) => [h1, h2, h3]),
      ),
    );
    let compared = 0;
    for (const record of records) {
      const shares = labelledFiles(record).some(({ content }) =>
        computeLinePrints(content, 'typescript', alone.key).some((print) =>
          [print.h1, print.h2, print.h3].some((hash) => known.has(hash)),
        ),
      );
      if (shares) continue;
      compared++;
      const { files } = await attributeRecord(record, crowded);
      expect(files).toEqual((await attributeRecord(record, alone)).files);
    }
    expect(compared).toBeGreaterThan(records.length / 2);
  });
});
