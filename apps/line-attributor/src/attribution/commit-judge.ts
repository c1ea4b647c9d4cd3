import { attributeCommit, type ConsumedLines, type CopiedLine, type Snippet } from '@lineprint/attribution';
import type { AttributionEvent, CandidatesEvent, Policy } from '@lineprint/contracts';
import type { Database } from '@lineprint/persistence';
import { ConsumedByAncestors, type LedgerRows } from '../consumed/consumed-by-ancestors';
import type { JudgeCaches } from './judge-caches';

/** Decides, for every added line of a commit, where it comes from. The same for live commits and for a replay. */
export class CommitJudge {
  private readonly consumedLines: ConsumedByAncestors;

  constructor(
    database: Database,
    private readonly caches: JudgeCaches,
  ) {
    this.consumedLines = new ConsumedByAncestors(database, caches.histories);
  }

  /**
   * Judges commits of one organisation under one policy. When this resolves, what they used of snippets is stored.
   *
   * @param events in the order of the log
   * @param save stores what they used together with the verdicts; by default only the former, at once
   * @returns one verdict for each event, in the same order
   */
  async judge(
    tenant: string,
    policy: Policy,
    events: readonly CandidatesEvent[],
    save?: (verdicts: readonly AttributionEvent[], ledger: LedgerRows) => Promise<void>,
  ): Promise<AttributionEvent[]> {
    const candidates = events.flatMap((event) => event.candidates);
    const snippets = await this.caches.snippets.load(
      tenant,
      candidates.map(({ codeId }) => codeId),
    );
    const byEvent = new Map<CandidatesEvent, AttributionEvent>();
    const verdicts = () => events.map((event) => byEvent.get(event)!);
    const attribute = (event: CandidatesEvent, consumed: ConsumedLines, copied: readonly CopiedLine[]) => {
      const { commit, repositoryLines, files, candidates } = event;
      const attributed = attributeCommit({
        commit,
        repositoryLines,
        files,
        candidates,
        snippets: snippetsOf(event, snippets),
        policy,
        consumed,
        copied,
      });
      byEvent.set(event, { policy: policy.id, commit, files: attributed });
      return attributed;
    };
    await this.consumedLines.judge(
      tenant,
      policy.id,
      events,
      attribute,
      save && ((ledger) => save(verdicts(), ledger)),
    );
    return verdicts();
  }
}

function snippetsOf(event: CandidatesEvent, snippets: ReadonlyMap<string, Snippet>): Snippet[] {
  const ids = new Set(event.candidates.map(({ codeId }) => codeId));
  return [...ids].flatMap((id) => snippets.get(id) ?? []);
}
