import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { TENANT_DATABASE, type Database, isRepositoryCounted } from '@lineprint/persistence';
import { CurrentPrincipal, HttpProblem, type Principal, Scopes } from '@lineprint/platform';

export interface BaselineAnswer {
  /** Nothing of the repository is known: send the files that stand before the first commit. */
  readonly wanted: boolean;
}

/** Whether a pusher should send what stands in a repository before its first commit. */
@Controller('api/v1/baselines')
export class BaselinesController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('ingest')
  @ApiQuery({
    name: 'repository',
    type: String,
    description: 'Name of the repository, as its commits give it.',
  })
  async get(
    @Query('repository') repository: unknown,
    @CurrentPrincipal() principal: Principal,
  ): Promise<BaselineAnswer> {
    if (typeof repository !== 'string' || repository === '') {
      throw new HttpProblem(
        400,
        'parameter-invalid',
        'Bad Request',
        'Name the repository: `?repository=`, as the commits will.',
      );
    }
    return { wanted: !(await isRepositoryCounted(this.database, principal.orgId, repository)) };
  }
}
