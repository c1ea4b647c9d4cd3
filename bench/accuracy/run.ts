import { type DataSet, spread } from './data';
import { attributeRecord, type BenchIndex, indexDataSet, LINE_KEY, repositoryOf } from './engine';
import { type EngineFigures, scoreRecords } from './score';
import { AstLane } from './seed-ast-lane';
import { SeedEngine } from './seed-attribution';
import { textLane } from './seed-text-lane';
import type { Stranger } from './strangers';

export type EngineName = 'lineprint' | 'seed';
export const ENGINE_NAMES: readonly EngineName[] = ['lineprint', 'seed'];

/** The seed's figures are those of its server's lane, which finds more; its clients' lane stands beside them. */
export type SetFigures = Partial<
  Record<EngineName, EngineFigures & { textLane?: Pick<EngineFigures, 'withAi' | 'humanOnly'> }>
>;

/** What changes for the records in whose languages there are strangers, when these are in the index as well. */
export interface CrowdFigures {
  readonly strangers: number;
  readonly languages: readonly string[];
  readonly alone: CrowdedFigures;
  readonly crowded: CrowdedFigures;
}

export interface CrowdedFigures {
  readonly f1: number | null;
  readonly falsePerThousand: number | null;
  readonly humanOnlyFalsePerThousand: number | null;
  readonly candidateRecall: number | null;
  readonly candidatesPerThousandLines: number | null;
}

/** The same records with the snippets of the set alone in the index, and with strangers beside them. */
export async function measureCrowd(
  data: DataSet,
  strangers: Iterable<Stranger>,
  sample: number,
): Promise<CrowdFigures> {
  const languages = new Set<string>();
  const index = await indexDataSet(data, LINE_KEY, seenLanguages(strangers, languages));
  const records = spread(
    data.records.filter((record) => languages.has(repositoryOf(record))),
    sample,
  );
  const alone = await indexDataSet(data);
  const figures = async (among: BenchIndex): Promise<CrowdedFigures> => {
    const { withAi, humanOnly, candidatesPerThousandLines } = await scoreRecords(records, (record) =>
      attributeRecord(record, among),
    );
    await among.recall.close();
    const { f1, falsePerThousand, candidateRecall } = withAi;
    const humanOnlyFalsePerThousand = humanOnly.falsePerThousand;
    return { f1, falsePerThousand, humanOnlyFalsePerThousand, candidateRecall, candidatesPerThousandLines };
  };
  return {
    strangers: index.strangers.length,
    languages: [...languages].sort(),
    alone: await figures(alone),
    crowded: await figures(index),
  };
}

function* seenLanguages(strangers: Iterable<Stranger>, languages: Set<string>): Generator<Stranger> {
  for (const stranger of strangers) {
    languages.add(stranger.language);
    yield stranger;
  }
}

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
