import { z } from 'zod';
import { nextCursor, pageParameters } from '../cursor';
import { formatParameter } from '../csv';

export const auditParameters = z.object({
  actor: z.string().min(1).optional().meta({ description: 'A person, or the public part of a key.' }),
  action: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'What was done, such as `policy.changed`, or `policy` for all of it.' }),
  from: z.iso.datetime({ offset: true }).optional().meta({ description: 'Not before this moment.' }),
  to: z.iso.datetime({ offset: true }).optional().meta({ description: 'Before this moment.' }),
  ...pageParameters,
  format: formatParameter,
});

const auditEntry = z.object({
  at: z.iso.datetime(),
  actor: z.string().nullable().meta({
    description: 'The person, or the public part of a key; null for who works at the database itself.',
  }),
  action: z.string().meta({ description: 'E.g. `policy.created`, `replay.changed`, `code.read`.' }),
  target: z.string().meta({ description: 'What it was done to.' }),
  before: z.record(z.string(), z.unknown()).nullable().meta({
    description: 'What a change or deletion took away; of a change only what differs.',
  }),
  after: z.record(z.string(), z.unknown()).nullable(),
});
export type AuditEntry = z.output<typeof auditEntry>;

export const auditAnswer = z.object({ entries: z.array(auditEntry), next: nextCursor });
export type AuditAnswer = z.output<typeof auditAnswer>;
