interface Commit {
  readonly sha: string;
  readonly parents: readonly string[];
}

/** Commits with every parent before its children, as far as the parents are among them. */
export function parentsFirst<C extends Commit>(commits: readonly C[]): C[] {
  const bySha = new Map(commits.map((commit) => [commit.sha, commit]));
  const waitsFor = new Map<string, number>();
  const children = new Map<string, C[]>();
  const ready: C[] = [];
  for (const commit of commits) {
    const parents = [...new Set(commit.parents)].filter((sha) => bySha.has(sha));
    waitsFor.set(commit.sha, parents.length);
    if (parents.length === 0) ready.push(commit);
    for (const parent of parents) {
      const known = children.get(parent);
      if (known) known.push(commit);
      else children.set(parent, [commit]);
    }
  }
  const inOrder: C[] = [];
  // The last one that became ready comes first: so a branch is followed to its end, and few trees are open at once.
  for (let commit = ready.pop(); commit; commit = ready.pop()) {
    inOrder.push(commit);
    for (const child of children.get(commit.sha) ?? []) {
      const left = waitsFor.get(child.sha)! - 1;
      waitsFor.set(child.sha, left);
      if (left === 0) ready.push(child);
    }
  }
  return inOrder;
}
