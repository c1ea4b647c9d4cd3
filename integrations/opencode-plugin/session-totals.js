import { addedSpans } from '@lineprint/capture';

/** As many code ids as a summary may name. */
const MAX_CODE_IDS = 10_000;

/** What a session and its sub-agents wrote so far, as the seed's `CodeGenStatsPayload` has it. */
export class SessionTotals {
  #sessionId;
  #tasks = new Set();
  #events = [];
  #chat = noLines();
  #agent = noLines();

  constructor(sessionId) {
    this.#sessionId = sessionId;
  }

  /** A sub-agent's session. */
  addTask(sessionId) {
    this.#tasks.add(sessionId);
  }

  /** What a tool told of an edit, as the adapter reads it. Read when the session rests: that takes a moment. */
  add(event) {
    if (event.parentID !== undefined) this.addTask(event.input.sessionID);
    this.#events.push(event);
  }

  /**
   * Running totals: the newest summary of a session replaces those before it.
   * @param read gives an event's edits and fingerprints
   * @returns nothing for a session that wrote nothing
   */
  summary(timestamp, read) {
    for (const event of this.#events.splice(0)) {
      const side = event.parentID === undefined ? this.#chat : this.#agent;
      const { edits, fingerprints } = read(event);
      for (const { before, after } of edits) {
        side.edits++;
        side.additions += countOf(addedSpans(before, after));
        side.deletions += countOf(addedSpans(after, before));
      }
      side.fingerprints.push(...fingerprints.map(({ codeId }) => codeId));
      side.fingerprints.splice(MAX_CODE_IDS);
    }
    const { edits: _, ...agent } = this.#agent;
    if (this.#chat.edits === 0 && this.#tasks.size === 0) return undefined;
    return {
      sessionId: this.#sessionId,
      timestamp,
      chat: { ...this.#chat, fingerprints: [...this.#chat.fingerprints] },
      agent: { tasks: this.#tasks.size, ...agent, fingerprints: [...agent.fingerprints] },
    };
  }
}

const noLines = () => ({ edits: 0, additions: 0, deletions: 0, fingerprints: [] });
const countOf = (spans) => spans.reduce((sum, { first, last }) => sum + last - first + 1, 0);
