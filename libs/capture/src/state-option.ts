/** The value of `--state` on a command line. */
export function stateOption(argv: readonly string[]): string | undefined {
  const at = argv.indexOf('--state');
  return at < 0 ? undefined : argv[at + 1];
}
