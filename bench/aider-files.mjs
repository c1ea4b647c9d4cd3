/** What aider publishes of each file of its releases. */
const FILE = 'aider/website/_data/blame.yml';

/**
 * @param {(...args: string[]) => Promise<string>} git in a clone of Aider-AI/aider
 * @returns {Promise<Map<string, Map<string, { lines: number, ai: number }>>>} by tag and path
 */
export async function publishedFiles(git) {
  const rows = new Map();
  let files = new Map();
  let file;
  for (const line of (await git('show', `HEAD:${FILE}`)).split('\n')) {
    const [, indent, key, value] = /^([ -]*)(.*?):(?: (.*))?$/.exec(line) ?? [];
    if (indent === undefined) continue;
    if (indent === '- ') files = new Map();
    else if (indent === '  ' && key === 'end_tag') rows.set(value, files);
    if (indent.length === 2) file = undefined;
    if (indent.length === 4 && value === undefined) files.set(key, (file = { lines: 0, ai: 0 }));
    if (indent.length === 6 && file) {
      file.lines += Number(value);
      if (key.toLowerCase().includes('(aider)')) file.ai += Number(value);
    }
  }
  return rows;
}
