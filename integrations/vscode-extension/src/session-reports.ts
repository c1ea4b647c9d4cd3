import { join } from 'node:path';
import {
  type CaptureState,
  ClientRefusal,
  findWorkingTree,
  LineprintClient,
  Spool,
} from '@lineprint/capture';
import type { CodeGenStats } from '@lineprint/contracts';
import { SessionTotals } from './session-totals';

interface Session {
  readonly totals: SessionTotals;
  readonly day: string;
  /** Its file among the reports. */
  readonly name: string;
  readonly repository: string;
  readonly userEmail: string | undefined;
  /** Something was counted since it was written. */
  isChanged: boolean;
}

/** A report that has no answer is the next one's business: it has the same totals and more. */
const TIMEOUT_MS = 5000;

/**
 * The sessions of this window, one for each repository and day, and the reports of all windows that wait to be sent, on
 * the disk: what was counted offline or just before the end is sent by whoever comes next.
 */
export class SessionReports {
  private readonly sessions = new Map<string, Session>();
  private readonly kept: Spool;
  private isSending = false;

  constructor(
    private readonly state: CaptureState,
    private readonly newId: () => string,
    private readonly client?: Pick<LineprintClient, 'sendStats'>,
  ) {
    this.kept = new Spool(join(state.directory, 'sessions'));
  }

  /** Counts something in the session of the repository around a file. @returns the session's id; none outside of every one */
  count(path: string, now: number, what: (totals: SessionTotals) => void): string | undefined {
    const tree = findWorkingTree(path);
    if (!tree) return undefined;
    const day = new Date(now).toDateString();
    let session = this.sessions.get(tree.root);
    if (session?.day !== day) {
      if (session) this.write(session, now);
      const id = this.newId();
      const name = `${String(now).padStart(14, '0')}-${id.replaceAll('-', '')}.jsonl`;
      const totals = new SessionTotals(id);
      session = { totals, day, name, repository: tree.name, userEmail: tree.userEmail, isChanged: false };
      this.sessions.set(tree.root, session);
    }
    what(session.totals);
    session.isChanged = true;
    return session.totals.sessionId;
  }

  /** Puts what was counted on the disk. */
  save(now: number): void {
    for (const session of this.sessions.values()) this.write(session, now);
  }

  /**
   * Sends what is on the disk, oldest first, up to the first report without an answer.
   * @throws ClientUnavailable, NotEnrolled; the reports then stay
   */
  async send(now: number): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    try {
      this.kept.enforceLimits(now);
      for (const { name } of this.kept.segments()) await this.sendOne(name, now);
    } finally {
      this.isSending = false;
    }
  }

  private async sendOne(name: string, now: number): Promise<void> {
    const { url, apiKey } = this.state.settings();
    const client = this.client ?? new LineprintClient({ url, apiKey, retries: 0, timeoutMs: TIMEOUT_MS });
    const records = this.recordsOf(name);
    try {
      for (const record of records) await client.sendStats(JSON.parse(record) as CodeGenStats);
    } catch (error) {
      if (!(error instanceof ClientRefusal || error instanceof SyntaxError)) throw error;
      this.state.log(`vscode: a session’s report was refused: ${String(error)}`, now);
    }
    // Newer totals may have been put there meanwhile.
    if (this.recordsOf(name).join() === records.join()) this.kept.remove(name);
  }

  /** None when another window has sent them. */
  private recordsOf(name: string): string[] {
    try {
      return this.kept.read(name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  private write(session: Session, now: number): void {
    if (!session.isChanged) return;
    const { userId, projectId } = this.state.settings();
    const stats: CodeGenStats = {
      ...session.totals.summary(now),
      userId: session.userEmail ?? userId,
      ...(projectId !== undefined && { projectId }),
      repository: session.repository,
    };
    this.kept.write(session.name, [JSON.stringify(stats)]);
    session.isChanged = false;
  }
}
