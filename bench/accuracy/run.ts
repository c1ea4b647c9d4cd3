import { type DataSet, spread } from './data';
import { attributeRecord, indexDataSet } from './engine';
import { type EngineFigures, scoreRecords } from './score';
import { AstLane } from './seed-ast-lane';
import { SeedEngine } from './seed-attribution';
import { textLane } from './seed-text-lane';

export type EngineName = 'lineprint' | 'seed';
export const ENGINE_NAMES: readonly EngineName[] = ['lineprint', 'seed'];

/** The seed's figures are those of its server's lane, which finds more; its clients' lane stands beside them. */
export type SetFigures = Partial<
  Record<EngineName, EngineFigures & { textLane?: Pick<EngineFigures, 'withAi' | 'humanOnly'> }>
>;

/** Puts the records of one set, at most `sample` of them, through the engines. */
export async function measureSet(
  data: DataSet,
  engines: readonly EngineName[],
  sample: number,
): Promise<SetFigures> {
  const records = spread(data.records, sample);
  const figures: SetFigures = {};
  if (engines.includes('lineprint')) {
    const index = await indexDataSet(data);
    figures.lineprint = await scoreRecords(records, (record) => attributeRecord(record, index));
    await index.recall.close();
  }
  if (engines.includes('seed')) {
    const [ast, text] = [new SeedEngine(new AstLane()), new SeedEngine(textLane)];
    await ast.index(data.snippets);
    await text.index(data.snippets);
    const { withAi, humanOnly } = await scoreRecords(records, (record) => text.attribute(record));
    figures.seed = {
      ...(await scoreRecords(records, (record) => ast.attribute(record))),
      textLane: { withAi, humanOnly },
    };
  }
  return figures;
}
