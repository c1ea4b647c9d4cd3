import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import {
  bareRepository,
  type GitLocation,
  mirrorPath,
  openRepository,
  readText,
  type TextRead,
} from '@lineprint/git';
import { TENANT_DATABASE, type Database } from '@lineprint/persistence';
import { type Config, CONFIG } from '@lineprint/platform';

const LIMITS = { maxBytes: 5 * 1024 * 1024, timeoutMs: 10_000 };

/** Reads files where git has them: in the mirror of a connected repository, or in one on this machine. Stores nothing. */
@Injectable()
export class RepositoryText {
  constructor(
    @Inject(TENANT_DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The text of a file at a commit, or why there is none: `repository` where no place is known to look for it. */
  async read(
    place: { readonly orgId: string; readonly repository: string },
    file: { readonly sha: string; readonly path: string },
  ): Promise<TextRead | { readonly kind: 'repository' }> {
    let answer: Awaited<ReturnType<RepositoryText['read']>> = { kind: 'repository' };
    for (const location of [await this.mirrorOf(place), await this.localOf(place)]) {
      if (!location) continue;
      answer = await readText(location, file, LIMITS);
      if (answer.kind !== 'missing') return answer;
    }
    return answer;
  }

  private async mirrorOf({ orgId, repository }: { orgId: string; repository: string }) {
    const [connected] = await this.database.query<{ hook_id: string }>(
      'SELECT hook_id FROM connected_repositories WHERE org_id = $1 AND repository = $2',
      [orgId, repository],
    );
    if (!connected) return undefined;
    const path = mirrorPath(this.config.git.mirrorDirectory, connected.hook_id);
    return (await isDirectory(path)) ? bareRepository(path) : undefined;
  }

  /** Those of the settings are the first start's organisation's: others must not read what lies beside their server. */
  private async localOf(place: { orgId: string; repository: string }): Promise<GitLocation | undefined> {
    const { git, bootstrap } = this.config;
    const path = new Map(Object.entries(git.localRepositories)).get(place.repository);
    if (place.orgId !== bootstrap.orgId || path === undefined) return undefined;
    return openRepository(resolve(path)).catch(() => undefined);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
