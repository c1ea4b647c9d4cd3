import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import {
  connectBody,
  type ConnectedRepositoryAnswer,
  type ConnectedRepositoryListAnswer,
  type GitHost,
  rotateSecretBody,
} from '@lineprint/contracts';
import { remoteOf } from '@lineprint/git';
import {
  connectRepository,
  type ConnectedRepository,
  TENANT_DATABASE,
  type Database,
  disconnectRepository,
  findConnectedRepository,
  listConnectedRepositories,
  requestFetch,
  rotateHookSecret,
} from '@lineprint/persistence';
import {
  actorOf,
  type Config,
  CONFIG,
  CurrentPrincipal,
  HttpProblem,
  LineprintError,
  type Principal,
  readSecret,
  Scopes,
  secretFile,
} from '@lineprint/platform';
import { batchAnswer, ItemRefused, parseItem, sortItems } from '../batch/batch';
import { MirrorSender } from '../mirrors/mirror-sender';
import { Tenancy } from '../tenancy/tenancy';
import { MIN_SECRET_LENGTH } from '../webhooks/delivery';

const HOUR_MS = 3_600_000;

const ApiHookId = () =>
  ApiParam({ name: 'hookId', type: String, description: 'The id of a connected repository.' });

/** Repositories that Lineprint fetches itself. Here, because the secrets and the allowed hosts are ingest's. */
@Controller('api/v1/connected-repositories')
export class RepositoriesController {
  constructor(
    @Inject(TENANT_DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly tenancy: Tenancy,
    private readonly mirrors: MirrorSender,
  ) {}

  @Get()
  @Scopes('admin')
  async list(@CurrentPrincipal() { orgId }: Principal): Promise<ConnectedRepositoryListAnswer> {
    return { repositories: (await listConnectedRepositories(this.database, orgId)).map(answerOf) };
  }

  @Get(':hookId')
  @Scopes('admin')
  @ApiHookId()
  async one(
    @CurrentPrincipal() principal: Principal,
    @Param('hookId') hookId: string,
  ): Promise<ConnectedRepositoryAnswer> {
    return answerOf(await this.find(principal, hookId));
  }

  @Post()
  @Scopes('admin')
  async connect(
    @CurrentPrincipal() principal: Principal,
    @Body() body: unknown,
  ): Promise<ConnectedRepositoryAnswer> {
    return answerOf(await oneItem(body, (item) => this.connectItem(item, principal)));
  }

  @Post(':hookId/rotate-secret')
  @HttpCode(200)
  @Scopes('admin')
  @ApiHookId()
  async rotateSecret(
    @CurrentPrincipal() principal: Principal,
    @Param('hookId') hookId: string,
    @Body() body: unknown,
  ): Promise<ConnectedRepositoryAnswer> {
    const { orgId } = principal;
    const { host } = await this.find(principal, hookId);
    const { secret, overlapHours } = await oneItem(body, (item) => {
      const wanted = parseItem(rotateSecretBody, item);
      this.checkSecret(wanted.secret, orgId, host);
      return Promise.resolve(wanted);
    });
    const rotated = await rotateHookSecret(this.database, orgId, hookId, secret, overlapHours * HOUR_MS);
    return rotated ? answerOf(rotated) : unknownRepository(hookId);
  }

  /** Looks at it now. */
  @Post(':hookId/fetch')
  @HttpCode(202)
  @Scopes('admin')
  @ApiHookId()
  async fetch(
    @CurrentPrincipal() principal: Principal,
    @Param('hookId') hookId: string,
  ): Promise<ConnectedRepositoryAnswer> {
    await this.find(principal, hookId);
    await requestFetch(this.database, hookId);
    return answerOf(await this.find(principal, hookId));
  }

  /** Forgets it. Results stay. */
  @Delete(':hookId')
  @Scopes('admin')
  @ApiHookId()
  async disconnect(
    @CurrentPrincipal() principal: Principal,
    @Param('hookId') hookId: string,
  ): Promise<ConnectedRepositoryAnswer> {
    const found = await this.find(principal, hookId);
    await disconnectRepository(this.database, principal.orgId, hookId);
    await this.mirrors.remove(hookId);
    return answerOf(found);
  }

  private async connectItem(item: unknown, principal: Principal): Promise<ConnectedRepository> {
    const { orgId } = principal;
    const { host, cloneUrl, credential, secret, repository, project, branches, history } = parseItem(
      connectBody,
      item,
    );
    const { url, protocol } = remoteOf(cloneUrl, this.config.git);
    this.checkSecret(secret, orgId, host);
    if (credential !== undefined) {
      readSecret(credential, orgId, this.config);
      if (protocol === 'ssh' && secretFile(credential, orgId, this.config) === undefined) {
        throw new ItemRefused('credential-no-file', 'SSH takes its private key from a file: `file:PATH`.');
      }
    }
    await this.tenancy.check(principal, { projectId: project });
    return connectRepository(this.database, {
      orgId,
      repository: repository ?? nameOf(url),
      projectId: project ?? null,
      host,
      cloneUrl: url,
      credential: credential ?? null,
      secret,
      countedRefs: branches,
      history,
      createdBy: actorOf(principal),
    });
  }

  private checkSecret(reference: string, orgId: string, host: GitHost): void {
    if (readSecret(reference, orgId, this.config).length >= MIN_SECRET_LENGTH) return;
    throw new ItemRefused(
      'secret-weak',
      `The secret with which ${host} signs must have at least ${MIN_SECRET_LENGTH} characters.`,
    );
  }

  /** @throws HttpProblem 404 `repository-unknown` */
  private async find({ orgId }: Principal, hookId: string): Promise<ConnectedRepository> {
    const found = await findConnectedRepository(this.database, hookId);
    return found?.orgId === orgId ? found : unknownRepository(hookId);
  }
}

/** The one item of a body. @throws HttpProblem for an item that is refused */
async function oneItem<T>(body: unknown, take: (item: unknown) => Promise<T>): Promise<T> {
  const { taken, rejected } = await sortItems([body], async (item) => {
    try {
      return await take(item);
    } catch (error) {
      if (!(error instanceof LineprintError) || error.transient) throw error;
      throw new ItemRefused(error.code, `${error.message}.`);
    }
  });
  batchAnswer(taken.length, rejected);
  return taken[0]!;
}

function unknownRepository(hookId: string): never {
  throw new HttpProblem(
    404,
    'repository-unknown',
    'Not Found',
    `This organisation has no connected repository ${hookId}. GET /api/v1/connected-repositories lists those it has.`,
  );
}

function nameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split('/').at(-1)!).replace(/\.git$/, '');
}

function answerOf(repository: ConnectedRepository): ConnectedRepositoryAnswer {
  const { hookId, host, error, fetchedAt } = repository;
  return {
    hookId,
    webhookPath: `/webhooks/${host}/${hookId}`,
    repository: repository.repository,
    project: repository.projectId ?? repository.repository,
    host,
    cloneUrl: repository.cloneUrl,
    credential: repository.credential,
    secret: repository.secret,
    previousSecretUntil: repository.previousUntil?.toISOString() ?? null,
    branches: [...repository.countedRefs],
    history: repository.history,
    defaultBranch: repository.defaultBranch,
    seen: repository.seen,
    status: error ? 'failing' : fetchedAt ? 'connected' : 'waiting',
    error,
    failures: repository.failures,
    fetchedAt: fetchedAt?.toISOString() ?? null,
    dueAt: repository.dueAt.toISOString(),
    createdAt: repository.createdAt.toISOString(),
  };
}
