import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  type DeadLetterAccess,
  type DecidedLetters,
  DeadLetterQueue,
  type ListedDeadLetter,
  OPEN_EVENT_LOG,
  type OpenEventLog,
} from '@lineprint/event-log';
import { DATABASE, type Database } from '@lineprint/persistence';
import {
  type Config,
  CONFIG,
  CurrentPrincipal,
  HttpProblem,
  Scopes,
  type Principal,
} from '@lineprint/platform';
import { z } from 'zod';
import { Cursor } from '../cursor';
import { DescribesAnswer } from '../openapi/describe';
import { parseBody, parseParameters } from '../parameters';
import {
  type DeadLetter,
  deadLetterAnswer,
  type DeadLetterAnswer,
  deadLetterListAnswer,
  type DeadLetterListAnswer,
  deadLetterListParameters,
  deadLetterPath,
  deadLetterSelection,
  decidedLettersAnswer,
  type DecidedLettersAnswer,
} from './dead-letters.schema';

const NO_PARAMETERS = z.object({});
const positionCursor = new Cursor(
  z.object({ topic: z.string(), partition: z.int().min(0), offset: z.int().min(0) }),
);
const SELECTION = {
  scope: 'admin',
  body: { schema: deadLetterSelection, example: { filter: { code: 'event-invalid' }, dryRun: true } },
} as const;

/** What consumers could not process, for administrators: the organisation's own records only. */
@Controller('api/v1/dead-letters')
export class DeadLettersController {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(OPEN_EVENT_LOG) private readonly openLog: OpenEventLog,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @Scopes('admin')
  @DescribesAnswer(
    'Records that could not be processed, by topic and position',
    deadLetterListAnswer,
    deadLetterListParameters,
    { scope: 'admin' },
  )
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<DeadLetterListAnswer> {
    const { after, state, ...filter } = parseParameters(deadLetterListParameters, query);
    const { letters, next } = await (
      await this.queue()
    ).list(this.access(principal), {
      ...filter,
      state: state === 'all' ? undefined : state,
      after: after === undefined ? undefined : positionCursor.decode(after),
    });
    return { deadLetters: letters.map(deadLetterFields), next: next && positionCursor.encode(next) };
  }

  @Get(':topic/:partition/:offset')
  @Scopes('admin')
  @DescribesAnswer('A dead letter and its headers; never its value', deadLetterAnswer, NO_PARAMETERS, {
    scope: 'admin',
    path: deadLetterPath,
  })
  async show(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
  ): Promise<DeadLetterAnswer> {
    const position = parseParameters(z.object(deadLetterPath), path);
    const found = await (await this.queue()).find(this.access(principal), position);
    if (found) {
      const { headers, sha256, fields } = found;
      return { ...deadLetterFields(found), headers, sha256, fields: fields && [...fields] };
    }
    throw new HttpProblem(
      404,
      'dead-letter-unknown',
      'No such dead letter',
      'The topic holds none there, its retention has taken it, or it is another organisation’s. GET /api/v1/dead-letters?state=all lists those there are.',
    );
  }

  @Post('redrive')
  @HttpCode(200)
  @Scopes('admin')
  @DescribesAnswer(
    'Send open dead letters to the topic they failed in, each once, in the order of each key',
    decidedLettersAnswer,
    NO_PARAMETERS,
    SELECTION,
  )
  async redrive(
    @CurrentPrincipal() principal: Principal,
    @Body() body: unknown,
  ): Promise<DecidedLettersAnswer> {
    const { dryRun, selection } = selectionOf(body);
    const queue = await this.queue();
    const options = { by: principal.userId, dryRun };
    return decidedFields(await queue.redrive(this.access(principal), selection, options), dryRun);
  }

  @Post('drop')
  @HttpCode(200)
  @Scopes('admin')
  @DescribesAnswer(
    'Close open dead letters for good, without processing them',
    decidedLettersAnswer,
    NO_PARAMETERS,
    SELECTION,
  )
  async drop(@CurrentPrincipal() principal: Principal, @Body() body: unknown): Promise<DecidedLettersAnswer> {
    const { dryRun, selection } = selectionOf(body);
    const queue = await this.queue();
    const options = { by: principal.userId, dryRun };
    return decidedFields(await queue.drop(this.access(principal), selection, options), dryRun);
  }

  private async queue(): Promise<DeadLetterQueue> {
    return new DeadLetterQueue(await this.openLog(), this.database);
  }

  /** Whoever set the installation up answers for what names no organisation, such as another producer's records. */
  private access({ orgId }: Principal): DeadLetterAccess {
    return { orgId, operator: orgId === this.config.bootstrap.orgId };
  }
}

function selectionOf(body: unknown) {
  const { dryRun, ids, filter = {} } = parseBody(deadLetterSelection, body);
  return { dryRun, selection: ids ? { ids } : { filter } };
}

function deadLetterFields(letter: ListedDeadLetter): DeadLetter {
  const { id, state, decidedAt, decidedBy, topic, partition, offset, key, eventId, group } = letter;
  const { step, code, message, attempts, deadLetteredAt, bytes } = letter;
  return {
    id,
    state,
    decidedAt: decidedAt?.toISOString() ?? null,
    decidedBy,
    topic,
    partition,
    offset,
    key,
    eventId,
    group,
    step,
    code,
    message,
    attempts,
    deadLetteredAt: deadLetteredAt.toISOString(),
    bytes,
  };
}

function decidedFields(decided: DecidedLetters, dryRun: boolean): DecidedLettersAnswer {
  const { letters, remaining, unchanged, unknown } = decided;
  return { letters: [...letters], remaining, unchanged: [...unchanged], unknown: [...unknown], dryRun };
}
