/**
 * Where `git blame` says that each line was added.
 *
 * @param {(...args: string[]) => Promise<string>} git in the repository
 * @param {string} revision a commit, or a range
 * @param {string} name of a file in it
 * @returns {Promise<Place[]>} by line
 * @typedef {{ commit: string, path: string, line: number }} Place the file's name in that commit, and the line's number
 *   in it, from 0
 */
export async function placesOf(git, revision, name) {
  const text = await git('blame', '--porcelain', revision, '--', name);
  const names = new Map();
  const lines = [];
  for (const row of text.split('\n')) {
    const [, commit, number] = /^([0-9a-f]{40,64}) (\d+) \d+(?: \d+)?$/.exec(row) ?? [];
    if (commit) lines.push({ commit, path: names.get(commit), line: Number(number) - 1 });
    else if (row.startsWith('filename ')) {
      const file = row.slice('filename '.length);
      names.set(lines.at(-1).commit, file);
      lines.at(-1).path = file;
    }
  }
  return lines;
}
