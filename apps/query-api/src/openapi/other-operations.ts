import type { OpenAPIObject } from '@nestjs/swagger';
import {
  BAND_COUNT,
  type BatchAnswer,
  batchAnswerSchema,
  type CodeFingerprint,
  codeFingerprintSchema,
  type CodeGenStats,
  codeGenStatsSchema,
  type CommitPush,
  commitPushSchema,
  SIGNATURE_LENGTH,
} from '@lineprint/contracts';
import { z } from 'zod';
import { openApiSchema, PROBLEM, REFUSED } from './describe';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Description = Pick<Operation, 'summary' | 'security' | 'responses'> &
  Partial<Pick<Operation, 'description' | 'requestBody'>>;

const words = (length: number) => Array.from({ length }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);

const fingerprint: CodeFingerprint = {
  codeId: 'session-7-1-0',
  sessionId: 'session-7',
  userId: 'mara@harbour.example',
  repository: 'harbour/desk',
  source: 'agent',
  signature: words(SIGNATURE_LENGTH),
  lshBuckets: words(BAND_COUNT),
  language: 'typescript',
  fileExtension: 'ts',
  timestamp: 1_780_311_600_000,
  lineCount: 1,
  charCount: 25,
  structureHash: '362d8c1e27ef6ea5',
};

const commit: CommitPush = {
  repository: 'harbour/desk',
  sha: '5b0f6a1c4d0e2f7a9b8c3d6e1f204a5b6c7d8e9f',
  parents: ['0a1b2c3d4e5f60718293a4b5c6d7e8f901234567'],
  authorName: 'Mara Lind',
  authorEmail: 'mara@harbour.example',
  committerName: 'Mara Lind',
  committerEmail: 'mara@harbour.example',
  authoredAt: 1_780_315_140_000,
  committedAt: 1_780_315_200_000,
  files: [
    {
      path: 'src/berth.ts',
      status: 'modified',
      binary: false,
      addedLines: 1,
      deletedLines: 1,
      content: 'const SAFETY_METRES = 12;\n',
      hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, removed: ['const MARGIN = 12;'] }],
    },
  ],
};

const session: CodeGenStats = {
  sessionId: 'session-7',
  userId: 'mara@harbour.example',
  repository: 'harbour/desk',
  timestamp: 1_780_315_200_000,
  agent: { tasks: 1, additions: 120, deletions: 17, fingerprints: [fingerprint.codeId] },
};

const taken: BatchAnswer = {
  accepted: 1,
  rejected: [{ index: 1, code: 'signature-invalid', detail: '`signature` must hold 128 unsigned integers.' }],
};

function takes(schema: z.ZodType, example: unknown): Operation['requestBody'] {
  return {
    required: true,
    content: { 'application/json': { schema: openApiSchema(schema, 'input'), example } },
  };
}

function answers(description: string, schema: z.ZodType, example?: unknown): Operation['responses'][string] {
  const described = { schema: openApiSchema(schema, 'output'), ...(example !== undefined && { example }) };
  return { description, content: { 'application/json': described } };
}

const unavailable = { description: 'Try again later', content: PROBLEM };
const batchResponses: Operation['responses'] = {
  202: answers('What was taken, and why the rest was not', batchAnswerSchema, taken),
  '4XX': REFUSED,
  503: unavailable,
};
const itemResponses: Operation['responses'] = {
  200: answers('It was taken', z.literal(true), true),
  '4XX': REFUSED,
  503: unavailable,
};
const batchDescription =
  'Scope `ingest`. Good items are taken whatever the others are; sending an item again changes nothing. Where ' +
  'none is good, the problem lists them in `rejected`.';

const health = z.object({ status: z.enum(['ok', 'unavailable']), checks: z.record(z.string(), z.string()) });
const healthResponses: Operation['responses'] = {
  200: answers('Every check is `ok`', health, { status: 'ok', checks: { database: 'ok' } }),
  503: answers('What is wrong, by check', health),
};

const authorized = [{ bearer: [] }];

/** What the document says of the endpoints that other libraries and services own, by method and path. */
export const OTHER_OPERATIONS: Readonly<Record<string, Description>> = {
  'post /api/v1/code-fingerprints': {
    summary: 'Send fingerprints of code that was accepted from an AI, at most 1,000',
    description: batchDescription,
    security: authorized,
    requestBody: takes(z.object({ fingerprints: z.array(codeFingerprintSchema) }), {
      fingerprints: [fingerprint],
    }),
    responses: batchResponses,
  },
  'post /api/v1/commits': {
    summary: 'Send commits with their content, oldest first, at most 500',
    description: `${batchDescription} They are judged later: \`GET /api/v1/commits\` shows those that are.`,
    security: authorized,
    requestBody: takes(z.object({ commits: z.array(commitPushSchema) }), { commits: [commit] }),
    responses: batchResponses,
  },
  'post /telemetry/code-fingerprint': {
    summary: 'Send one fingerprint',
    description: 'Scope `ingest`. For clients of the first protocol.',
    security: authorized,
    requestBody: takes(codeFingerprintSchema, fingerprint),
    responses: itemResponses,
  },
  'post /telemetry/code-gen-stats': {
    summary: "Send a session's running totals",
    description: 'Scope `ingest`. The newest of a session counts.',
    security: authorized,
    requestBody: takes(codeGenStatsSchema, session),
    responses: itemResponses,
  },
  'get /api/v1/enrolment': {
    summary: 'What a client needs to make line prints that match',
    description:
      'Scope `ingest`. `lineKey` is a secret of the organisation, in base64. `rawCode`: whether code that a client sends as well is kept.',
    security: authorized,
    responses: {
      200: answers(
        'The organisation and its line key',
        z.object({ orgId: z.string(), keyId: z.string(), lineKey: z.base64(), rawCode: z.boolean() }),
        {
          orgId: 'harbour',
          keyId: 'lk_ad9f60d42631904c',
          lineKey: 'AQEBAQEBAQEBAQEBAQEBAQ==',
          rawCode: false,
        },
      ),
      '4XX': REFUSED,
      503: unavailable,
    },
  },
  'get /api/v1/baselines': {
    summary: 'Whether to send what stands in a repository before its first commit',
    description:
      'Scope `ingest`. If wanted, send the files as commits with `baseline` before the first commit: lines that stand in many places say little about where they came from.',
    security: authorized,
    responses: {
      200: answers('Whether nothing is known of the repository', z.object({ wanted: z.boolean() }), {
        wanted: true,
      }),
      '4XX': REFUSED,
      503: unavailable,
    },
  },
  'get /health/live': {
    summary: 'Whether the consumers of this process still move',
    security: [],
    responses: healthResponses,
  },
  'get /health/ready': {
    summary: 'Whether this process reaches its stores and has its partitions',
    security: [],
    responses: healthResponses,
  },
  'get /metrics': {
    summary: 'Metrics for Prometheus',
    security: [],
    responses: {
      200: {
        description: 'Text exposition format',
        content: { 'text/plain': { schema: { type: 'string' } } },
      },
    },
  },
};
