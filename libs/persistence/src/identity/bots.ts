/** Names that programs commit with, beside all that end in `[bot]`, as GitHub's do. */
const NAMES = new Set([
  'allcontributors',
  'bitbucket-pipelines',
  'dependabot',
  'dependabot-preview',
  'github',
  'github actions',
  'github-actions',
  'gitlab-bot',
  'greenkeeper',
  'imgbot',
  'jenkins',
  'k8s-ci-robot',
  'mergify',
  'pre-commit-ci',
  'pyup-bot',
  'renovate',
  'renovate bot',
  'renovate-bot',
  'semantic-release-bot',
  'snyk-bot',
  'web-flow',
  'weblate',
]);

const ADDRESSES = [
  // GitHub's `id+name[bot]@users.noreply.github.com`
  /\[bot\]@/,
  // what a host does itself: merges, edits and reverts on its pages, pipelines
  /^noreply@(?:github|gitlab)\.com$/,
  /^commits-noreply@bitbucket\.org$/,
  // access tokens of projects and groups of GitLab, of repositories of Bitbucket
  /^(?:project|group)_?\d+_bot[\w-]*@/,
  /@bots\.bitbucket\.org$/,
  /^support@dependabot\.com$/,
  /^(?:bot|noreply)@renovateapp\.com$/,
  /^(?:[\w.]+-)?bot@(?:snyk|greenkeeper)\.io$/,
  /^(?:hosted|noreply(?:-mt-[\w-]+)?)@weblate\.org$/,
];

/** Whether an address, in lower case, is a program's. */
export function isBotAddress(address: string): boolean {
  return isBotName(address) || ADDRESSES.some((pattern) => pattern.test(address));
}

/** Whether a program commits by this name. */
export function isBotName(name: string): boolean {
  const known = name.trim().toLowerCase();
  return known.endsWith('[bot]') || NAMES.has(known);
}
