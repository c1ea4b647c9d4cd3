import { exclusionBy } from '@lineprint/attribution';
import type { LineKind, Policy } from '@lineprint/contracts';
import { languageOf } from '@lineprint/fingerprint';
import {
  type HeadFileRow,
  type HeadRun,
  type LedgerPlace,
  type LifeLinesRow,
  type LineHead,
  livesOfCommits,
  loadHeadRuns,
  type Queryable,
  replaceHeadFileLines,
  replaceLifeLines,
} from '@lineprint/persistence';
import { type JudgedLine, loadLineLabels, type OriginLabels } from '@lineprint/results';

/** Says of files at a ref's tip, under each policy, how many lines are of which kind and origin. */
export async function labelFiles(
  tx: Queryable,
  place: LedgerPlace,
  { projectId }: LineHead,
  policies: readonly Policy[],
  paths: readonly string[],
): Promise<void> {
  const runs = await loadHeadRuns(tx, place, paths);
  const origins = runs.flatMap(({ origin }) => origin ?? []);
  const byPath = new Map<string, HeadRun[]>();
  for (const run of runs) {
    const known = byPath.get(run.path);
    if (known) known.push(run);
    else byPath.set(run.path, [run]);
  }
  for (const policy of policies) {
    const labelsOf = await loadLineLabels(tx, { ...place, policyId: policy.id }, origins);
    const isExcluded = exclusionBy(policy.exclusions ?? []);
    const rows = [...byPath].flatMap(([path, ofFile]) =>
      isExcluded(path)
        ? []
        : fileParts(ofFile, labelsOf).map((part) => ({
            ...part,
            path,
            projectId,
            language: languageOf(path),
          })),
    );
    await replaceHeadFileLines(tx, place, policy.id, paths, rows);
  }
}

type Part = Omit<HeadFileRow, 'path' | 'ordinal' | 'projectId' | 'language'>;

function fileParts(
  runs: readonly HeadRun[],
  labelsOf: (origin: { commit: string; path: string }) => OriginLabels,
): (Part & { readonly ordinal: number })[] {
  const parts = new Map<string, Part & { lines: number }>();
  const add = (part: Omit<Part, 'lines'>, lines: number) => {
    const key = JSON.stringify(Object.values(part));
    const known = parts.get(key);
    if (known) known.lines += lines;
    else parts.set(key, { ...part, lines });
  };
  for (const { origin, count } of runs) {
    if (!origin) {
      add(UNKNOWN, count);
      continue;
    }
    const { userId, label } = labelsOf(origin);
    for (let line = origin.line; line < origin.line + count; line++) {
      const judged = label(line);
      if (judged === 'unknown') add(UNKNOWN, 1);
      else if (judged !== 'uncounted') add({ ...describe(judged), userId }, 1);
    }
  }
  return [...parts].sort(byKey).map(([, part], ordinal) => ({ ...part, ordinal }));
}

const UNKNOWN = {
  kind: 'U',
  source: null,
  model: null,
  evidence: null,
  confidence: null,
  userId: null,
} as const;

function describe({ kind, result }: JudgedLine): {
  kind: LineKind;
  source: string | null;
  model: string | null;
  evidence: string;
  confidence: string;
} {
  const { match_source, model, evidence, confidence } = result;
  return { kind, source: match_source, model, evidence, confidence };
}

/** Says of the lines that commits added, under each policy, what they are and from when to when they stood. */
export async function labelLives(
  tx: Queryable,
  place: LedgerPlace,
  { projectId }: LineHead,
  policies: readonly Policy[],
  shas: readonly string[],
): Promise<void> {
  const lives = await livesOfCommits(tx, place, shas);
  const origins = lives.map(({ originCommit, originPath }) => ({ commit: originCommit, path: originPath }));
  for (const policy of policies) {
    const labelsOf = await loadLineLabels(tx, { ...place, policyId: policy.id }, origins);
    const rows = new Map<string, LifeLinesRow & { lines: number }>();
    lives.forEach(({ originCommit, firstLine, lineCount, bornAt, diedAt }, i) => {
      const { userId, language, label } = labelsOf(origins[i]!);
      for (let line = firstLine; line < firstLine + lineCount; line++) {
        const judged = label(line);
        if (typeof judged === 'string' || userId === null || language === null) continue;
        const { kind, source, model } = describe(judged);
        const key = JSON.stringify([originCommit, language, kind, source, model, bornAt, diedAt]);
        const known = rows.get(key);
        if (known) known.lines++;
        else {
          rows.set(key, {
            ...{ projectId, originCommit, language, kind, source, model, userId, bornAt, diedAt },
            lines: 1,
          });
        }
      }
    });
    const inOrder = [...rows].sort(byKey).map(([, row]) => row);
    await replaceLifeLines(tx, place, policy.id, shas, inOrder);
  }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
