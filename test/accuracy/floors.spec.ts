import { attributeRecord, indexDataSet } from '../../bench/accuracy/engine';
import { type EngineFigures, scoreRecords } from '../../bench/accuracy/score';
import { selfMadeSet } from '../../bench/accuracy/self-made/self-made';

/** `npm run bench -- accuracy --set selfmade` prints these figures. */
const SEED = 1;
let figures: EngineFigures;

beforeAll(async () => {
  const set = selfMadeSet(SEED);
  const index = await indexDataSet(set);
  figures = await scoreRecords(set.records, (record) => attributeRecord(record, index));
}, 120_000);

/** A little below what is measured: a change that falls below has made attribution worse. */
const F1_FLOORS: Readonly<Record<string, number>> = {
  none: 0.97,
};

describe(`on the self-made set with seed ${SEED}`, () => {
  it('F1 of AI lines is at least .94', () => {
    expect(figures.withAi.f1).toBeGreaterThanOrEqual(0.94);
  });

  it.each(Object.entries(F1_FLOORS))(
    'F1 of AI lines after the edit %s is at least %d',
    (transform, floor) => {
      expect(figures.byTransform[transform]!.f1).toBeGreaterThanOrEqual(floor);
    },
  );
});
