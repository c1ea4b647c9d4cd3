import { Controller, Get, Inject } from '@nestjs/common';
import { activeLineKeys, TENANT_DATABASE, type Database } from '@lineprint/persistence';
import {
  type Config,
  CONFIG,
  CurrentPrincipal,
  HttpProblem,
  type Principal,
  Scopes,
} from '@lineprint/platform';
import { Tenancy } from '../tenancy/tenancy';

export interface Enrolment {
  readonly orgId: string;
  readonly keyId: string;
  /** The key of the organisation's line prints, base64. */
  readonly lineKey: string;
  /** Whether code that a client sends as well is kept: the organisation opted in, and there is a key to encrypt it. */
  readonly rawCode: boolean;
}

/** What a client, hook or CI job needs to make prints that match. */
@Controller('api/v1/enrolment')
export class EnrolmentController {
  constructor(
    @Inject(TENANT_DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly tenancy: Tenancy,
  ) {}

  @Get()
  @Scopes('ingest')
  async get(@CurrentPrincipal() principal: Principal): Promise<Enrolment> {
    const key = (await activeLineKeys(this.database, principal.orgId))[0];
    if (!key) {
      throw new HttpProblem(
        503,
        'line-key-missing',
        'Service Unavailable',
        'The organisation has no key for line prints yet. Run `lineprint admin init`.',
      );
    }
    return {
      orgId: principal.orgId,
      keyId: key.keyId,
      lineKey: Buffer.from(key.secret).toString('base64'),
      rawCode: this.config.rawCodeKeys !== undefined && (await this.tenancy.acceptsRawCode(principal.orgId)),
    };
  }
}
