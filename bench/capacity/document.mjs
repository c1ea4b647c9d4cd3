/** The tables of docs/capacity.md, each between two comments that name it. */

export const DEVELOPERS = [100, 1_000, 10_000, 100_000];

const KEYS = { repository: 'repository (ours)', commit: 'commit', path: 'path of a commit' };

const number = (value) => value.toLocaleString('en-US', { maximumSignificantDigits: 3 });
const percent = (value) => `${(100 * value).toFixed(value < 0.1 ? 1 : 0)} %`;
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;

function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${number(value)} ${units[unit]}`;
}

/** @returns {Record<string, string>} Markdown by the table's name */
export function documentOf({ assumptions, figures, plans, keys, limits, searchedTo, check }) {
  const services = Object.keys(plans[0].services);
  const heads = ['', ...plans.map(({ developers }) => `${number(developers)} developers`)];
  const row = (name, of) => [name, ...plans.map(of)];
  return {
    needs: markdown(heads, [
      row('snippets a day', (plan) => number(plan.snippetsPerDay)),
      row('commits a day', (plan) => number(plan.commitsPerDay)),
      row('snippets a second at the peak', (plan) => number(plan.peakSnippetsPerSecond)),
      row('commits a second at the peak', (plan) => number(plan.peakCommitsPerSecond)),
      row('Redis', (plan) => bytes(plan.redisBytes)),
      row('Postgres', (plan) => bytes(plan.postgresBytes)),
      row('Kafka, all copies', (plan) => bytes(plan.kafkaBytes)),
      row('partitions of a topic', (plan) => number(plan.partitions)),
    ]),
    services: markdown(
      heads,
      services
        .map((name) =>
          row(
            name,
            ({ services: { [name]: need } }) =>
              `${need.cores < 0.01 ? '< .01' : number(need.cores)} cores, ${need.replicas} ×`,
          ),
        )
        .concat([
          row('idle memory of all', (plan) =>
            bytes(1e6 * services.reduce((sum, name) => sum + plan.services[name].idleMb, 0)),
          ),
        ]),
    ),
    keys: markdown(
      [
        'developers',
        'key',
        'hottest partition',
        'busiest process',
        'wait p50',
        'wait p99',
        'event age p99',
        'of the monorepo',
        'out of order',
      ],
      keys.map((one) => [
        number(one.developers),
        KEYS[one.key],
        percent(one.hottestPartition),
        percent(one.busiestProcess),
        seconds(one.waitP50Ms),
        seconds(one.waitP99Ms),
        seconds(one.ageP99Ms),
        seconds(one.monorepoAgeP99Ms),
        percent(one.outOfOrder / one.commits),
      ]),
    ),
    limits: markdown(
      ['key', 'developers'],
      limits.map(({ key, developers }) => [
        KEYS[key],
        developers === null ? `none up to ${number(searchedTo)}` : number(developers),
      ]),
    ),
    figures: markdown(
      ['figure', 'value', 'unit', '`npm run bench -- …`', 'on'],
      Object.entries(figures).map(([name, { value, unit, command, date }]) => [
        name,
        String(value),
        unit,
        `\`${command}\``,
        date,
      ]),
    ),
    assumptions: markdown(
      ['option', 'value'],
      Object.entries(assumptions).map(([name, value]) => [`\`--${name}\``, String(value)]),
    ),
    check: markdown(
      ['ms of processor time a commit', 'figure of the model', `\`${check.command}\``, 'times'],
      check.stages.map(({ stage, figureMs, runMs }) => [
        stage,
        String(figureMs),
        String(runMs),
        (runMs / figureMs).toFixed(1),
      ]),
    ),
  };
}

/** @throws {Error} when the text lacks a table's place */
export function replaceTables(text, tables) {
  for (const [name, table] of Object.entries(tables)) {
    const place = new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- end -->`);
    if (!place.test(text)) throw new Error(`docs/capacity.md has no place for the table ${name}.`);
    text = text.replace(place, () => `<!-- ${name} -->\n\n${table}\n\n<!-- end -->`);
  }
  return text;
}

/** As Prettier has it: cells padded to their column, the first to the left. */
function markdown(head, rows) {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join(
    '\n',
  );
}
