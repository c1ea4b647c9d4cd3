export {
  openRepository,
  listCommits,
  listNewCommits,
  presentCommits,
  refTips,
  type Repository,
  type CommitRef,
} from './repository';
export type { GitLocation } from './git-process';
export {
  readCommits,
  MAX_CONTENT_BYTES,
  type CommitContent,
  type ReadCommit,
  type ReadOptions,
} from './read-commits';
export { readBaseline, type BaselinePart } from './baseline';
export {
  checkAgainstGit,
  sendHistory,
  type GitCheck,
  type HistoryOptions,
  type HistoryReport,
  type HistorySink,
} from './send-history';
export { branchName, commitId, defaultBranchName } from './branch-names';
export { isCountedBranch } from './counted-branch';
export { Mirror, mirrorPath, type MirrorOptions, type RemoteBranches } from './mirror';
export { remoteOf, type Remote, type RemotePolicy } from './remote';
export { hookLayout, type HookLayout } from './hook-layout';
export { LineRecords } from './line-records';
export { parseMailmap, readMailmap } from './mailmap';
export { listPushedCommits, type RangeOptions } from './shallow';
export { sendBaseline } from './send-baseline';
export { bareRepository, isStoredPath, readText, type TextRead } from './read-text';
export { MAX_TEXT_BYTES, type CommitMeta } from './commit-parser';
export { gitAddedLines, type AddedLines } from './added-lines';
export { exclusion, type ExclusionReason, type FileAttributes } from './exclusion';
export { contentExclusion } from './machine-content';
export {
  declaration,
  declarationPattern,
  defaultDeclarationPatterns,
  type DeclarationPattern,
} from './declaration';
