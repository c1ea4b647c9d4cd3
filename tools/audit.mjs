/**
 * `node tools/audit.mjs`: asks the registry for known weaknesses of what runs in production; fails on high and critical
 * ones. Many mirrors of the registry answer no such question: then it says so and does not fail.
 */
import { spawnSync } from 'node:child_process';
import { root } from './setup.mjs';

const TIME_LIMIT_MS = 60_000;

const { stdout, error } = spawnSync('npm', ['audit', '--omit=dev', '--json', '--fetch-retries=0'], {
  cwd: root,
  encoding: 'utf8',
  timeout: TIME_LIMIT_MS,
  maxBuffer: 64 * 1024 * 1024,
});

let answer = {};
try {
  answer = JSON.parse(stdout);
} catch {
  // Whatever npm has printed, it is no answer.
}
if (!answer.vulnerabilities) {
  const reason = error?.message ?? answer.message?.replace(/ - .*/, '') ?? 'no answer';
  console.log(`audit: skipped, the registry answers no audits (${reason})`);
} else {
  const grave = Object.values(answer.vulnerabilities).filter(({ severity }) =>
    ['high', 'critical'].includes(severity),
  );
  for (const { name, severity, range } of grave) console.log(`${severity}: ${name} ${range}`);
  console.log(
    `audit: ${grave.length} grave weaknesses of ${answer.metadata?.dependencies?.prod ?? '?'} packages`,
  );
  process.exitCode = grave.length > 0 ? 1 : 0;
}
