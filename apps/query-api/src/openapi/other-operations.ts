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
  connectBody,
  type ConnectedRepositoryAnswer,
  connectedRepositoryAnswer,
  connectedRepositoryListAnswer,
  type RefsPush,
  mailmapAnswerSchema,
  mailmapPushSchema,
  refsPushSchema,
  rotateSecretBody,
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

const refs: RefsPush = {
  repository: 'harbour/desk',
  refs: [{ ref: 'refs/heads/main', sha: commit.sha, isDefault: true, before: commit.parents[0]! }],
};

const session: CodeGenStats = {
  sessionId: 'session-7',
  userId: 'mara@harbour.example',
  repository: 'harbour/desk',
  timestamp: 1_780_315_200_000,
  agent: { tasks: 1, additions: 120, deletions: 17, fingerprints: [fingerprint.codeId] },
};

const connected: ConnectedRepositoryAnswer = {
  hookId: '4f1d2c3b4a5968778695a4b3c2d1e0f9',
  webhookPath: '/webhooks/github/4f1d2c3b4a5968778695a4b3c2d1e0f9',
  repository: 'desk',
  project: 'desk',
  host: 'github',
  cloneUrl: 'https://github.com/harbour/desk.git',
  credential: 'file:github-token',
  secret: 'file:desk-hook',
  previousSecretUntil: null,
  branches: [],
  history: 500,
  defaultBranch: 'main',
  seen: { main: commit.sha },
  status: 'connected',
  error: null,
  failures: 0,
  fetchedAt: '2026-06-01T12:00:00.000Z',
  dueAt: '2026-06-01T12:15:00.000Z',
  createdAt: '2026-06-01T11:58:00.000Z',
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

const connectedResponses: Operation['responses'] = {
  200: answers('The repository', connectedRepositoryAnswer, connected),
  '4XX': REFUSED,
  503: unavailable,
};
/** Creating answers 201, an order that is carried out later 202. */
const connectedAs = (status: 201 | 202): Operation['responses'] => {
  const { 200: repository, ...others } = connectedResponses;
  return { [status]: repository!, ...others };
};

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
  'post /api/v1/refs': {
    summary: 'What branches of a repository name now',
    description:
      'Scope `ingest`. Sent after the commits that they lead to. From the first time on that the default branch is told, only what it or another counted branch leads to is in totals; the rest is provisional.',
    security: authorized,
    requestBody: takes(refsPushSchema, refs),
    responses: {
      202: answers('The refs are in the log', batchAnswerSchema, { accepted: 1, rejected: [] }),
      '4XX': REFUSED,
      503: unavailable,
    },
  },
  'post /api/v1/identities/mailmap': {
    summary: 'Which addresses are whose, by the .mailmap of a repository',
    description:
      'Scope `ingest`, of no personal key. It takes the place of the one before; an empty one takes it away. Addresses that mailmaps disagree on are listed, and nobody’s but their own until somebody decides.',
    security: authorized,
    requestBody: takes(mailmapPushSchema, {
      repository: 'harbour/desk',
      content: 'Mara Voss <mara@harbour.example> <mara@laptop.local>\n',
    }),
    responses: {
      200: answers('What was taken, and what it does not settle', mailmapAnswerSchema, {
        repository: 'harbour/desk',
        entries: 1,
        conflicts: [],
      }),
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
  'get /api/v1/connected-repositories': {
    summary: 'The repositories that Lineprint fetches itself, by name',
    description: 'Scope `admin`.',
    security: authorized,
    responses: {
      200: answers('The repositories', connectedRepositoryListAnswer, { repositories: [connected] }),
      '4XX': REFUSED,
      503: unavailable,
    },
  },
  'post /api/v1/connected-repositories': {
    summary: 'Connect a repository: it is mirrored, and its commits are analysed as they are pushed',
    description:
      'Scope `admin`. Secrets are named, never sent: `file:PATH` or `env:NAME` where ingest runs. Give the host the address of ingest and `webhookPath`.',
    security: authorized,
    requestBody: takes(connectBody, {
      host: connected.host,
      cloneUrl: connected.cloneUrl,
      credential: connected.credential,
      secret: connected.secret,
      history: connected.history,
    }),
    responses: connectedAs(201),
  },
  'get /api/v1/connected-repositories/{hookId}': {
    summary: 'One connected repository, and what went wrong with it',
    description: 'Scope `admin`.',
    security: authorized,
    responses: connectedResponses,
  },
  'delete /api/v1/connected-repositories/{hookId}': {
    summary: 'Forget a connected repository and its mirror; results stay',
    description: 'Scope `admin`.',
    security: authorized,
    responses: connectedResponses,
  },
  'post /api/v1/connected-repositories/{hookId}/rotate-secret': {
    summary: 'Name another secret for its webhook; the one before stays good for a while',
    description: 'Scope `admin`.',
    security: authorized,
    requestBody: takes(rotateSecretBody, { secret: 'file:desk-hook-2', overlapHours: 24 }),
    responses: connectedResponses,
  },
  'post /api/v1/connected-repositories/{hookId}/fetch': {
    summary: 'Look at a connected repository now',
    description: 'Scope `admin`.',
    security: authorized,
    responses: connectedAs(202),
  },
  'post /webhooks/{host}/{hookId}': {
    summary: 'A git host tells of a push',
    description:
      'No API key: the host signs the bytes, each in its own way, at most 25 MB. What changed is asked of git afterwards.',
    security: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { type: 'object' }, example: { ref: 'refs/heads/main' } } },
    },
    responses: {
      202: answers(
        'What becomes of it: `queued`, `ignored` where nothing that counts has changed, `repeated` for one that was here before',
        z.object({ outcome: z.enum(['queued', 'ignored', 'repeated']) }),
        { outcome: 'queued' },
      ),
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
