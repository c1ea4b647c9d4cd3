import type { LabelledCommit } from '../../bench/accuracy/data';
import { type Answer, type LineAnswer, scoreRecords } from '../../bench/accuracy/score';

const NOTHING: Answer = {
  files: [],
  attributableLines: 0,
  candidates: 0,
  recalled: new Set(),
  milliseconds: 0,
};

/** What an engine says of a file, a letter a line. */
function answer(labels: string, changes: Partial<LineAnswer> = {}): Answer {
  const lines = [...labels].map((kind, line) => {
    const confidence = kind === 'H' ? 'UNIQUE' : 'HIGH';
    return [line, { kind, confidence, codeId: null, ...changes }] as [number, LineAnswer];
  });
  return { ...NOTHING, files: [new Map(lines)], recalled: new Set(['s']), attributableLines: lines.length };
}

const commit = (truth: string, changes: Partial<LabelledCommit> = {}): LabelledCommit => ({
  id: 'r',
  language: 'py',
  size: 'chat',
  transform: 'none',
  base: 's',
  path: 'a.py',
  final_file: [...truth].map((_, i) => `line ${i}`).join('\n'),
  truth,
  added: '1'.repeat(truth.length),
  ...changes,
});

describe('the figures', () => {
  it('are counted over all lines of a class', async () => {
    const answers = new Map([
      ['one', answer('PPMHP')],
      ['two', answer('HHHH')],
    ]);
    const records = [commit('PMPPH', { id: 'one' }), commit('PPHH', { id: 'two', transform: 'reformat' })];
    const figures = await scoreRecords(records, ({ id }) => Promise.resolve(answers.get(id)!));
    expect(figures.withAi).toEqual({
      records: 2,
      lines: 9,
      precision: 0.75,
      recall: 0.5,
      f1: 0.6,
      falsePerThousand: 333.33,
      // (|3.5 - 3.5| / 5 + |2 - 0| / 4) / 2
      ratioError: 0.25,
      candidateRecall: 1,
    });
    expect(figures.byTransform['reformat']).toMatchObject({ records: 1, recall: 0, precision: null });
    expect(figures.confusion).toEqual({
      kept: { kept: 1, changed: 1, human: 3 },
      changed: { kept: 1, changed: 0, human: 0 },
      human: { kept: 1, changed: 0, human: 2 },
    });
    expect(figures.byTier['HIGH']).toEqual({ lines: 4, precision: 0.75 });
  });

  it('leave out lines that are blank, not added, skipped, or without a label', async () => {
    const record = commit('HHHH?H', {
      final_file: 'a\n\nb\nc\nd\ne',
      added: '110111',
      skip: '000100',
    });
    const figures = await scoreRecords([record], () => Promise.resolve(answer('PPPPPH')));
    expect(figures.withAi).toMatchObject({ lines: 2, falsePerThousand: 500 });
  });

  it('tell human-only commits of a snippet’s repository and of its tests from the rest', async () => {
    const transforms = ['neg_same_repo', 'neg_same_repo_tests', 'neg_imports', 'neg_of_another_kind'];
    const records = transforms.map((transform) => commit('HH', { transform, base: null }));
    const figures = await scoreRecords(records, ({ transform }) =>
      Promise.resolve(answer(transform === 'neg_imports' ? 'PP' : 'HH')),
    );
    expect(figures.withAi.records).toBe(0);
    expect(figures.humanOnly).toMatchObject({
      falsePerThousand: 250,
      sameRepository: { records: 1, falsePerThousand: 0 },
      itsTests: { records: 1, falsePerThousand: 0 },
      rest: { records: 2, falsePerThousand: 500 },
      byTransform: { neg_of_another_kind: { records: 1 } },
    });
  });

  it('take the ratio of a method that has a formula of its own', async () => {
    const figures = await scoreRecords([commit('PP')], () =>
      Promise.resolve({ ...answer('PP'), ratio: 1.5 }),
    );
    expect(figures.withAi.ratioError).toBe(0.5);
  });
});
