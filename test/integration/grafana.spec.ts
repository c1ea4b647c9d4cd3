import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LineprintClient } from '@lineprint/capture';
import { TOPICS } from '@lineprint/contracts';
import { type Database, type MadeReader, openDatabase, type Row } from '@lineprint/persistence';
import { parse } from 'yaml';
import { distributedPipeline, embeddedPipeline, type Pipeline } from '../pipeline';
import { lineprintOutput } from '../programs';
import { type Prometheus, startPrometheus } from '../prometheus';

// The dashboards, rules and views of deploy/, against services that run, a real Prometheus and a real Postgres.

jest.setTimeout(240_000);

const root = join(__dirname, '../..');
const deploy = join(root, 'deploy');
const RULES = join(deploy, 'prometheus', 'lineprint.rules.yaml');

interface Target {
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly expr?: string;
  readonly rawSql?: string;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly Target[];
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
}
interface Variable {
  readonly name: string;
  readonly type: string;
  readonly query: unknown;
  readonly datasource?: Target['datasource'];
  readonly current?: { readonly value: unknown };
}
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
}
interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly annotations?: { readonly runbook_url: string };
}

const folder = join(deploy, 'grafana', 'dashboards');
const dashboards = readdirSync(folder).map(
  (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Dashboard,
);
const rules = (parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const panels = dashboards.flatMap((dashboard) => dashboard.panels.map((panel) => ({ dashboard, panel })));
const targets = panels.flatMap(({ dashboard, panel }) =>
  (panel.targets ?? []).map((target) => ({ name: `${dashboard.title}, ${panel.title}`, target })),
);

describe('the dashboards', () => {
  it('are as tools/grafana.mjs writes them', () => {
    execFileSync(process.execPath, [join(root, 'tools', 'grafana.mjs'), '--check'], { cwd: root });
  });

  it('are four, each under an address of its own, for Grafana 11', () => {
    expect(dashboards.map(({ uid }) => uid).sort()).toEqual([
      'lineprint-health',
      'lineprint-organisation',
      'lineprint-person',
      'lineprint-project',
    ]);
    for (const { schemaVersion } of dashboards) expect(schemaVersion).toBeGreaterThanOrEqual(39);
  });

  it('ask data sources that are provisioned', () => {
    const file = join(deploy, 'grafana', 'provisioning', 'datasources', 'lineprint.yaml');
    const { datasources } = parse(readFileSync(file, 'utf8')) as {
      datasources: { uid: string; type: string }[];
    };
    const known = datasources.map(({ uid, type }) => `${type} ${uid}`);
    for (const { panels: asking, templating } of dashboards) {
      const chosen = templating.list.filter(({ type }) => type === 'datasource');
      const offered = chosen.map(({ name, query }) => `${String(query)} \${${name}}`);
      for (const { query, current } of chosen) {
        expect(known).toContain(`${String(query)} ${String(current?.value)}`);
      }
      const asked = [
        ...asking.flatMap((panel) => panel.targets ?? []).map(({ datasource }) => datasource),
        ...templating.list.flatMap(({ datasource }) => datasource ?? []),
      ];
      for (const { type, uid } of asked) expect(offered).toContain(`${type} ${uid}`);
    }
  });

  it.each(dashboards.map((dashboard) => [dashboard.title, dashboard] as const))(
    '%s has panels that say what they count, in a unit, beside each other',
    (_title, dashboard) => {
      const ids = dashboard.panels.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      const taken = new Set<string>();
      for (const { type, title, description, targets: asked, fieldConfig, gridPos } of dashboard.panels) {
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
          for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
            expect(x).toBeLessThan(24);
            expect(taken).not.toContain(`${x}/${y}`);
            taken.add(`${x}/${y}`);
          }
        }
        if (type === 'row') continue;
        expect([title, description]).toEqual([expect.any(String), expect.stringMatching(/\.$/)]);
        expect([title, fieldConfig?.defaults.unit]).toEqual([title, expect.stringMatching(/\w/)]);
        expect([title, asked?.length]).toEqual([title, expect.any(Number)]);
      }
    },
  );

  it('use only variables that they have', () => {
    for (const { title, templating, ...rest } of dashboards) {
      const used = new Set([...JSON.stringify(rest).matchAll(/\$\{?(?!__)(\w+)/g)].map(([, name]) => name));
      const names = templating.list.map(({ name }) => name);
      for (const name of used) expect([title, names]).toEqual([title, expect.arrayContaining([name])]);
    }
  });
});

describe('the rules of Prometheus', () => {
  it('are valid, and fire when and only when they should', () => {
    execFileSync('promtool', ['check', 'rules', RULES]);
    execFileSync('promtool', ['test', 'rules', RULES.replace('.yaml', '.test.yaml')]);
  });

  it('name a section of the runbook each', () => {
    const sections = new Set(
      [...readFileSync(join(root, 'docs/runbook.md'), 'utf8').matchAll(/^## (.*)$/gm)].map(
        ([, heading]) => `docs/runbook.md#${heading!.toLowerCase()}`,
      ),
    );
    const alerts = rules.filter(({ alert }) => alert !== undefined);
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(4);
    for (const { annotations } of alerts) expect(sections).toContain(annotations?.runbook_url);
  });
});

describe('against services that run', () => {
  let pipeline: Pipeline;
  let prometheus: Prometheus;
  let owner: Database;
  let reader: MadeReader;
  let readable: Database;

  beforeAll(async () => {
    const name = `grafana_${randomUUID().slice(0, 8)}`;
    pipeline = await distributedPipeline(name);
    const { services, apiKey, databaseUrl } = pipeline.stack!;
    owner = pipeline.database;
    prometheus = await startPrometheus(
      Object.values(services).map(({ url }) => url),
      [RULES],
    );
    const env = {
      LINEPRINT_URL: pipeline.ingestUrl,
      LINEPRINT_QUERY_URL: pipeline.queryUrl,
      LINEPRINT_API_KEY: apiKey,
      LINEPRINT_DATABASE_URL: databaseUrl,
      LINEPRINT_ORG_ID: name,
    };
    await lineprintOutput(['sample', '--json'], env);
    // Who sends a sample does not say what its branch names, and without that nothing is followed.
    const [tip] = await owner.query<{ sha: string }>(
      'SELECT sha FROM commits ORDER BY authored_at DESC LIMIT 1',
    );
    await new LineprintClient({ url: pipeline.ingestUrl, apiKey }).sendRefs({
      repository: 'sample',
      refs: [{ ref: 'refs/heads/main', sha: tip!.sha, isDefault: true }],
    });
    await followed(owner);
    await somethingWrong(pipeline, apiKey);
    const role = `reader_${randomUUID().replaceAll('-', '')}`;
    reader = JSON.parse(
      await lineprintOutput(['admin', 'reader', '--name', role, '--json'], env),
    ) as MadeReader;
    const url = new URL(databaseUrl);
    url.username = reader.name;
    url.password = reader.password!;
    readable = await openDatabase(url.href, { maxConnections: 1 });
  });
  afterAll(async () => {
    await prometheus?.stop();
    await readable?.close();
    if (reader) {
      await owner.script(`DROP OWNED BY ${reader.name}`);
      await owner.script(`DROP ROLE ${reader.name}`);
    }
    await pipeline?.stop();
  });

  describe('a question in SQL', () => {
    let values: Record<string, string>;
    /** As the variables of a dashboard choose: the first that each offers. */
    beforeAll(async () => {
      const [days] = await owner.query<{ first: string; last: string }>(
        'SELECT MIN(date)::text AS first, MAX(date)::text AS last FROM ai_attribution_daily',
      );
      values = { bucket: 'week', __from: `${days!.first}T00:00:00Z`, __to: `${days!.last}T23:59:59Z` };
      for (const { templating } of dashboards) {
        for (const { name, type, query, datasource } of templating.list) {
          if (type !== 'query' || !datasource?.type.includes('postgres') || name in values) continue;
          const [first] = await readable.query(inGrafana(query as string, values));
          expect([name, first]).toEqual([name, expect.anything()]);
          values[name] = String(first!['__value'] ?? Object.values(first!)[0]);
        }
      }
    });

    it.each(targets.flatMap(({ name, target }) => (target.rawSql ? [[name, target.rawSql] as const] : [])))(
      'is answered to a reader: %s',
      async (name, rawSql) => {
        const rows = await readable.query(inGrafana(rawSql, values));
        expect(rows.length).toBeGreaterThan(0);
        const without = Object.keys(rows[0]!).filter((column) => rows.every((row) => row[column] === null));
        expect([name, without.filter((column) => !MAY_BE_MISSING.has(column))]).toEqual([name, []]);
      },
    );

    it('has the numbers of the API', async () => {
      const answered = async <T>(path: string): Promise<T> => {
        const headers = { authorization: `Bearer ${pipeline.stack!.apiKey}` };
        return (await (await fetch(`${pipeline.queryUrl}/api/v1/${path}`, { headers })).json()) as T;
      };
      const { lines, commits, merges } = await answered<{
        lines: Record<string, number>;
        commits: number;
        merges: number;
      }>('summary');
      const sums = `SUM(lines) AS added, SUM(preserved) AS preserved, SUM(modified) AS modified, SUM(human) AS human`;
      const { added, preserved, modified, human } = lines;
      const expected = { added, preserved, modified, human };
      const ask = async (sql: string) => (await readable.query(sql))[0];
      expect(await ask(`SELECT ${sums} FROM v_attribution_daily WHERE active`)).toEqual(expected);
      expect(await ask(`SELECT ${sums} FROM v_commits WHERE active AND counted`)).toEqual(expected);
      const byKind = (kind: string) => `COALESCE(SUM(lines) FILTER (WHERE kind = '${kind}'), 0) AS ${kind}`;
      expect(
        await ask(`SELECT SUM(lines) AS added, ${byKind('preserved')}, ${byKind('modified')}, ${byKind('human')}
                   FROM v_lines WHERE active AND counted`),
      ).toEqual(expected);
      expect(await ask(`SELECT ${sums} FROM v_lines_daily WHERE active AND counted`)).toEqual(expected);
      expect(
        await ask(`SELECT COUNT(*) FILTER (WHERE NOT merge) AS commits, COUNT(*) FILTER (WHERE merge) AS merges,
                     SUM(inherited) AS inherited, SUM(excluded) AS excluded
                   FROM v_commits WHERE active AND counted`),
      ).toEqual({ commits, merges, inherited: lines['inherited'], excluded: lines['excluded'] });
      const { total } = await answered<{ total: Record<string, number> }>('head');
      const { ratio: _, ...stands } = total;
      for (const view of ['v_head', 'v_head_lines']) {
        expect(
          await ask(`SELECT SUM(lines) AS lines, SUM(preserved) AS preserved, SUM(modified) AS modified,
                       SUM(human) AS human, SUM(unknown) AS unknown, SUM(weighted) AS weighted
                     FROM ${view} WHERE active AND default_branch`),
        ).toEqual(stands);
      }
      const survival = await answered<{ curves: { key: string; born: number; churn14: object }[] }>(
        'survival',
      );
      const churn = await readable.query<Row & { key: string; born: number; old: number; gone: number }>(
        `SELECT origin AS key, SUM(lines) AS born, SUM(lines) FILTER (WHERE followed_days >= 14) AS old,
           COALESCE(SUM(lines) FILTER (WHERE followed_days >= 14 AND lived_days < 14), 0) AS gone
         FROM v_lives WHERE active AND default_branch GROUP BY origin ORDER BY origin`,
      );
      expect(survival.curves.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toMatchObject(
        churn.map(({ key, born, old, gone }) => ({ key, born, churn14: { born: old, rewritten: gone } })),
      );
      const [open] = await owner.query(
        `SELECT SUM(lines) AS lines FROM life_lines l JOIN policies p USING (org_id, policy_id) WHERE active`,
      );
      expect(await ask('SELECT SUM(lines) AS lines FROM v_lives WHERE active')).toEqual(open);
      expect(await ask('SELECT SUM(lines) AS lines FROM v_survival WHERE active AND age_days = 0')).toEqual(
        open,
      );
    });

    it.each(
      [...readFileSync(join(root, 'docs/sql.md'), 'utf8').matchAll(/^```sql\n([^]*?)```$/gm)].map(
        ([, text]) => [text!.trim().split('\n')[0]!, text!],
      ),
    )('of docs/sql.md is answered: %s', async (_first, sql) => {
      expect((await readable.query(sql)).length).toBeGreaterThan(0);
    });

    it('may ask for the columns that docs/sql.md lists, and for no others', async () => {
      const columns = await owner.query<{ view: string; column: string }>(
        `SELECT table_name AS view, column_name AS column FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name LIKE 'v\\_%'`,
      );
      const documented: { view: string; column: string }[] = [];
      for (const section of readFileSync(join(root, 'docs/sql.md'), 'utf8').split(/^## /m)) {
        const view = /^`(v_\w+)`/.exec(section)?.[1];
        if (view === undefined) continue;
        for (const [, names] of section.matchAll(/^\| (`.*?`(?:, `.*?`)*) +\|/gm)) {
          for (const [, column] of names!.matchAll(/`(\w+)`/g)) documented.push({ view, column: column! });
        }
      }
      const text = (list: { view: string; column: string }[]) =>
        list.map(({ view, column }) => `${view}.${column}`).sort();
      expect(text(documented)).toEqual(text(columns));
    });
  });

  describe('a question in PromQL', () => {
    const asked = [
      ...targets.flatMap(({ name, target }) => (target.expr ? [[name, target.expr] as const] : [])),
      ...rules.flatMap(({ record, expr }) => (record ? [[record, expr] as const] : [])),
    ];

    it.each(asked)('has an answer: %s', async (_name, expr) => {
      // A rate needs two scrapes after the first event.
      for (;;) {
        if ((await prometheus.query(inGrafana(expr, { service: '.*' }))).length > 0) return;
        await delay(500);
      }
    });

    it.each(rules.flatMap(({ alert, expr }) => (alert ? [[alert, expr] as const] : [])))(
      'that alerts is about series that are there: %s',
      async (_alert, expr) => {
        await prometheus.query(expr);
        for (const [metric] of expr.matchAll(/lineprint[:_][a-z_:0-9]+/g)) {
          while ((await prometheus.query(metric)).length === 0) await delay(500);
        }
      },
    );

    it('finds every service', async () => {
      const up = await prometheus.query('up');
      expect(up.map(({ value }) => value)).toEqual(Object.keys(pipeline.stack!.services).map(() => 1));
    });

    it('may be asked of one process for everything as well', async () => {
      const embedded = await embeddedPipeline();
      const text = await (await fetch(`${embedded.queryUrl}/metrics`)).text();
      await embedded.stop();
      const names = [...text.matchAll(/^# TYPE (lineprint_\w+)/gm)].map(([, name]) => name);
      const listed = readFileSync(join(root, 'docs/metrics.md'), 'utf8').matchAll(/^\| `(lineprint_\w+)`/gm);
      expect(names.sort()).toEqual([...listed].map(([, name]) => name).sort());
    });

    it('finds what docs/metrics.md lists, in these services, with these labels, and nothing else', async () => {
      const exposed: Record<string, { type: string; services: string[]; labels: Set<string> }> = {};
      for (const [service, { url }] of Object.entries(pipeline.stack!.services)) {
        const text = await (await fetch(`${url}/metrics`)).text();
        for (const [, name, type] of text.matchAll(/^# TYPE (lineprint_\w+) (\w+)$/gm)) {
          const known = (exposed[name!] ??= { type: type!, services: [], labels: new Set() });
          known.services.push(service);
          for (const [, labels] of text.matchAll(new RegExp(`^${name}(?:_bucket)?{(.*)} `, 'gm'))) {
            for (const [, label] of labels!.matchAll(/(\w+)="/g)) known.labels.add(label!);
          }
        }
      }
      const all = Object.keys(pipeline.stack!.services);
      const page = readFileSync(join(root, 'docs/metrics.md'), 'utf8');
      const rows = page.matchAll(/^\| `(lineprint_\w+)` +\| (\w+) +\| ([\w, ]*?) *\| ([\w, -]+?) *\|/gm);
      const listed = [...rows].map(([, name, type, labels, services]) => [
        name!,
        {
          type,
          labels: words(labels!).sort(),
          services: /^all/.test(services!)
            ? all.filter((service) => service !== services!.slice('all but '.length))
            : words(services!),
        },
      ]);
      const seen = Object.entries(exposed).map(([name, { type, services, labels }]) => [
        name,
        { type, labels: [...labels].filter((label) => !['service', 'le'].includes(label)).sort(), services },
      ]);
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(listed));
    });
  });
});

/** Columns that nothing in the sample fills: nobody follows it for ninety days. */
const MAY_BE_MISSING = new Set(['90 days']);

/** What Grafana makes of its variables and macros. */
function inGrafana(text: string, values: Readonly<Record<string, string>>): string {
  const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`;
  return text
    .replace(
      /\$__timeFilter\((\w+)\)/g,
      (_, column: string) => `${column} BETWEEN ${quoted(values['__from']!)} AND ${quoted(values['__to']!)}`,
    )
    .replaceAll('$__rate_interval', '1m')
    .replace(/\$\{(\w+):sqlstring\}/g, (_, name: string) => quoted(values[name]!))
    .replace(/\$(\w+)/g, (_, name: string) => values[name]!);
}

function words(text: string): string[] {
  return text.split(/, /).filter((word) => word !== '');
}

/** Until every commit that has come stands in the ledger, under its labels. */
async function followed(database: Database): Promise<void> {
  for (;;) {
    const [state] = await database.query<Row & { done: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM life_lines) AND EXISTS (SELECT 1 FROM head_file_lines)
          AND NOT EXISTS (SELECT 1 FROM ledger_requests) AND NOT EXISTS (SELECT 1 FROM ledger_relabels)
          AND NOT EXISTS (SELECT 1 FROM stale_head_files) AND NOT EXISTS (SELECT 1 FROM stale_lives) AS done`,
    );
    if (state!.done) return;
    await delay(100);
  }
}

/** A request that is refused, a record that nobody can read, and questions. */
async function somethingWrong({ log, ingestUrl, queryUrl }: Pipeline, apiKey: string): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  // Another one each second, as in a rate.
  for (let i = 0; i < 3; i++) {
    const refused = await fetch(`${ingestUrl}/api/v1/commits`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ commits: [{ sha: 'nonsense' }] }),
    });
    expect(refused.status).toBe(422);
    await log.append([{ topic: TOPICS.commits, key: 'nobody', value: Buffer.from('nonsense'), headers: {} }]);
    for (const path of ['summary', 'commits']) await fetch(`${queryUrl}/api/v1/${path}`, { headers });
    await delay(1_100);
  }
}
