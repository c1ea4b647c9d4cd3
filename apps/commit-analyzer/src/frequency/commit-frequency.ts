import type { ChangedFile } from '@lineprint/attribution';
import type { CommitEvent } from '@lineprint/contracts';
import { LINE_PRINT_VERSION, type LineKey, pathKey } from '@lineprint/fingerprint';
import type { Database } from '@lineprint/persistence';
import type { AnalysedFile } from '../analysis/file-analysis';
import { countOccurrences, type LineFrequency, type Occurrences } from './occurrences';
import { OrganisationFrequency, type OrganisationFrequencyLimits } from './organisation-frequency';
import { type CommitToCount, RepositoryFrequency } from './repository-frequency';
import { lineChange, type RepositoryLines } from './repository-lines';

/** A commit whose lines are to be counted, and to be told how frequent they are. */
export interface ReadCommit {
  readonly commit: CommitEvent;
  /** Offsets below which its snippets are stored: its horizon, or less where it could not wait for all of them. */
  readonly seen: readonly number[];
  readonly key: LineKey;
  readonly files: readonly AnalysedFile[];
  /** All lines that each of the files loses and gets. */
  readonly changes: readonly ChangedFile[];
}

export interface FileSurroundings extends Occurrences {
  readonly previousCommitAt?: number;
}

/** What the `candidates` event says of a commit's surroundings. */
export interface Surroundings {
  readonly repositoryLines: number;
  /** By index of the file. */
  readonly files: readonly FileSurroundings[];
}

/** Tells how frequent a commit's lines are elsewhere: in its repository before it, and in snippets below its horizon. */
export class CommitFrequency {
  private readonly repositories: RepositoryFrequency;
  private readonly organisations: OrganisationFrequency;

  constructor(database: Database, organisationLimits?: OrganisationFrequencyLimits) {
    this.repositories = new RepositoryFrequency(database);
    this.organisations = new OrganisationFrequency(database, organisationLimits);
  }

  /**
   * @param commits in log order, baselines among them; their lines are counted and stored when this resolves
   * @returns the surroundings of each commit that is no baseline
   */
  async count<C extends ReadCommit>(commits: readonly C[]): Promise<Map<C, Surroundings>> {
    const surroundings = new Map<C, Surroundings>();
    await this.repositories.count(commits.map(toCount), async (index, before) => {
      const commit = commits[index]!;
      surroundings.set(commit, await this.surroundings(commit, before));
    });
    return surroundings;
  }

  private async surroundings(read: ReadCommit, repository: RepositoryLines): Promise<Surroundings> {
    const { commit, key, files, seen } = read;
    const { tenant, committedAt, firstHorizon } = commit;
    const first = firstHorizon?.map((end, partition) => Math.min(end, seen[partition] ?? 0)) ?? seen;
    const organisation = await this.organisations.at(tenant, key.keyId, first, committedAt, seen);
    const both: LineFrequency = {
      exact: (h1) => repository.exact(h1) + organisation.exact(h1),
      abstract: (h2) => repository.abstract(h2) + organisation.abstract(h2),
    };
    const occurrences = countOccurrences(files, both);
    return {
      repositoryLines: repository.total,
      files: files.map(({ candidateFile }, index) => {
        // By the authors' times: a rebase makes all commits of a branch anew, minutes after all that was accepted for them.
        const previousCommitAt = repository.lastTouched(candidateFile.pathKeys, commit.authoredAt);
        return {
          ...occurrences[index]!,
          ...(previousCommitAt === undefined ? {} : { previousCommitAt }),
        };
      }),
    };
  }
}

function toCount({ commit, key, changes }: ReadCommit): CommitToCount {
  const { tenant, repository, sha, baseline, committedAt, authoredAt } = commit;
  const paths = (file: ChangedFile) => [file.path, ...(file.oldPath === undefined ? [] : [file.oldPath])];
  const files = changes.map((file) => ({
    hunks: file.hunks,
    // When a file of the baseline was last touched is not known.
    pathKeys: baseline ? [] : paths(file).map((path) => pathKey(path, key)),
  }));
  return {
    orgId: tenant,
    repository,
    generation: `${key.keyId}.${LINE_PRINT_VERSION}`,
    changeId: baseline ? `${sha}+${baseline.part}` : sha,
    change: { ...lineChange(files, authoredAt), baselineAt: baseline ? committedAt : 0 },
    committedAt,
    ...(baseline ? { baseline: `${sha}+` } : {}),
  };
}
