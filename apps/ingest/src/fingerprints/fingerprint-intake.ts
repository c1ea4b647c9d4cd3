import { Inject, Injectable } from '@nestjs/common';
import {
  type CodeFingerprint,
  codeFingerprintSchema,
  encodeWords,
  projectKey,
  type SnippetEvent,
  TOPICS,
} from '@lineprint/contracts';
import { EVENT_LOG, type EventLog, newEvent } from '@lineprint/event-log';
import { LinePrintFormatError, linePrintsFromBase64 } from '@lineprint/fingerprint';
import { type Config, CONFIG, type Principal } from '@lineprint/platform';
import { ItemRefused, parseItem } from '../batch/batch';
import { projectOf, Tenancy } from '../tenancy/tenancy';

/** A client's clock may run this far ahead; more would open partitions for months that are not there yet. */
const MAX_AHEAD_MS = 86_400_000;

/** Turns clients' fingerprints into snippet events. */
@Injectable()
export class FingerprintIntake {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(CONFIG) private readonly config: Config,
    private readonly tenancy: Tenancy,
  ) {}

  /** @throws ItemRefused when the item is not a fingerprint this principal may send. */
  async accept(item: unknown, principal: Principal, now: number): Promise<SnippetEvent> {
    const fingerprint = parseItem(codeFingerprintSchema, item);
    if (fingerprint.timestamp > now + MAX_AHEAD_MS) {
      throw new ItemRefused(
        'timestamp-in-future',
        '`timestamp` is more than a day ahead of the server’s clock. Send milliseconds since 1970 in UTC.',
      );
    }
    if (fingerprint.linePrints !== undefined) checkLinePrints(fingerprint.linePrints);
    await this.tenancy.check(principal, fingerprint);
    return this.toEvent(fingerprint, principal);
  }

  /** Resolves once the log has the events. */
  async publish(events: readonly SnippetEvent[], traceparent?: string): Promise<void> {
    await this.log.append(
      events.map((event) =>
        newEvent({
          topic: TOPICS.snippets,
          key: projectKey(event.tenant, event.projectId),
          tenant: event.tenant,
          source: 'ingest',
          value: event,
          traceparent,
        }),
      ),
    );
  }

  private async toEvent(fingerprint: CodeFingerprint, principal: Principal): Promise<SnippetEvent> {
    const { rawCode, signature, lshBuckets, orgId: _claimed, ...rest } = fingerprint;
    const keys = this.config.rawCodeKeys;
    const keepCode =
      rawCode !== undefined && keys !== undefined && (await this.tenancy.acceptsRawCode(principal.orgId));
    return {
      ...rest,
      tenant: principal.orgId,
      projectId: projectOf(fingerprint),
      signature: encodeWords(signature),
      lshBuckets: encodeWords(lshBuckets),
      protocol: fingerprint.protocol ?? 1,
      ...(keepCode ? { rawCodeEncrypted: keys.encrypt(rawCode) } : {}),
    };
  }
}

/** Here the client still learns of it; behind the log there would be a dead letter that it never sees. */
function checkLinePrints(linePrints: string): void {
  try {
    linePrintsFromBase64(linePrints);
  } catch (error) {
    if (!(error instanceof LinePrintFormatError)) throw error;
    const ofVersion = error.code === 'line_prints_version';
    throw new ItemRefused(
      ofVersion ? 'line-prints-version' : 'line-prints-invalid',
      `\`linePrints\`: ${error.message}.${ofVersion ? ' Use a client of the server’s release.' : ''}`,
    );
  }
}
