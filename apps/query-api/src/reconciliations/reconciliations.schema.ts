import { z } from 'zod';

const number = z.int().min(0);
const time = z.iso.datetime();
const values = z.record(z.string(), z.unknown()).nullable();

export const reconciliationPath = {
  id: z.coerce.number('send the id of a reconciliation').int().min(1).meta({ description: 'Its id.' }),
};

export const reconciliationAnswer = z.object({
  id: number,
  night: z.iso
    .date()
    .nullable()
    .meta({ description: 'The day in whose night it was due; null where somebody asked for it.' }),
  requestedBy: z.string().nullable(),
  requestedAt: time,
  status: z.enum(['waiting', 'finished']),
  finishedAt: time.nullable(),
  days: number.nullable().meta({ description: 'Days of a policy that were looked at.' }),
  differences: number.nullable().meta({ description: 'Rows that are not what results and sessions say.' }),
  details: z
    .array(
      z.object({
        policy: z.string(),
        table: z.string(),
        date: z.string(),
        user: z.string().meta({ description: 'Empty in sums of everybody.' }),
        project: z.string().meta({ description: 'Empty in sums of the organisation.' }),
        key: z.record(z.string(), z.unknown()).meta({ description: 'What else names the row.' }),
        stored: values.meta({ description: 'Null where there is no such row.' }),
        expected: values.meta({ description: 'Null where there should be none.' }),
      }),
    )
    .meta({ description: 'The first 100 differences.' }),
});
export type ReconciliationAnswer = z.output<typeof reconciliationAnswer>;

export const reconciliationListAnswer = z.object({ reconciliations: z.array(reconciliationAnswer) });
export type ReconciliationListAnswer = z.output<typeof reconciliationListAnswer>;
