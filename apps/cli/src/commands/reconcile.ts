import type { Command } from 'commander';
import { setTimeout as delay } from 'node:timers/promises';
import { LineprintError } from '@lineprint/platform';
import { ApiClient } from '../api/api-client';
import { type AnswerOptions, printAnswer, withJson } from './answer';
import { addresses, apiKeyOf } from './connection';

/** As `GET /api/v1/reconciliations/{id}` answers. */
interface Reconciliation {
  readonly id: number;
  readonly status: 'waiting' | 'finished';
  readonly days: number | null;
  readonly differences: number | null;
  readonly details: readonly {
    readonly policy: string;
    readonly table: string;
    readonly date: string;
    readonly user: string;
    readonly project: string;
    readonly stored: object | null;
    readonly expected: object | null;
  }[];
}

interface ReconcileOptions extends AnswerOptions {
  readonly wait: boolean;
}

const LOOK_MS = 500;

export function addReconcileCommand(program: Command): void {
  withJson(
    program
      .command('reconcile')
      .description(
        'Prove that daily sums are what results and sessions say, as each night does; exit with 1 where they are not.',
      )
      .option('--no-wait', 'ask for it only; GET /api/v1/reconciliations shows what came of it'),
  ).action((options: ReconcileOptions) => reconcile(options));
}

async function reconcile(options: ReconcileOptions): Promise<void> {
  const client = new ApiClient(addresses(options).queryUrl, apiKeyOf(options));
  let made = await client.post<Reconciliation>('/api/v1/reconciliations');
  while (options.wait && made.status !== 'finished') {
    await delay(LOOK_MS);
    made = await client.get<Reconciliation>(`/api/v1/reconciliations/${made.id}`);
  }
  printAnswer(options, made, () => textOf(made));
  if (made.differences) {
    throw new LineprintError(
      'sums-differ',
      `${made.differences} rows are not what results and sessions say.`,
    );
  }
}

function textOf({ id, status, days, differences, details }: Reconciliation): string {
  if (status !== 'finished') return `Reconciliation ${id} is asked for.`;
  const lines = details.map(({ policy, table, date, user, project, stored, expected }) => {
    const whose = [date, project || 'all projects', user || 'everybody'].join(', ');
    return `${policy}: ${table}, ${whose}: ${JSON.stringify(stored)}, should be ${JSON.stringify(expected)}`;
  });
  return [...lines, `${days} days of policies, ${differences} rows differ.`].join('\n');
}
