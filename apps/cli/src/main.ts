#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { addAdminCommand } from './commands/admin';
import { addBackfillCommand } from './commands/backfill';
import { addBackupCommands } from './commands/backup';
import { addCaptureCommands } from './commands/capture';
import { addDemoCommand } from './commands/demo';
import { addDlqCommand } from './commands/dlq';
import { addDoctorCommand } from './commands/doctor';
import { addExportCommand } from './commands/export';
import { addHookCommand } from './commands/hook';
import { addKeysCommand } from './commands/keys';
import { addPeopleCommand } from './commands/people';
import { addPolicyCommand } from './commands/policy';
import { addPushCommand } from './commands/push';
import { addReconcileCommand } from './commands/reconcile';
import { addReplayCommand } from './commands/replay';
import { addRepoCommand } from './commands/repo';
import { addSampleCommand } from './commands/sample';
import { addTeamCommand } from './commands/team';

const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8')) as {
  version: string;
};

const program = new Command('lineprint')
  .version(version)
  .description('How much of the code that lands in git came from AI, with evidence for every line.')
  .showHelpAfterError();
addDemoCommand(program);
addBackfillCommand(program);
addPushCommand(program);
addCaptureCommands(program);
addHookCommand(program);
addRepoCommand(program);
addSampleCommand(program);
addExportCommand(program);
addKeysCommand(program);
addPeopleCommand(program);
addTeamCommand(program);
addPolicyCommand(program);
addReplayCommand(program);
addDlqCommand(program);
addReconcileCommand(program);
addDoctorCommand(program);
addAdminCommand(program);
addBackupCommands(program);

// Whoever read the output has gone (`lineprint export | head`): as Ctrl-C, so that what runs is ended in order.
let unread = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!unread) process.kill(process.pid, 'SIGINT');
    unread = true;
  });
}

program.parseAsync().catch((error: unknown) => {
  const code = (error as { code?: unknown }).code;
  process.stderr.write(
    `lineprint: ${error instanceof Error ? error.message : String(error)}${typeof code === 'string' ? ` (${code})` : ''}\n`,
  );
  process.exitCode = 1;
});
