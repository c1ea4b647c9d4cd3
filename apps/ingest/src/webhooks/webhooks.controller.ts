import { createHash } from 'node:crypto';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { gitHosts } from '@lineprint/contracts';
import { isCountedBranch } from '@lineprint/git';
import {
  acceptDelivery,
  type ConnectedRepository,
  DATABASE,
  type Database,
  findConnectedRepository,
} from '@lineprint/persistence';
import {
  bodyTooComplex,
  type Config,
  CONFIG,
  HttpProblem,
  isJsonWithin,
  type Logger,
  LOGGER,
  Public,
  readSecret,
  type SignedRequest,
  SignedRequests,
} from '@lineprint/platform';
import { verifyDelivery } from './delivery';
import { type BranchChange, changesOf, isPushEvent } from './push';

export interface WebhookAnswer {
  /** `queued`: git is asked; `ignored`: nothing that counts has changed; `repeated`: it was here before. */
  readonly outcome: 'queued' | 'ignored' | 'repeated';
}

/** GitHub's own limit, the largest of the five. */
const BODY_LIMIT = 25 * 1024 * 1024;
const PATH = /^\/webhooks\/([a-z-]+)\/([0-9a-f]{32})$/;

/** Git hosts tell of pushes here. The host is that of the address, whatever the headers look like. */
@Controller('webhooks')
export class WebhooksController {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    signed: SignedRequests,
  ) {
    signed.register({
      path: '/webhooks',
      bodyLimit: BODY_LIMIT,
      admit: async (path) => void (await this.repositoryOf(path)),
    });
  }

  /** Takes a delivery whose signature is right; what it tells of is asked of git afterwards. */
  @Post(':host/:hookId')
  @HttpCode(202)
  @Public()
  @ApiParam({ name: 'host', enum: gitHosts, description: 'Which host sends.' })
  @ApiParam({ name: 'hookId', type: String, description: 'The id that connecting the repository gave.' })
  async post(@Req() request: SignedRequest): Promise<WebhookAnswer> {
    const { rawBody, headers, path } = request;
    const repository = await this.repositoryOf(path);
    const { id, event } = verifyDelivery(
      repository.host,
      headers,
      rawBody,
      this.secretsOf(repository),
      Date.now(),
    );
    if (!isPushEvent(repository.host, event)) return { outcome: 'ignored' };
    const fetch = isNews(repository, changesOf(repository.host, this.parse(rawBody)));
    const bodyHash = createHash('sha256').update(rawBody).digest();
    const isNew = await acceptDelivery(this.database, repository.hookId, { id, bodyHash, fetch });
    if (!isNew) return { outcome: 'repeated' };
    return { outcome: fetch ? 'queued' : 'ignored' };
  }

  /** @throws HttpProblem 413 `body-too-complex`, 400 `json-invalid` */
  private parse(bytes: Buffer): unknown {
    const { bodyValues } = this.config.http;
    if (!isJsonWithin(bytes, bodyValues)) throw bodyTooComplex(bodyValues);
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch {
      throw new HttpProblem(400, 'json-invalid', 'Bad Request', 'The body is not valid JSON.');
    }
  }

  /** @throws HttpProblem 404 `hook-unknown` */
  private async repositoryOf(path: string): Promise<ConnectedRepository> {
    const [, host, hookId] = PATH.exec(path) ?? [];
    const repository = hookId === undefined ? null : await findConnectedRepository(this.database, hookId);
    if (repository && repository.host === host) return repository;
    throw new HttpProblem(
      404,
      'hook-unknown',
      'Not Found',
      'No repository of this host is connected under this id: `lineprint repo list` shows the addresses.',
    );
  }

  /** @throws HttpProblem 503 `secret-missing` when the operator's files and variables have none */
  private secretsOf({ orgId, secret, previousSecret, previousUntil }: ConnectedRepository): string[] {
    const overlaps =
      previousSecret !== null && previousUntil !== null && previousUntil.getTime() > Date.now();
    const secrets = [secret, ...(overlaps ? [previousSecret] : [])].flatMap((reference) => {
      try {
        return [readSecret(reference, orgId, this.config)];
      } catch (error) {
        // Without the old one after a rotation the new one is still good.
        this.logger.error({ err: error }, 'the secret of a webhook cannot be read');
        return [];
      }
    });
    if (secrets.length > 0) return secrets;
    throw new HttpProblem(
      503,
      'secret-missing',
      'Service Unavailable',
      'The secret of this webhook cannot be read here; the service log says which.',
    );
  }
}

function isNews(
  { countedRefs, defaultBranch, seen, fetchedAt }: ConnectedRepository,
  changes: readonly BranchChange[] | undefined,
): boolean {
  // Before the first fetch nobody knows which branch is the default one.
  if (changes === undefined || fetchedAt === null) return true;
  return changes.some(
    ({ branch, after }) =>
      isCountedBranch(branch, countedRefs, defaultBranch) && (seen[branch] ?? null) !== after,
  );
}
