import { DEFAULT_POLICY, newPolicySchema, policySchema } from '@lineprint/contracts';
import { z } from 'zod';

export const policyIdParameter = z.string().min(1).max(64).meta({ description: 'The id of a policy.' });
export const otherPolicyParameter = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The policy that it is compared with.' });

const description = z
  .string()
  .max(1024)
  .optional()
  .meta({ description: 'What it is for, in words for the next reader.' });

/** A policy made from another one: only what differs is sent. */
export const derivedPolicyBody = z.strictObject({
  id: newPolicySchema.shape.id,
  like: z
    .string('send the id of the policy to start from')
    .meta({ description: 'The policy to start from.' }),
  changes: z
    .strictObject({
      engine: z.unknown().optional(),
      thresholds: z.record(z.string(), z.unknown()).optional(),
      exclusions: z.unknown().optional(),
    })
    .default({})
    .meta({ description: 'What differs: single thresholds, and the whole list of exclusions.' }),
  description,
});

export const wholePolicyBody = newPolicySchema.extend({ description });

/** Body of `POST /api/v1/policies`. */
export const createPolicyBody = z.union([wholePolicyBody, derivedPolicyBody]);

export const derivedPolicyExample = {
  id: 'strict-2',
  like: DEFAULT_POLICY.id,
  changes: { thresholds: { minBits: 30 } },
  description: 'Fewer short matches',
};

const time = z.iso.datetime();
const number = z.int().min(0);

/** One policy, and who judges and reads it. */
export const policyAnswer = policySchema.extend({
  description: z.string().nullable(),
  createdAt: time,
  createdBy: z.string().nullable(),
  active: z.boolean().meta({ description: 'Dashboards read it: it is the default of `policy=`.' }),
  live: z.boolean().meta({ description: 'The stream of new commits is judged under it.' }),
  replay: z
    .object({ id: z.string(), status: z.string() })
    .nullable()
    .meta({ description: 'What judges it where it is not live.' }),
  judged: number.meta({ description: 'Commits with a verdict under it.' }),
});
export type PolicyAnswer = z.output<typeof policyAnswer>;

export const policyListAnswer = z.object({
  policies: z.array(policyAnswer),
  activations: z
    .array(z.object({ from: z.string().nullable(), to: z.string(), by: z.string().nullable(), at: time }))
    .meta({ description: 'The newest 20, newest first.' }),
});
export type PolicyListAnswer = z.output<typeof policyListAnswer>;

export const activationAnswer = z.object({
  active: z.string(),
  before: z.string().nullable().meta({ description: 'Activate this one to go back.' }),
});
export type ActivationAnswer = z.output<typeof activationAnswer>;

export const droppedAnswer = z.object({
  dropped: z.string(),
  rows: z
    .object({
      results: number,
      files: number,
      ledger: number,
      verdicts: number,
      copies: number,
      sums: number,
      days: number,
    })
    .meta({ description: 'Rows that were deleted.' }),
});
export type DroppedAnswer = z.output<typeof droppedAnswer>;
