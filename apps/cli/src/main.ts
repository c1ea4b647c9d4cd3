#!/usr/bin/env node
import { Command } from 'commander';
import { addAdminCommand } from './commands/admin';
import { addBackfillCommand } from './commands/backfill';
import { addDemoCommand } from './commands/demo';
import { addDoctorCommand } from './commands/doctor';
import { addExportCommand } from './commands/export';
import { addPushCommand } from './commands/push';
import { addSampleCommand } from './commands/sample';

const program = new Command('lineprint')
  .description('How much of the code that lands in git came from AI, with evidence for every line.')
  .showHelpAfterError();
addDemoCommand(program);
addBackfillCommand(program);
addPushCommand(program);
addSampleCommand(program);
addExportCommand(program);
addDoctorCommand(program);
addAdminCommand(program);

program.parseAsync().catch((error: unknown) => {
  const code = (error as { code?: unknown }).code;
  process.stderr.write(
    `lineprint: ${error instanceof Error ? error.message : String(error)}${typeof code === 'string' ? ` (${code})` : ''}\n`,
  );
  process.exitCode = 1;
});
