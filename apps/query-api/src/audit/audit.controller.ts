import { Controller, Get, Inject, Query } from '@nestjs/common';
import { type Database, TENANT_DATABASE } from '@lineprint/persistence';
import { CurrentPrincipal, type Principal, Scopes } from '@lineprint/platform';
import { z } from 'zod';
import { AnswersCsv, type Table } from '../csv';
import { Cursor } from '../cursor';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { auditEntries } from './audit.queries';
import { type AuditAnswer, auditAnswer, auditParameters } from './audit.schema';

const entryCursor = new Cursor(z.object({ at: z.string(), kind: z.string(), id: z.int() }));

/** Who changed what, and who read code. */
@Controller('api/v1/audit')
export class AuditController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('audit')
  @AnswersCsv(tableOfEntries)
  @DescribesAnswer('Who did what, the newest first', auditAnswer, auditParameters, {
    scope: 'audit',
    csv: true,
  })
  async list(
    @CurrentPrincipal() { orgId }: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<AuditAnswer> {
    const { after, limit, actor, action, from, to } = parseParameters(auditParameters, query);
    const rows = await auditEntries(this.database, orgId, {
      actor: actor ?? null,
      action: action ?? null,
      from: from ?? null,
      to: to ?? null,
      after: after === undefined ? null : entryCursor.decode(after),
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      entries: page.map((row) => ({
        at: row.at.toISOString(),
        actor: row.actor,
        action: row.action,
        target: row.target,
        before: row.before,
        after: row.after,
      })),
      next: last ? entryCursor.encode({ at: last.key, kind: last.kind, id: last.id }) : null,
    };
  }
}

function tableOfEntries({ entries }: AuditAnswer): Table {
  return {
    columns: ['at', 'actor', 'action', 'target', 'before', 'after'],
    rows: entries.map(({ at, actor, action, target, before, after }) => [
      at,
      actor,
      action,
      target,
      before && JSON.stringify(before),
      after && JSON.stringify(after),
    ]),
  };
}
