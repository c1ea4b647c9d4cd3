import { execFileSync } from 'node:child_process';

const LARGEST_OUTPUT = 1 << 30;
/** What git gives for the blob of a file that is gone. */
const NO_OBJECT = /^0+$/;

/** What git prints; nothing is fetched that a clone left out. */
export function gitOutput(gitDirectory: string, args: readonly string[], input = ''): Buffer {
  return execFileSync('git', ['--git-dir', gitDirectory, ...args], {
    env: { ...process.env, GIT_NO_LAZY_FETCH: '1', GIT_OPTIONAL_LOCKS: '0' },
    input,
    maxBuffer: LARGEST_OUTPUT,
  });
}

/** The texts of blobs by id; those that are missing, or no text, are left out. */
export function readTexts(gitDirectory: string, ids: Iterable<string>): Map<string, string> {
  const wanted = [...new Set(ids)].filter((id) => !NO_OBJECT.test(id));
  const output = gitOutput(gitDirectory, ['cat-file', '--batch'], wanted.map((id) => `${id}\n`).join(''));
  const texts = new Map<string, string>();
  let at = 0;
  for (const id of wanted) {
    const end = output.indexOf(10, at);
    const size = output.toString('latin1', at, end).split(' ')[2];
    at = end + 1;
    if (size === undefined) continue;
    const bytes = output.subarray(at, at + Number(size));
    at += Number(size) + 1;
    if (!bytes.includes(0)) texts.set(id, bytes.toString('utf8').replaceAll('\r\n', '\n'));
  }
  return texts;
}

/** Files of a commit's tree, path and blob. */
export function filesAt(gitDirectory: string, commit: string): { path: string; blob: string }[] {
  const entries = gitOutput(gitDirectory, ['ls-tree', '-r', '-z', commit]).toString('utf8').split('\0');
  return entries.flatMap((entry) => {
    const [description = '', path = ''] = entry.split('\t');
    const [, type, blob = ''] = description.split(' ');
    return type === 'blob' ? [{ path, blob }] : [];
  });
}
