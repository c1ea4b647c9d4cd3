import { attributeCommit, type ConsumedLines, type CopiedLine, type Snippet } from '@lineprint/attribution';
import type { AttributionEvent, CandidatesEvent, Policy } from '@lineprint/contracts';
import { decodeCurrentLinePrints } from '@lineprint/fingerprint';
import { type Database, loadSnippetPrints, type StoredSnippet } from '@lineprint/persistence';
import { ConsumedByAncestors, type LedgerRows } from '../consumed/consumed-by-ancestors';

/** Decides, for every added line of a commit, where it comes from. The same for live commits and for a replay. */
export class CommitJudge {
  private readonly consumedLines: ConsumedByAncestors;

  constructor(private readonly database: Database) {
    this.consumedLines = new ConsumedByAncestors(database);
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
    const snippets = await this.snippets(tenant, events);
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

  private async snippets(tenant: string, events: readonly CandidatesEvent[]): Promise<Map<string, Snippet>> {
    const ids = new Set(events.flatMap((event) => event.candidates.map(({ codeId }) => codeId)));
    const stored = await loadSnippetPrints(this.database, tenant, [...ids]);
    return new Map(stored.map((snippet) => [snippet.codeId, toSnippet(snippet)]));
  }
}

function snippetsOf(event: CandidatesEvent, snippets: ReadonlyMap<string, Snippet>): Snippet[] {
  const ids = new Set(event.candidates.map(({ codeId }) => codeId));
  return [...ids].flatMap((id) => snippets.get(id) ?? []);
}

function toSnippet(stored: StoredSnippet): Snippet {
  return {
    codeId: stored.codeId,
    userId: stored.userId,
    sessionId: stored.sessionId,
    source: stored.source,
    model: stored.model,
    language: stored.language,
    createdAt: stored.createdAt,
    protocol: stored.protocol,
    lineCount: stored.lineCount,
    declaredBy: stored.declaredBy,
    prints: stored.linePrints && decodeCurrentLinePrints(stored.linePrints),
    pathKey: stored.pathKey,
    before: stored.before,
    after: stored.after,
  };
}
