import { personKindSchema } from '@lineprint/contracts';
import { roles } from '@lineprint/platform';
import { z } from 'zod';

/** Answer of `GET /api/v1/me`. */
export const meAnswer = z.object({
  credential: z
    .enum(['key', 'token'])
    .meta({ description: 'An API key, or a token of somebody who logged in.' }),
  role: z.enum(roles).nullable().meta({ description: 'Of somebody who logged in.' }),
  scopes: z.array(z.string()),
  sees: z.enum(['organisation', 'projects', 'person', 'nothing']).meta({
    description:
      'Whose numbers: everybody’s, those of `projects`, or the own ones; nothing without the scope `read`.',
  }),
  projects: z.array(z.string()).nullable().meta({ description: 'A maintainer’s.' }),
  readsCode: z.boolean().meta({ description: 'Whether the text of lines is shown.' }),
  person: z
    .object({
      personId: z.string(),
      name: z.string(),
      kind: personKindSchema,
      aliases: z.array(z.string()).meta({ description: 'All addresses of the person, the id first.' }),
    })
    .nullable()
    .meta({ description: 'Whom the credential stands for; null for a key of the organisation.' }),
  teams: z.array(z.object({ teamId: z.string(), name: z.string() })).meta({ description: 'The person’s.' }),
  organisation: z.object({ orgId: z.string(), name: z.string(), timeZone: z.string() }),
});
export type MeAnswer = z.output<typeof meAnswer>;

/** Answer of `GET /api/v1/auth/settings`. */
export const authSettingsAnswer = z.object({
  oidc: z
    .object({
      issuer: z.string(),
      clientId: z.string(),
      scope: z.string().meta({ description: 'What to ask the identity provider for.' }),
    })
    .nullable()
    .meta({ description: 'Null where only API keys are taken.' }),
});
export type AuthSettingsAnswer = z.output<typeof authSettingsAnswer>;
