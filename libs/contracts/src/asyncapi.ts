import { z } from 'zod';
import { activityEventSchema } from './activity/activity';
import { attributionEventSchema } from './attributions/attribution';
import { candidatesEventSchema } from './candidates/candidates';
import { commitEventSchema } from './commits/commit';
import { refsEventSchema } from './refs/refs';
import { snippetEventSchema } from './snippets/snippet';
import { deadLetterTopic, GROUPS, REFS_EVENT, retentionOf, TOPICS } from './topics';

interface TopicDocument {
  readonly title: string;
  readonly summary: string;
  readonly key: string;
  readonly schema: z.ZodType;
  readonly sender: string;
  /** Consumer groups. */
  readonly receivers: readonly string[];
  /** Whether what refs name goes with them, in the order of the key. */
  readonly carriesRefs?: true;
}

const topics: Record<keyof typeof TOPICS, TopicDocument> = {
  snippets: {
    title: 'Snippet',
    summary: 'The fingerprint of a piece of AI code that somebody accepted.',
    key: 'tenant/project',
    schema: snippetEventSchema,
    sender: 'ingest',
    receivers: [GROUPS.indexer],
  },
  activity: {
    title: 'Session activity',
    summary: "A session's running totals; the newest of a session wins.",
    key: 'tenant/project',
    schema: activityEventSchema,
    sender: 'ingest',
    receivers: [GROUPS.rollupActivity],
  },
  commits: {
    title: 'Commit',
    summary: 'A commit with its changed files.',
    key: 'tenant/repository',
    schema: commitEventSchema,
    sender: 'ingest',
    receivers: [GROUPS.commitAnalyzer],
    carriesRefs: true,
  },
  candidates: {
    title: 'Candidates of a commit',
    summary: "A commit's added lines as keyed prints, and the snippets that may be their origin.",
    key: 'tenant/repository',
    schema: candidatesEventSchema,
    sender: 'commit-analyzer',
    receivers: [GROUPS.lineAttributor, GROUPS.ledger],
    carriesRefs: true,
  },
  attributions: {
    title: 'Attribution of a commit',
    summary: 'For each added line of a commit whether it is kept from AI, changed from AI, or human.',
    key: 'tenant/repository',
    schema: attributionEventSchema,
    sender: 'line-attributor',
    receivers: [GROUPS.rollupAttributions],
    carriesRefs: true,
  },
};

const text = { type: 'string' } as const;

/** CloudEvents 1.0 in Kafka's binary mode. A value over the broker's limit is replaced by `lp_claim`. */
const eventHeaders = {
  type: 'object',
  required: ['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time', 'lp_tenant', 'content-type'],
  properties: {
    ce_specversion: { type: 'string', const: '1.0' },
    ce_id: text,
    ce_type: { type: 'string', description: "The topic's name." },
    ce_source: { type: 'string', description: 'The service that sent it.' },
    ce_time: { type: 'string', format: 'date-time' },
    lp_tenant: { type: 'string', description: 'The organisation, from the credential.' },
    lp_accepted_at: {
      type: 'string',
      format: 'date-time',
      description: 'When ingest took what the event follows from; absent in events of ingest itself.',
    },
    'content-type': { type: 'string', const: 'application/json' },
    traceparent: { type: 'string', description: 'W3C trace context.' },
    lp_claim: { type: 'string', description: 'Where the value is stored, if it was too large to be sent.' },
    lp_claim_bytes: { type: 'string', description: 'The size of that value, in bytes.' },
    lp_redriven_from: { type: 'string', description: 'The dead letter that it was sent again from.' },
    lp_redriven_first_position: {
      type: 'string',
      description:
        'Partition and offset at which it first was in the topic, however often it was sent again.',
    },
    lp_redriven_attempts: {
      type: 'string',
      description: 'How often it had failed before it was sent again.',
    },
  },
} as const;

const deadLetterHeaders = {
  type: 'object',
  required: [
    'lp_dlq_topic',
    'lp_dlq_partition',
    'lp_dlq_offset',
    'lp_dlq_timestamp',
    'lp_dlq_group',
    'lp_dlq_service',
    'lp_dlq_step',
    'lp_dlq_code',
    'lp_dlq_message',
    'lp_dlq_attempts',
    'lp_dlq_first_failed_at',
    'lp_dlq_versions',
  ],
  properties: {
    lp_dlq_topic: { type: 'string', description: 'Where the record came from.' },
    lp_dlq_partition: text,
    lp_dlq_offset: text,
    lp_dlq_timestamp: { type: 'string', description: 'When the log had taken it, ISO 8601.' },
    lp_dlq_group: { type: 'string', description: 'The consumer group that gave it up.' },
    lp_dlq_service: { type: 'string', description: 'The service that gave it up.' },
    lp_dlq_step: {
      type: 'string',
      enum: ['decode', 'claim', 'process'],
      description: 'Its bytes could not be read, its payload is gone, or the service refused it.',
    },
    lp_dlq_code: { type: 'string', description: 'A stable code for the reason.' },
    lp_dlq_message: { type: 'string', description: 'The reason for people; never the value.' },
    lp_dlq_attempts: text,
    lp_dlq_first_failed_at: { type: 'string', description: 'ISO 8601.' },
    lp_dlq_versions: { type: 'string', description: 'Of the software that gave it up.' },
  },
} as const;

const ref = (path: string) => ({ $ref: `#/${path}` });

/**
 * AsyncAPI 3.0 document of every topic: address, key, headers, value and who sends and receives it, made from
 * the same schemas that check the values. Plain JSON; the same for the same schemas.
 */
export function asyncApiDocument(): Record<string, unknown> {
  const names = Object.keys(topics) as (keyof typeof TOPICS)[];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Lineprint topics',
      version: '1',
      description:
        'Delivery is at least once and in order for each key. Readers ignore fields that they do not know; a change that an old reader could not read gets a topic of the next version.',
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(names.flatMap(channels)),
    operations: Object.fromEntries(names.flatMap(operations)),
    components: {
      messages: {
        ...Object.fromEntries(
          names.map((name) => [name, message({ ...topics[name], name: TOPICS[name] })] as const),
        ),
        refs: message({
          name: REFS_EVENT,
          title: 'Refs of a repository',
          summary: `What a repository's branches name. Told from the topic's own events by \`ce_type\`, ${REFS_EVENT}.`,
          key: topics.commits.key,
          schema: refsEventSchema,
        }),
      },
      messageTraits: { event: { headers: eventHeaders }, deadLetter: { headers: deadLetterHeaders } },
    },
  };
}

function channels(name: keyof typeof TOPICS): [string, unknown][] {
  const address = TOPICS[name];
  const { summary } = topics[name];
  return [
    [
      name,
      {
        address,
        summary,
        messages: Object.fromEntries(messagesOf(name).map((one) => [one, ref(`components/messages/${one}`)])),
        bindings: topicBinding(address),
      },
    ],
    [
      `${name}DeadLetters`,
      {
        address: deadLetterTopic(address),
        summary: `What a consumer of ${address} gave up, with the same key and value and the reason in headers.`,
        // Anything may have been given up, values that are not even JSON included.
        messages: {
          deadLetter: { traits: [ref('components/messageTraits/deadLetter')], payload: {} },
        },
        bindings: topicBinding(deadLetterTopic(address)),
      },
    ],
  ];
}

function messagesOf(name: keyof typeof TOPICS): string[] {
  return topics[name].carriesRefs ? [name, 'refs'] : [name];
}

function topicBinding(topic: string) {
  const topicConfiguration = { 'cleanup.policy': ['delete'], 'retention.ms': retentionOf(topic) };
  return { kafka: { topicConfiguration, bindingVersion: '0.5.0' } };
}

function operations(name: keyof typeof TOPICS): [string, unknown][] {
  const { sender, receivers } = topics[name];
  const where = {
    channel: ref(`channels/${name}`),
    messages: messagesOf(name).map((one) => ref(`channels/${name}/messages/${one}`)),
  };
  return [
    [`${name}.send`, { action: 'send', ...where, tags: [{ name: sender }] }],
    ...receivers.map((group): [string, unknown] => [
      receivers.length === 1 ? `${name}.receive` : `${name}.receive.${group.split('.').at(-1)!}`,
      {
        action: 'receive',
        ...where,
        bindings: { kafka: { groupId: { type: 'string', const: group }, bindingVersion: '0.5.0' } },
      },
    ]),
  ];
}

function message({
  name,
  title,
  summary,
  key,
  schema,
}: Pick<TopicDocument, 'title' | 'summary' | 'key' | 'schema'> & { readonly name: string }) {
  // As a reader sees it: fields that it does not know are no fault.
  const { $schema: _, ...payload } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return {
    name,
    title,
    summary,
    traits: [ref('components/messageTraits/event')],
    bindings: { kafka: { key: { type: 'string', description: key }, bindingVersion: '0.5.0' } },
    payload,
  };
}
