import { z } from 'zod';

export const gitHosts = ['github', 'gitlab', 'gitea', 'bitbucket-cloud', 'bitbucket-dc'] as const;
export type GitHost = (typeof gitHosts)[number];

/** What git allows in the name of a branch, but for rare signs, and one `*` for any text, slashes included. */
const BRANCH_PATTERN = /^[\p{L}\p{N}._\-/+#@=]*\*?[\p{L}\p{N}._\-/+#@=]*$/u;

const reference = z.string().min(5).max(255);
const branchPattern = z
  .string()
  .min(1)
  .max(255)
  .regex(BRANCH_PATTERN, 'must be a branch, with at most one `*`');

/** Commits of the past that one request may ask for. */
const MAX_HISTORY = 1_000_000;
const MAX_OVERLAP_HOURS = 24 * 30;

/** Body of `POST /api/v1/connected-repositories`. */
export const connectBody = z.strictObject({
  host: z.enum(gitHosts).meta({ description: 'Whose webhooks it has.' }),
  cloneUrl: z.string().max(2048).meta({
    description:
      '`https://HOST/PATH` or `ssh://git@HOST/PATH`, without a credential, of a host that is allowed.',
  }),
  credential: reference.optional().meta({
    description:
      'Where the credential is, `env:NAME` or `file:PATH`: a token or `user:password`, for SSH the file of a private key.',
  }),
  secret: reference.meta({ description: 'Where the secret is with which the host signs.' }),
  repository: z.string().min(1).max(255).optional().meta({
    description: 'The name that results carry; by default the last part of the URL.',
  }),
  project: z.string().min(1).max(255).optional().meta({ description: 'By default the repository.' }),
  branches: z.array(branchPattern).max(100).default([]).meta({
    description:
      'Branches whose commits are analysed, with at most one `*` each; by default the default branch.',
  }),
  history: z.int().min(0).max(MAX_HISTORY).default(0).meta({
    description: 'How many commits of the past are analysed as well.',
  }),
});

/** Body of `POST /api/v1/connected-repositories/{hookId}/rotate-secret`. */
export const rotateSecretBody = z.strictObject({
  secret: reference,
  overlapHours: z.number().min(0).max(MAX_OVERLAP_HOURS).default(24).meta({
    description: 'How long the secret before is still good.',
  }),
});

const time = z.iso.datetime();

export const connectedRepositoryAnswer = z.object({
  hookId: z.string(),
  webhookPath: z.string().meta({ description: 'Behind the address of ingest: what the host is to call.' }),
  repository: z.string(),
  project: z.string(),
  host: z.enum(gitHosts),
  cloneUrl: z.string(),
  credential: z.string().nullable(),
  secret: z.string(),
  previousSecretUntil: time.nullable(),
  branches: z.array(z.string()),
  history: z.int(),
  defaultBranch: z.string().nullable(),
  seen: z.record(z.string(), z.string()).meta({ description: 'The last commit that was sent, by branch.' }),
  status: z.enum(['waiting', 'connected', 'failing']),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  failures: z.int(),
  fetchedAt: time.nullable(),
  dueAt: time,
  createdAt: time,
});
export type ConnectedRepositoryAnswer = z.infer<typeof connectedRepositoryAnswer>;

export const connectedRepositoryListAnswer = z.object({ repositories: z.array(connectedRepositoryAnswer) });
export type ConnectedRepositoryListAnswer = z.infer<typeof connectedRepositoryListAnswer>;
