/** Whether a branch is one of those that count: the default branch where there are no patterns. */
export function isCountedBranch(
  branch: string,
  patterns: readonly string[],
  defaultBranch: string | null,
): boolean {
  if (patterns.length === 0) return branch === defaultBranch;
  return patterns.some((pattern) => {
    const [before, after] = pattern.split('*');
    if (after === undefined) return branch === before;
    return (
      branch.length >= before!.length + after.length && branch.startsWith(before!) && branch.endsWith(after)
    );
  });
}
