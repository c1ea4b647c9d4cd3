import type { Command } from 'commander';
import { type ConnectionOptions, withConnection } from './connection';

export interface AnswerOptions extends ConnectionOptions {
  readonly json?: boolean;
}

/** A command that asks the query API and prints its answer, for people or for programs. */
export function withJson(command: Command): Command {
  return withConnection(command).option('--json', 'print the answer as one JSON object');
}

export function printAnswer(options: AnswerOptions, answer: unknown, forPeople: () => string): void {
  process.stdout.write(`${options.json ? JSON.stringify(answer) : forPeople()}\n`);
}
