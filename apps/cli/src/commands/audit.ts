import type { Command } from 'commander';
import { table } from '../terminal/table';
import { type ConnectionOptions, positiveInteger, queryApi, withConnection } from './connection';

/** Of `GET /api/v1/audit`. */
interface AuditEntry {
  readonly at: string;
  readonly actor: string | null;
  readonly action: string;
  readonly target: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

interface AuditOptions extends ConnectionOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const LARGEST_PAGE = 200;

export function addAuditCommand(admin: Command): void {
  withConnection(
    admin
      .command('audit')
      .description('Show who changed what and who read code, the newest first.')
      .option('--actor <who>', 'a person, or the public part of a key')
      .option('--action <what>', 'such as policy.changed, or policy for all of it')
      .option('--from <time>', 'not before, ISO 8601')
      .option('--to <time>', 'before, ISO 8601')
      .option('--limit <n>', 'at most so many', positiveInteger, LARGEST_PAGE)
      .option('--json', 'print an entry a line as JSON'),
  ).action((options: AuditOptions) => show(options));
}

async function show(options: AuditOptions): Promise<void> {
  const client = queryApi(options);
  const { actor, action, from, to } = options;
  const entries: AuditEntry[] = [];
  let after: string | null = null;
  do {
    const query = new URLSearchParams({
      limit: String(Math.min(LARGEST_PAGE, options.limit - entries.length)),
      ...(actor && { actor }),
      ...(action && { action }),
      ...(from && { from }),
      ...(to && { to }),
      ...(after !== null && { after }),
    });
    const page: { entries: AuditEntry[]; next: string | null } = await client.get(`/api/v1/audit?${query}`);
    entries.push(...page.entries);
    after = page.next;
  } while (after !== null && entries.length < options.limit);
  process.stdout.write(
    options.json ? entries.map((entry) => `${JSON.stringify(entry)}\n`).join('') : text(entries),
  );
}

function text(entries: readonly AuditEntry[]): string {
  if (entries.length === 0) return 'Nothing was done.\n';
  const rows = entries.map(({ at, actor, action, target, before, after }) => [
    at,
    actor ?? '(database)',
    action,
    target,
    [before && JSON.stringify(before), after && JSON.stringify(after)].filter(Boolean).join(' → '),
  ]);
  return `${table(['at', 'who', 'what', 'of', 'change'], rows, 5)}\n`;
}
