/** How numbers and times are written, in one place, so that the same number looks the same everywhere. */

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const halves = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 });

/** 1,052.5: weighted lines end in .5 at times. */
export function formatLines(lines: number): string {
  return halves.format(lines);
}

export function formatCount(count: number): string {
  return whole.format(count);
}

/** 12.3K, for axes. */
export function formatCompact(value: number): string {
  return compact.format(value);
}

/** 0.741 as 74.1 %, with a narrow space that does not break. */
export function formatRatio(ratio: number): string {
  return `${(100 * ratio).toFixed(1)}\u202f%`;
}

/** `1 line`, `2 lines`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatLines(count)} ${count === 1 ? singular : plural}`;
}

/** 17 Mar 2026, of a day or of a moment in a time zone. */
export function formatDay(dayOrTime: string, timeZone = 'UTC'): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: dayOrTime.length === 10 ? 'UTC' : timeZone,
  }).format(new Date(dayOrTime));
}

/** 17 Mar, for axes. */
export function formatShortDay(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(day),
  );
}

/** 17 Mar 2026, 14:05 */
export function formatTime(time: string, timeZone = 'UTC'): string {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(new Date(time));
}

/** A commit's id as people say it. */
export function shortSha(sha: string): string {
  return sha.slice(0, 8);
}

/** A branch as people say it: `refs/heads/main` is `main`. */
export function branchName(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '');
}

/** Languages as their makers write them. */
const LANGUAGES: Readonly<Record<string, string>> = {
  bash: 'Shell',
  c: 'C',
  cpp: 'C++',
  csharp: 'C#',
  css: 'CSS',
  go: 'Go',
  html: 'HTML',
  java: 'Java',
  javascript: 'JavaScript',
  json: 'JSON',
  kotlin: 'Kotlin',
  php: 'PHP',
  python: 'Python',
  ruby: 'Ruby',
  rust: 'Rust',
  scala: 'Scala',
  sql: 'SQL',
  swift: 'Swift',
  text: 'Text',
  tsx: 'TSX',
  typescript: 'TypeScript',
  yaml: 'YAML',
};

export function languageName(language: string): string {
  return LANGUAGES[language] ?? language;
}
