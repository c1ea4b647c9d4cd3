import { identifier, PSEUDONYM } from '@lineprint/contracts';
import { z } from 'zod';

const address = identifier(512).meta({ description: 'Any address of the person, or the pseudonym.' });

export const erasureBody = z.strictObject({ address });
export const erasurePath = { address };
export const pseudonymPath = {
  pseudonym: z.string().regex(PSEUDONYM, 'must be a pseudonym').meta({ description: 'As it was answered.' }),
};

const time = z.iso.datetime();

export const erasureAnswer = z.object({
  pseudonym: z.string().meta({ description: 'What stands in the place of the person.' }),
  status: z.enum(['waiting', 'finished', 'lifted']).meta({
    description:
      'Whether rows may still have the person (rollup rewrites them), none has, or new events have the person again.',
  }),
  requestedBy: z.string().nullable(),
  requestedAt: time,
  finishedAt: time.nullable(),
  liftedAt: time.nullable(),
});
export type ErasureAnswer = z.output<typeof erasureAnswer>;

export const erasureListAnswer = z.object({ erasures: z.array(erasureAnswer) });
export type ErasureListAnswer = z.output<typeof erasureListAnswer>;
