import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { type MailmapAnswer, mailmapPushSchema } from '@lineprint/contracts';
import { parseMailmap } from '@lineprint/git';
import { TENANT_DATABASE, type Database, storeMailmap } from '@lineprint/persistence';
import { CurrentPrincipal, HttpProblem, type Principal, Scopes } from '@lineprint/platform';
import { batchAnswer, parseItem, sortItems } from '../batch/batch';

@Controller('api/v1/identities/mailmap')
export class MailmapController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  /** Takes a repository's .mailmap in place of the one before; from then on its addresses are the people it names. */
  @Post()
  @HttpCode(200)
  @Scopes('ingest')
  async post(
    @CurrentPrincipal() { orgId, userId }: Principal,
    @Body() body: unknown,
  ): Promise<MailmapAnswer> {
    // Whoever says whose an address is may see what came from it.
    if (userId !== null) {
      throw new HttpProblem(
        403,
        'person-forbidden',
        'A personal key',
        'A personal key does not say which addresses are whose. Use a key of the organisation.',
      );
    }
    const { taken, rejected } = await sortItems([body], (item) =>
      Promise.resolve(parseItem(mailmapPushSchema, item)),
    );
    batchAnswer(taken.length, rejected);
    const { repository, content } = taken[0]!;
    const entries = parseMailmap(content);
    const conflicts = await storeMailmap(this.database, orgId, repository, entries);
    return { repository, entries: entries.length, conflicts };
  }
}
