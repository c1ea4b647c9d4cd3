import {
  addedLineHashes,
  addedLines,
  type ConsumedLines,
  type CopiedLine,
  decodeRemovedLines,
  findCopiedLines,
  type SnippetUse,
  snippetUses,
} from '@lineprint/attribution';
import type { AttributedFile, CandidatesEvent } from '@lineprint/contracts';
import {
  type Database,
  type JudgedRepository,
  loadJudgedCommits,
  saveJudgedCommits,
  type StoredJudgedCommit,
} from '@lineprint/persistence';
import { packJudgedCommit, unpackJudgedCommit } from './judged-commit-record';
import type { JudgedCommit } from './judged-commit';
import { LoadedHistories } from './loaded-histories';
import { HISTORY_MS, RepositoryHistory } from './repository-history';

/** Commits as the ledger stores them. */
export type LedgerRows = readonly (JudgedRepository & StoredJudgedCommit)[];

/**
 * Lets no line of a snippet be used twice in one line of history: each commit is judged without what its ancestors
 * have used, and what it uses is stored before its verdict goes out (docs/decisions/0014-consumed-lines.md). Nor does a
 * line count twice that two lines of history have: the second is a copy (docs/decisions/0025-copied-lines.md).
 */
export class ConsumedByAncestors {
  private readonly keyPrefix: string;

  constructor(
    private readonly database: Database,
    private readonly histories = new LoadedHistories(),
  ) {
    this.keyPrefix = histories.newJudge();
  }

  /**
   * Judges the commits of one organisation under one policy. When this resolves, what they used is stored.
   *
   * @param events in the order of the log
   * @param attribute the verdict on one commit's files, given which lines of its candidates are used up, and which of
   * its own are copies
   * @param save stores what they used, by `saveJudgedCommits`; by default in a transaction of its own
   */
  async judge(
    orgId: string,
    policyId: string,
    events: readonly CandidatesEvent[],
    attribute: (
      event: CandidatesEvent,
      consumed: ConsumedLines,
      copied: readonly CopiedLine[],
    ) => AttributedFile[],
    save: (rows: LedgerRows) => Promise<void> = (rows) =>
      this.database.transaction((tx) => saveJudgedCommits(tx, rows)),
  ): Promise<void> {
    const repositories = new Map<string, CandidatesEvent[]>();
    for (const event of events) {
      const { repository } = event.commit;
      repositories.set(repository, [...(repositories.get(repository) ?? []), event]);
    }
    const pending: (JudgedRepository & StoredJudgedCommit)[] = [];
    try {
      for (const [repository, own] of repositories) {
        const place = { orgId, policyId, repository };
        const history = await this.history(place, own);
        for (const event of own) {
          const known = history.get(event.commit.sha);
          const revision = event.commit.revision ?? 0;
          const position = known?.position ?? history.last + 1;
          const { parents, committedAt } = event.commit;
          const copied = findCopiedLines(
            event.files,
            history.originalsBefore({ position, parents, committedAt }),
          );
          const files = attribute(event, consumedBefore(history, event, position), copied);
          if (known && known.revision >= revision) continue;
          const judged = judgedCommit(event, files, position, copied, history);
          history.add(judged);
          history.revisions += revision - (known?.revision ?? 0);
          pending.push({ ...place, ...packJudgedCommit(judged) });
        }
      }
      await save(pending);
    } catch (error) {
      // They may be ahead of what is stored.
      for (const repository of repositories.keys())
        this.histories.forget(this.keyOf({ orgId, policyId, repository }));
      throw error;
    }
    this.histories.evict();
  }

  /** The repository's history as far as the commits can look back, and the commits themselves where they are known. */
  private async history(
    place: JudgedRepository,
    events: readonly CandidatesEvent[],
  ): Promise<RepositoryHistory> {
    const key = this.keyOf(place);
    const since = Math.min(...events.map(({ commit }) => commit.committedAt)) - HISTORY_MS;
    let history = this.histories.get(key);
    // What lies further back than twice as far as needed only takes memory.
    if (!history || since < history.since || since > history.since + HISTORY_MS) {
      history = new RepositoryHistory(since);
    }
    const shas = events.map(({ commit }) => commit.sha);
    let stored = await loadJudgedCommits(this.database, place, history.last, history.since, shas);
    // Another process has replaced what some of them used.
    if (history.last > 0 && history.revisions !== stored.revisions) {
      history = new RepositoryHistory(history.since);
      stored = await loadJudgedCommits(this.database, place, history.last, history.since, shas);
    }
    for (const commit of stored.commits) history.add(unpackJudgedCommit(commit));
    history.last = Math.max(history.last, stored.last);
    history.revisions = stored.revisions;
    this.histories.keep(key, history);
    return history;
  }

  private keyOf({ orgId, policyId, repository }: JudgedRepository): string {
    return `${this.keyPrefix}${orgId}\0${policyId}\0${repository}`;
  }
}

function consumedBefore(history: RepositoryHistory, event: CandidatesEvent, position: number): ConsumedLines {
  const { parents, committedAt } = event.commit;
  const codeIds = event.candidates.map(({ codeId }) => codeId);
  let added: ReadonlySet<number> | undefined;
  return history.consumedBefore({ position, parents, committedAt }, codeIds, () => {
    return (added ??= addedLineHashes(event.files));
  });
}

function judgedCommit(
  { commit, files, removedLines }: CandidatesEvent,
  verdict: readonly AttributedFile[],
  position: number,
  copied: readonly CopiedLine[],
  history: RepositoryHistory,
): JudgedCommit {
  const { sha, parents, committedAt, revision = 0 } = commit;
  const isCopied = new Set(copied.map(({ file, line }) => `${file}:${line}`));
  const own = addedLines(files).filter(({ file, line }) => !isCopied.has(`${file}:${line}`));
  return {
    position,
    sha,
    revision,
    parents,
    committedAt,
    removed: decodeRemovedLines(removedLines ?? ''),
    added: Uint32Array.from(own, ({ place }) => place),
    addedNumbers: Uint32Array.from(own, ({ number }) => number),
    copied: Uint32Array.from(copied, ({ place }) => place),
    uses: [...snippetUses(files, verdict), ...copiedUses(copied, history)],
  };
}

/** A copy has used what its original has. */
function copiedUses(copied: readonly CopiedLine[], history: RepositoryHistory): SnippetUse[] {
  const left = new Map<string, SnippetUse[]>();
  return copied.flatMap(({ fromCommit, hash }) => {
    const key = `${fromCommit}/${hash}`;
    let uses = left.get(key);
    if (!uses) {
      uses = history.get(fromCommit)?.uses.filter((use) => use.hash === hash) ?? [];
      left.set(key, uses);
    }
    return uses.shift() ?? [];
  });
}
