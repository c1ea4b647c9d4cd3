import {
  type CountedChanges,
  countedChanges,
  type CountedRepository,
  type Database,
  lineSnapshotBelow,
  saveLineChanges,
  type StoredLineChange,
  type StoredLineSnapshot,
  streamLineChanges,
} from '@lineprint/persistence';
import {
  decodeLineChange,
  encodeLineChange,
  type LineChange,
  NO_CHANGE,
  RepositoryLines,
} from './repository-lines';

/** A commit, or a part of a baseline, in the order of its repository. */
export interface CommitToCount extends CountedRepository {
  /** Of two with one id the first counts. */
  readonly changeId: string;
  readonly change: LineChange;
  /** Milliseconds since 1970. */
  readonly committedAt: number;
  /** What the ids of all parts of its baseline begin with; undefined for a commit. */
  readonly baseline?: string;
}

/** A repository's lines in memory, and how far their newest snapshot is behind. */
interface LoadedRepository {
  readonly lines: RepositoryLines;
  snapshotBytes: number;
  bytesSince: number;
}

export interface RepositoryFrequencyLimits {
  /** Loaded repositories may take so much memory before the one not used for longest goes. */
  readonly maxBytes: number;
  /**
   * A snapshot is taken once the changes since the last one weigh as much as it does, and so much at least: all
   * snapshots together then weigh no more than the changes, and loading reads no more than twice what it needs.
   */
  readonly minSnapshotBytes: number;
}

const LIMITS: RepositoryFrequencyLimits = { maxBytes: 64 * 1024 * 1024, minSnapshotBytes: 256 * 1024 };

/**
 * Counts the lines of repositories, commit by commit. A commit's place in its repository is stored with what it
 * changed, so that one that comes again, after a crash or in a replay, meets the counts that it met the first
 * time (docs/decisions/0010-document-frequency.md).
 */
export class RepositoryFrequency {
  /** The one not used for longest first. */
  private readonly loaded = new Map<string, LoadedRepository>();

  constructor(
    private readonly database: Database,
    private readonly limits = LIMITS,
  ) {}

  /**
   * Shows each commit the lines of its repository before it, then counts it. When this resolves, what was
   * counted is stored.
   *
   * @param commits in log order; those of a baseline are only counted, and only into a repository without commits
   * @param observe called for each commit with its index; the lines change once it has resolved
   */
  async count(
    commits: readonly CommitToCount[],
    observe: (index: number, before: RepositoryLines) => Promise<void> | void,
  ): Promise<void> {
    const repositories = new Set(commits.map(keyOf));
    try {
      const ledger = new Ledger();
      for (const key of repositories) {
        const own = commits.filter((commit) => keyOf(commit) === key);
        const known = await countedChanges(
          this.database,
          own[0]!,
          own.map(({ changeId }) => changeId),
        );
        ledger.begin(key, known);
      }
      for (const [index, commit] of commits.entries()) {
        const position = ledger.positionOf(commit);
        if (position === undefined) continue;
        const repository = await this.loadedAt(commit, position.before, ledger);
        if (commit.baseline === undefined) await observe(index, repository.lines);
        this.apply(repository, commit, position, ledger);
      }
      await saveLineChanges(this.database, ledger.changes, ledger.snapshots);
    } catch (error) {
      // They may be ahead of what is stored.
      for (const key of repositories) this.loaded.delete(key);
      throw error;
    }
    this.evict();
  }

  private apply(
    repository: LoadedRepository,
    commit: CommitToCount,
    { before, isNew }: Position,
    ledger: Ledger,
  ): void {
    const position = before + 1;
    // What was committed before the baseline stands in it, whenever it is sent.
    const isInBaseline = commit.baseline === undefined && commit.committedAt <= repository.lines.baselineAt;
    const change = isInBaseline ? NO_CHANGE : commit.change;
    repository.lines.apply(change, position);
    if (!isNew) return;
    const { orgId, repository: name, generation, changeId } = commit;
    const place = { orgId, repository: name, generation, position };
    const packed = encodeLineChange(change);
    ledger.changes.push({ ...place, changeId, change: packed });
    repository.bytesSince += packed.length;
    if (repository.bytesSince < Math.max(this.limits.minSnapshotBytes, repository.snapshotBytes)) return;
    const snapshot = encodeLineChange(repository.lines.snapshot());
    ledger.snapshots.push({ ...place, change: snapshot });
    repository.snapshotBytes = snapshot.length;
    repository.bytesSince = 0;
  }

  /** The repository's lines after so many changes: from memory, or from the database and what is about to go there. */
  private async loadedAt(
    counted: CountedRepository,
    position: number,
    ledger: Ledger,
  ): Promise<LoadedRepository> {
    const key = keyOf(counted);
    let repository = this.loaded.get(key);
    if (!repository || repository.lines.position > position) repository = await this.load(counted, position);
    const { lines } = repository;
    for await (const stored of streamLineChanges(this.database, counted, lines.position, position)) {
      lines.apply(decodeLineChange(stored.change), stored.position);
      repository.bytesSince += stored.change.length;
    }
    for (const pending of ledger.changes) {
      if (keyOf(pending) !== key || pending.position <= lines.position || pending.position > position)
        continue;
      lines.apply(decodeLineChange(pending.change), pending.position);
    }
    this.loaded.delete(key);
    this.loaded.set(key, repository);
    return repository;
  }

  private async load(counted: CountedRepository, position: number): Promise<LoadedRepository> {
    const snapshot = await lineSnapshotBelow(this.database, counted, position);
    const lines = new RepositoryLines();
    if (snapshot) lines.apply(decodeLineChange(snapshot.change), snapshot.position);
    return { lines, snapshotBytes: snapshot?.change.length ?? 0, bytesSince: 0 };
  }

  private evict(): void {
    let bytes = 0;
    for (const { lines } of this.loaded.values()) bytes += lines.bytes;
    for (const [key, { lines }] of this.loaded) {
      if (bytes <= this.limits.maxBytes || this.loaded.size === 1) return;
      this.loaded.delete(key);
      bytes -= lines.bytes;
    }
  }
}

interface Position {
  /** Changes before it. */
  readonly before: number;
  readonly isNew: boolean;
}

/** Which place each commit of a batch has in its repository, and what is to be stored. */
class Ledger {
  readonly changes: StoredLineChange[] = [];
  readonly snapshots: StoredLineSnapshot[] = [];
  private readonly known = new Map<
    string,
    { last: number; firstId: string | null; lastId: string | null; positions: Map<string, number> }
  >();

  begin(key: string, { last, firstId, lastId, positions }: CountedChanges): void {
    this.known.set(key, { last, firstId, lastId, positions: new Map(positions) });
  }

  /** Undefined for what is not to be counted: a baseline that comes too late, or again. */
  positionOf(commit: CommitToCount): Position | undefined {
    const known = this.known.get(keyOf(commit))!;
    const position = known.positions.get(commit.changeId);
    if (commit.baseline !== undefined) {
      if (position !== undefined) return undefined;
      const isOwn = (id: string | null) => id === null || id.startsWith(commit.baseline!);
      if (!isOwn(known.firstId) || !isOwn(known.lastId)) return undefined;
    }
    if (position !== undefined) return { before: position - 1, isNew: false };
    known.positions.set(commit.changeId, ++known.last);
    known.firstId ??= commit.changeId;
    known.lastId = commit.changeId;
    return { before: known.last - 1, isNew: true };
  }
}

function keyOf({ orgId, repository, generation }: CountedRepository): string {
  return `${orgId}\0${repository}\0${generation}`;
}
