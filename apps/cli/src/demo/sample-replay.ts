import type { CodeFingerprint, CodeGenStats } from '@lineprint/contracts';
import { asVersion1, captureEdit } from '@lineprint/capture';
import type { LineKey } from '@lineprint/fingerprint';
import {
  type CommitRef,
  type DeclarationPattern,
  type HistoryReport,
  listCommits,
  openRepository,
  type Repository,
} from '@lineprint/git';
import type { ReadClient } from '../api/read-client';
import type { Connection } from '../commands/connection';
import { pushHistory } from '../commands/backfill';
import { type AttributedLines, buildSample, type Sample, scoreSample } from '../sample';

export const SAMPLE_NAME = 'sample';

export type SampleScore = ReturnType<typeof scoreSample>;

export interface SampleReplay {
  readonly name: string;
  readonly repository: Repository;
  readonly refs: readonly CommitRef[];
  readonly report: HistoryReport;
  /** Compares the verdicts with the sample's right answers. */
  score(reader: ReadClient): Promise<SampleScore>;
  /** The ratio of AI that the right answers have: kept lines and half of the changed ones, of all that count. */
  readonly aiRatio: number;
}

/** Builds the sample's repository and sends it with what its developers' clients captured on the way. */
export async function replaySample(
  connection: Connection,
  directory: string,
  options: {
    declarations: readonly DeclarationPattern[];
    url: string;
    /** 1 sends what a client of the seed's protocol would. Default 2. */
    protocol?: 1 | 2;
    signal?: AbortSignal;
  },
): Promise<SampleReplay> {
  const sample = await buildSample(directory);
  const captured = capture(sample, connection.lineKey, options.protocol ?? 2);
  const repository = await openRepository(sample.repositoryPath);
  const refs = await listCommits(repository);
  const { report } = await pushHistory(connection, repository, refs, {
    name: SAMPLE_NAME,
    declarations: [...options.declarations],
    url: options.url,
    capturedBefore: (sha) => captured.get(sha) ?? [],
    ...(options.signal ? { signal: options.signal } : {}),
  });
  for (const session of sessionTotals(sample, captured)) await connection.client.sendStats(session);
  return {
    name: SAMPLE_NAME,
    repository,
    refs,
    report,
    aiRatio: aiRatioOf(sample),
    score: async (reader) => scoreSample(sample.truth, await exportedLines(reader)),
  };
}

/** The fingerprints of each commit's preceding edits, as the clients made them. */
function capture(sample: Sample, lineKey: LineKey, protocol: 1 | 2): Map<string, CodeFingerprint[]> {
  const captured = new Map<string, CodeFingerprint[]>();
  for (const { beforeCommitIndex, ...edit } of sample.edits) {
    const sha = sample.shas[beforeCommitIndex]!;
    const fingerprints = captureEdit({
      ...edit,
      lineKey,
      repository: SAMPLE_NAME,
      client: { name: 'lineprint-sample', version: '1' },
    });
    const sent = protocol === 1 ? fingerprints.map(asVersion1) : fingerprints;
    captured.set(sha, [...(captured.get(sha) ?? []), ...sent]);
  }
  return captured;
}

function aiRatioOf({ truth }: Sample): number {
  const kinds = [...truth.values()].flatMap((files) => [...files.values()].flat().map(({ kind }) => kind));
  const count = (kind: string) => kinds.filter((other) => other === kind).length;
  return (count('P') + 0.5 * count('M')) / (kinds.length - count('I'));
}

function sessionTotals(sample: Sample, captured: ReadonlyMap<string, CodeFingerprint[]>): CodeGenStats[] {
  const fingerprints = [...captured.values()].flat();
  return sample.sessions.map((session) => {
    const own = fingerprints.filter(({ sessionId }) => sessionId === session.sessionId);
    const ids = (source: CodeFingerprint['source']) =>
      own.filter((fingerprint) => fingerprint.source === source).map(({ codeId }) => codeId);
    return {
      ...session,
      repository: SAMPLE_NAME,
      ...(session.tab ? { tab: { ...session.tab, fingerprints: ids('tab') } } : {}),
      ...(session.chat ? { chat: { ...session.chat, fingerprints: ids('chat') } } : {}),
      ...(session.agent ? { agent: { ...session.agent, fingerprints: ids('agent') } } : {}),
    };
  });
}

async function exportedLines(reader: ReadClient): Promise<AttributedLines[]> {
  let text = '';
  for await (const part of reader.export({ repository: SAMPLE_NAME })) text += part;
  const lines: AttributedLines[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const record = JSON.parse(line) as {
      type: string;
      sha: string;
      files?: Omit<AttributedLines, 'sha'>[];
    };
    for (const { path, lines: ranges, inherited } of record.files ?? [])
      lines.push({ sha: record.sha, path, lines: ranges, inherited });
  }
  return lines;
}
