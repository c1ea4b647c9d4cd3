import { aliasReasons, identifier, mailmapConflictSchema, personKindSchema } from '@lineprint/contracts';
import { z } from 'zod';
import { nextCursor, pageParameters } from '../cursor';

const address = identifier(512).meta({ description: 'Any address of the person, in upper or lower case.' });

/** Query parameters of `GET /api/v1/identities`. */
export const identityListParameters = z.object({
  kind: personKindSchema.optional().meta({ description: 'Only people, only bots or only assistants.' }),
  ...pageParameters,
});

export const identityAnswer = z.object({
  personId: z.string().meta({ description: 'The address, in lower case, that the person is called by.' }),
  name: z.string(),
  kind: personKindSchema,
  aliases: z.array(
    z.object({
      alias: z.string(),
      by: z.enum(aliasReasons).nullable().meta({
        description:
          'Why it is this person’s: somebody said so, a mailmap, a host’s noreply address, the login in one. Null for the id.',
      }),
    }),
  ),
});
export type IdentityAnswer = z.output<typeof identityAnswer>;

export const identityListAnswer = z.object({ people: z.array(identityAnswer), next: nextCursor });
export type IdentityListAnswer = z.output<typeof identityListAnswer>;

export const personLine = z
  .looseObject({
    type: z.enum([
      'person',
      'identity',
      'alias',
      'team',
      'commit',
      'result',
      'day',
      'session',
      'snippet',
      'code-read',
      'end',
    ]),
  })
  .meta({ description: 'One a line. The last one is of type end; without it the export was cut off.' });

export const conflictListAnswer = z.object({ conflicts: z.array(mailmapConflictSchema) });
export type ConflictListAnswer = z.output<typeof conflictListAnswer>;

export const addressPath = { address };
export const mergeBody = z.object({ person: address, into: address });
export const splitBody = z.object({ address });
export const describeBody = z.object({
  name: identifier(255).nullable(),
  kind: personKindSchema.nullable(),
});
