import { Readable } from 'node:stream';
import { Controller, Get, Inject, Query, StreamableFile } from '@nestjs/common';
import { TENANT_DATABASE, type TenantDatabase } from '@lineprint/persistence';
import { CurrentPrincipal, Scopes, type Principal } from '@lineprint/platform';
import { z } from 'zod';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { loadTenantView, policyParameter } from '../tenant-view';
import { exportLines } from './export.lines';

const exportParameters = z.object({
  repository: z
    .string()
    .min(1, 'must not be empty')
    .optional()
    .meta({ description: 'Only this repository, without daily rows.' }),
  policy: policyParameter,
  ledger: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Also what stands at the tips of branches, and the lives of lines.' }),
});

const exportedLine = z
  .looseObject({ type: z.enum(['commit', 'daily', 'branch', 'head', 'life', 'end']) })
  .meta({ description: 'One a line. The last one is of type end; without it the export was cut off.' });

@Controller('api/v1/export')
export class ExportController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: TenantDatabase) {}

  @Get()
  @Scopes('read')
  @DescribesAnswer(
    'All results as NDJSON, byte for byte the same for the same input',
    exportedLine,
    exportParameters,
    { mediaType: 'application/x-ndjson' },
  )
  async export(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<StreamableFile> {
    const { repository, policy, ledger } = parseParameters(exportParameters, query);
    const view = await loadTenantView(this.database, principal, policy);
    const lines = exportLines(this.database.of(view.orgId), view, repository ?? null, ledger === 'true');
    return new StreamableFile(Readable.from(lines), { type: 'application/x-ndjson; charset=utf-8' });
  }
}
