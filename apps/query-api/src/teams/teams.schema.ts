import { identifier, personKindSchema } from '@lineprint/contracts';
import { z } from 'zod';

const MAX_MEMBERS = 10_000;

export const teamIdParameter = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'must have 1 to 64 letters, digits, ., - or _')
  .meta({ description: 'The id of a team.' });
export const teamPath = { id: teamIdParameter };

const content = {
  name: identifier(255),
  members: z
    .array(identifier(512))
    .max(MAX_MEMBERS)
    .default([])
    .meta({ description: 'Addresses of the people: any of each, it stands for all.' }),
};
export const newTeamBody = z.object({ teamId: teamIdParameter, ...content });
export const teamBody = z.object(content);

export const teamAnswer = z.object({
  teamId: z.string(),
  name: z.string(),
  members: z.array(z.object({ personId: z.string(), name: z.string(), kind: personKindSchema })),
});
export type TeamAnswer = z.output<typeof teamAnswer>;

export const teamListAnswer = z.object({ teams: z.array(teamAnswer) });
export type TeamListAnswer = z.output<typeof teamListAnswer>;
