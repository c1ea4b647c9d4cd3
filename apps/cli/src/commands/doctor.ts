import { type Command, Option } from 'commander';
import { loadClientSettings, namesStores } from '@lineprint/platform';
import { checkConnection, checkMachine } from '../doctor/client-checks';
import { Checks, exitCodeOf, findingsText } from '../doctor/finding';
import { checkSettings, checkSurroundings } from '../doctor/settings-checks';
import { checkStores } from '../doctor/store-checks';
import { type ConnectionOptions, positiveInteger, withConnection } from './connection';

/** What to look at: a client's way to an installation, or an installation from within. */
const PARTS = ['client', 'installation'] as const;
type Part = (typeof PARTS)[number];

interface DoctorOptions extends ConnectionOptions {
  readonly repo?: string;
  readonly json?: boolean;
  readonly only?: Part;
  readonly timeLimit: number;
  readonly lag: number;
}

export function addDoctorCommand(program: Command): void {
  withConnection(
    program
      .command('doctor')
      .description(
        'Check this machine, the way to Lineprint and, where the environment names its stores (as a service has it), the installation itself; say what to do about what is wrong. Exit code 0: all is well, 1: something should be looked at, 2: something does not work.',
      )
      .option('--repo <path>', 'a repository to check, too')
      .addOption(new Option('--only <part>', 'only one of both').choices(PARTS))
      .option('--time-limit <seconds>', 'how long each check may take', positiveInteger, 20)
      .option('--lag <records>', 'how many records a consumer may be behind', positiveInteger, 10_000)
      .option('--json', 'print the findings as one JSON object'),
  ).action(doctor);
}

async function doctor(options: DoctorOptions): Promise<void> {
  const checks = new Checks(options.timeLimit * 1000);
  const { hasClient, hasInstallation } = partsOf(options);
  await checkMachine(checks, options.repo);
  if (hasInstallation) {
    const config = await checkSettings(checks);
    if (config) {
      await checkSurroundings(checks, config);
      await checkStores(checks, config, options.lag);
    }
  }
  if (hasClient) await checkConnection(checks, options);
  const { findings } = checks;
  const text = options.json ? `${JSON.stringify({ findings })}\n` : findingsText(findings);
  // What did not answer in time still holds its sockets.
  process.stdout.write(text, () => process.exit(exitCodeOf(findings)));
}

/** Inside of a service there is no address and no key of a client; on a developer's machine there are no stores. */
function partsOf({ only, apiKey, url }: DoctorOptions): { hasClient: boolean; hasInstallation: boolean } {
  if (only) return { hasClient: only === 'client', hasInstallation: only === 'installation' };
  const hasInstallation = namesStores();
  const isConnected = apiKey !== undefined || url !== loadClientSettings({}).url;
  return { hasInstallation, hasClient: isConnected || !hasInstallation };
}
