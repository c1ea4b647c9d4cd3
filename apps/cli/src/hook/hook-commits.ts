import { readFile, rename, writeFile } from 'node:fs/promises';
import { type CommitRef, listNewCommits, presentCommits, refTips, type Repository } from '@lineprint/git';
import type { HookEntry } from './hook-queue';

/** Remembered, so that a push does not send again what each commit's own hook sent. */
const MAX_SENT = 5_000;

/** The commits that entries tell of and the clone still has, parents before children, each once. */
export async function commitsOf(entries: readonly HookEntry[], repository: Repository): Promise<CommitRef[]> {
  const present = new Set(
    await presentCommits(
      repository,
      entries.map(({ sha }) => sha),
    ),
  );
  const lists: CommitRef[][] = [];
  for (const entry of entries) {
    // One that was amended long ago may be pruned.
    if (!present.has(entry.sha)) continue;
    lists.push(
      entry.kind === 'commit'
        ? await listNewCommits(repository, [entry.sha], [], { walk: false })
        : await pushedCommits(entry, repository),
    );
  }
  return parentsFirst(lists.flat());
}

/** What a remote has under other names is not new on it. */
async function pushedCommits(
  { sha, known, remote }: Extract<HookEntry, { kind: 'push' }>,
  repository: Repository,
): Promise<CommitRef[]> {
  return listNewCommits(
    repository,
    [sha],
    [known, ...(await refTips(repository, `refs/remotes/${remote}/`))],
  );
}

function parentsFirst(refs: readonly CommitRef[]): CommitRef[] {
  const waiting = new Map(refs.map((ref) => [ref.sha, ref]));
  const ordered: CommitRef[] = [];
  for (const first of waiting.values()) {
    const stack = [first];
    while (stack.length > 0) {
      const ref = stack.at(-1)!;
      const parent = ref.parents.find((sha) => waiting.has(sha) && sha !== ref.sha);
      if (parent !== undefined) {
        stack.push(waiting.get(parent)!);
        continue;
      }
      stack.pop();
      if (waiting.delete(ref.sha)) ordered.push(ref);
    }
  }
  return ordered;
}

/** Which commits a server has taken. */
export class SentCommits {
  private constructor(
    private readonly path: string,
    private readonly keyId: string,
    private readonly shas: Set<string>,
  ) {}

  /** @param keyId the organisation's line key: another installation has none of the commits */
  static async load(path: string, keyId: string): Promise<SentCommits> {
    const [of, ...shas] = (await readFile(path, 'utf8').catch(() => '')).split('\n');
    return new SentCommits(path, keyId, new Set(of === keyId ? shas : []));
  }

  has(sha: string): boolean {
    return this.shas.has(sha);
  }

  async add(shas: readonly string[]): Promise<void> {
    for (const sha of shas) this.shas.add(sha);
    await writeFile(`${this.path}.new`, [this.keyId, ...[...this.shas].slice(-MAX_SENT)].join('\n'));
    await rename(`${this.path}.new`, this.path);
  }
}
