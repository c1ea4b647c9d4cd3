/**
 * `node tools/grafana.mjs` writes the dashboards of deploy/grafana/dashboards, so that their panels are placed, coloured
 * and queried alike; `--check` says whether they are as this file has them. Grafana 11 or later.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import prettier from 'prettier';
import { root } from './setup.mjs';

/** Variables, so that the dashboards work with sources that were there before. */
const PROMETHEUS = { type: 'prometheus', uid: '${metrics}' };
const POSTGRES = { type: 'grafana-postgresql-datasource', uid: '${sql}' };
const SCHEMA_VERSION = 39;
const WIDTH = 24;

/** As on Lineprint's own dashboard: kept and changed from AI, human, everything else. */
const COLOURS = {
  kept: '#7c5cff',
  changed: '#b9a8ff',
  human: '#2a9d8f',
  unknown: '#8a8f98',
  AI: '#7c5cff',
};

// ── panels ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * @param {string} type Grafana's
 * @param {string} title
 * @param {object} settings `unit` as Grafana names it; `description` says how it is counted; `targets` of `sql` or `promql`
 */
function panel(
  type,
  title,
  { unit, description, targets, width = 8, height = 8, fieldConfig = {}, options = {}, transformations = [] },
) {
  const { defaults = {}, overrides = [] } = fieldConfig;
  return {
    type,
    title,
    description,
    datasource: targets[0].datasource,
    targets: targets.map((target, i) => ({ refId: String.fromCharCode(65 + i), ...target })),
    fieldConfig: { defaults: { unit, ...defaults }, overrides },
    options,
    transformations,
    size: { width, height },
  };
}

function promql(expr, legendFormat = '__auto', { instant = false } = {}) {
  return {
    datasource: PROMETHEUS,
    editorMode: 'code',
    expr,
    legendFormat,
    range: !instant,
    instant,
  };
}

function sql(rawSql, format = 'table') {
  return {
    datasource: POSTGRES,
    editorMode: 'code',
    format,
    rawQuery: true,
    rawSql: rawSql
      .trim()
      .replace(/\n {4}/g, '\n')
      .replace(/\n\s*\n/g, '\n'),
  };
}

const legend = { displayMode: 'list', placement: 'bottom', showLegend: true };

function series(title, settings) {
  const { stacked, bars, max, colours = [], ...rest } = settings;
  return panel('timeseries', title, {
    ...rest,
    fieldConfig: {
      defaults: {
        min: 0,
        ...(max === undefined ? {} : { max }),
        custom: {
          drawStyle: bars ? 'bars' : 'line',
          lineWidth: bars ? 1 : 2,
          fillOpacity: bars ? 80 : stacked ? 40 : 8,
          showPoints: 'never',
          spanNulls: !stacked,
          stacking: { mode: stacked ? 'normal' : 'none', group: 'A' },
        },
      },
      overrides: colours.map(coloured),
    },
    options: { legend, tooltip: { mode: 'multi', sort: 'desc' } },
  });
}

function coloured(name) {
  return {
    matcher: { id: 'byName', options: name },
    properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: COLOURS[name] } }],
  };
}

/** One number. @param {[string, number][]} [settings.steps] colours and from where on each holds */
function stat(title, settings) {
  const { steps, decimals, ...rest } = settings;
  return panel('stat', title, {
    width: 4,
    height: 4,
    ...rest,
    fieldConfig: {
      defaults: {
        ...(decimals === undefined ? {} : { decimals }),
        color: { mode: steps ? 'thresholds' : 'fixed', ...(steps ? {} : { fixedColor: 'text' }) },
        ...(steps
          ? {
              thresholds: {
                mode: 'absolute',
                steps: steps.map(([color, value], i) => ({ color, value: i === 0 ? null : value })),
              },
            }
          : {}),
      },
    },
    options: {
      colorMode: 'value',
      graphMode: 'none',
      justifyMode: 'auto',
      textMode: 'value',
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    },
  });
}

/** Parts of a whole: one row, a column a part. */
function parts(title, settings) {
  return panel('piechart', title, {
    height: 8,
    ...settings,
    fieldConfig: { overrides: Object.keys(COLOURS).map(coloured) },
    options: {
      pieType: 'donut',
      displayLabels: ['percent'],
      legend: { ...legend, values: ['value'] },
      reduceOptions: { calcs: ['lastNotNull'], fields: '', values: settings.values ?? false },
    },
  });
}

/** @param {Record<string, string>} settings.units by column, of those that are not counts */
function table(title, { units = {}, ...rest }) {
  return panel('table', title, {
    unit: 'none',
    height: 9,
    width: 12,
    ...rest,
    fieldConfig: {
      defaults: { custom: { align: 'auto', filterable: true } },
      overrides: Object.entries(units).map(([name, unit]) => ({
        matcher: { id: 'byName', options: name },
        properties: [
          { id: 'unit', value: unit },
          ...(unit === 'percentunit'
            ? [
                {
                  id: 'custom.cellOptions',
                  value: { type: 'gauge', mode: 'basic', valueDisplayMode: 'text' },
                },
                { id: 'min', value: 0 },
                { id: 'max', value: 1 },
              ]
            : []),
        ],
      })),
    },
    options: { cellHeight: 'sm', showHeader: true, footer: { show: false } },
  });
}

/** A curve over days of age, not over time. */
function curve(title, settings) {
  return panel('trend', title, {
    unit: 'percentunit',
    width: 12,
    height: 10,
    ...settings,
    fieldConfig: {
      defaults: {
        min: 0,
        max: 1,
        custom: { drawStyle: 'line', lineWidth: 2, fillOpacity: 5, showPoints: 'auto', spanNulls: true },
      },
      overrides: [
        coloured('AI'),
        coloured('human'),
        {
          matcher: { id: 'byName', options: 'age_days' },
          properties: [{ id: 'unit', value: 'd' }],
        },
      ],
    },
    options: { xField: 'age_days', legend, tooltip: { mode: 'multi', sort: 'desc' } },
  });
}

// ── dashboards ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Rows of panels, each from the left on; a panel that does not fit begins a new line. */
function laidOut(rows) {
  const placed = [];
  let y = 0;
  const place = (gridPos, { size: _, ...rest }) => placed.push({ id: placed.length + 1, gridPos, ...rest });
  for (const { title, panels } of rows) {
    place({ x: 0, y, w: WIDTH, h: 1 }, { type: 'row', title, collapsed: false, panels: [] });
    y += 1;
    let [x, line] = [0, 0];
    for (const one of panels) {
      const { width, height } = one.size;
      if (x + width > WIDTH) [x, y, line] = [0, y + line, 0];
      place({ x, y, w: width, h: height }, one);
      x += width;
      line = Math.max(line, height);
    }
    y += line;
  }
  return placed;
}

function dashboard({ uid, title, description, tags, variables, rows, from }) {
  return {
    uid,
    title,
    description,
    tags: ['lineprint', ...tags],
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    editable: true,
    graphTooltip: 1,
    time: { from, to: 'now' },
    timezone: 'utc',
    refresh: '',
    annotations: { list: [] },
    links: [
      {
        type: 'dashboards',
        title: 'Lineprint',
        tags: ['lineprint'],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    templating: { list: variables },
    panels: laidOut(rows),
  };
}

function sqlVariable(name, label, query, { multi = false } = {}) {
  return {
    type: 'query',
    name,
    label,
    datasource: POSTGRES,
    query,
    refresh: 2,
    sort: 0,
    multi,
    includeAll: multi,
    ...(multi ? { current: { text: ['All'], value: ['$__all'] } } : {}),
  };
}

function choice(name, label, values) {
  return {
    type: 'custom',
    name,
    label,
    query: values.join(','),
    current: { text: values[0], value: values[0] },
    options: values.map((value, i) => ({ text: value, value, selected: i === 0 })),
    multi: false,
    includeAll: false,
  };
}

/** @param {string} uid as deploy/grafana/provisioning has it */
function source(name, label, { type }, uid, text) {
  return { type: 'datasource', name, label, query: type, current: { text, value: uid } };
}

const METRICS = source('metrics', 'Metrics', PROMETHEUS, 'lineprint-prometheus', 'Lineprint metrics');
const SQL = source('sql', 'SQL', POSTGRES, 'lineprint-postgres', 'Lineprint SQL');
const ORG = sqlVariable(
  'org',
  'Organisation',
  'SELECT org_id AS __value, name AS __text FROM v_organisations ORDER BY name',
);
const POLICY = sqlVariable(
  'policy',
  'Policy',
  `SELECT policy_id AS __value, policy_id || CASE WHEN active THEN ' (active)' ELSE '' END AS __text
FROM v_policies WHERE org_id = \${org:sqlstring} ORDER BY active DESC, created_at DESC`,
);
const BUCKET = choice('bucket', 'By', ['day', 'week', 'month']);
const PROJECT = sqlVariable(
  'project',
  'Project',
  `SELECT DISTINCT project_id FROM v_attribution_daily
WHERE org_id = \${org:sqlstring} AND policy_id = \${policy:sqlstring} ORDER BY project_id`,
);
const PERSON = sqlVariable(
  'person',
  'Person',
  'SELECT DISTINCT person_id FROM v_people WHERE org_id = ${org:sqlstring} ORDER BY person_id',
);

// ── pipeline health ─────────────────────────────────────────────────────────────────────────────────────────────────

const SERVICE = {
  type: 'query',
  name: 'service',
  label: 'Service',
  datasource: PROMETHEUS,
  query: { query: 'label_values(process_start_time_seconds, service)', refId: 'service' },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: ['All'], value: ['$__all'] },
};

function health() {
  const quantile = (q, metric, by, where = '') =>
    `histogram_quantile(${q}, sum by (le${by ? `, ${by}` : ''}) (rate(${metric}_bucket{service=~"$service"${where}}[$__rate_interval])))`;
  const rate = (metric, by, where = '') =>
    `sum by (${by}) (rate(${metric}{service=~"$service"${where}}[$__rate_interval]))`;
  return dashboard({
    uid: 'lineprint-health',
    title: 'Lineprint: pipeline health',
    description: 'The four rates that alert (docs/runbook.md), and what explains them (docs/metrics.md).',
    tags: ['operations'],
    from: 'now-6h',
    variables: [METRICS, SERVICE],
    rows: [
      {
        title: 'What alerts',
        panels: [
          stat('Ingest success', {
            unit: 'percentunit',
            width: 6,
            decimals: 2,
            description: 'Requests to the door that were not answered with a 5xx, over five minutes.',
            steps: [['red'], ['orange', 0.99], ['green', 0.999]],
            targets: [promql('lineprint:ingest_success:ratio', 'success')],
          }),
          stat('Event age at commit, p99', {
            unit: 's',
            width: 6,
            description: 'From the door until the effect of the slowest consumer’s events is durable.',
            steps: [['green'], ['orange', 300], ['red', 600]],
            targets: [promql('max(lineprint:event_age_seconds:p99)', 'p99')],
          }),
          stat('Dead letters', {
            unit: 'percentunit',
            width: 6,
            decimals: 2,
            description: 'Share of the records of the worst consumer, over fifteen minutes.',
            steps: [['green'], ['orange', 0.001], ['red', 0.01]],
            targets: [promql('max(lineprint:dead_letters:ratio)', 'ratio')],
          }),
          stat('Questions, p99', {
            unit: 's',
            width: 6,
            description: 'How long GETs of the API take, exports left out.',
            steps: [['green'], ['orange', 0.5], ['red', 1]],
            targets: [promql('lineprint:query_seconds:p99', 'p99')],
          }),
        ],
      },
      {
        title: 'The door',
        panels: [
          series('Requests by status', {
            unit: 'reqps',
            stacked: true,
            description: '499: the client has gone before its answer was whole.',
            targets: [promql(rate('lineprint_http_request_duration_seconds_count', 'status'), '{{status}}')],
          }),
          series('Items taken and refused', {
            unit: 'cps',
            description: 'Of clients and mirrors: snippets, commits, refs, sessions.',
            targets: [
              promql(rate('lineprint_ingest_items_total', 'topic, outcome'), '{{topic}} {{outcome}}'),
            ],
          }),
          series('Why items are refused', {
            unit: 'cps',
            description: 'By the code that the client was answered with.',
            targets: [promql(rate('lineprint_ingest_rejections_total', 'topic, code'), '{{topic}} {{code}}')],
          }),
          series('Duration of requests, p95', {
            unit: 's',
            width: 12,
            description: 'By route.',
            targets: [
              promql(
                quantile(0.95, 'lineprint_http_request_duration_seconds', 'method, route'),
                '{{method}} {{route}}',
              ),
            ],
          }),
          series('Looks at connected repositories', {
            unit: 'cps',
            width: 12,
            stacked: true,
            description: 'sent: there were new commits.',
            targets: [promql(rate('lineprint_mirror_fetches_total', 'outcome'), '{{outcome}}')],
          }),
        ],
      },
      {
        title: 'The log',
        panels: [
          series('Age of events when their effect is durable, p99', {
            unit: 's',
            width: 12,
            description: 'From the door on, over all hops.',
            targets: [
              promql(quantile(0.99, 'lineprint_event_age_seconds', 'topic, group'), '{{group}} {{topic}}'),
            ],
          }),
          series('Lag', {
            unit: 'short',
            width: 12,
            description: 'Records between a group’s position and the end of its topic.',
            targets: [
              promql(
                'sum by (topic, group) (lineprint_log_lag_records{service=~"$service"})',
                '{{group}} {{topic}}',
              ),
            ],
          }),
          series('Records by what became of them', {
            unit: 'cps',
            description: 'processed, dead-lettered, or to come again (retried).',
            targets: [promql(rate('lineprint_records_total', 'group, outcome'), '{{group}} {{outcome}}')],
          }),
          series('Dead letters by reason', {
            unit: 'cps',
            bars: true,
            stacked: true,
            description: '`lineprint dlq list` shows them.',
            targets: [promql(rate('lineprint_dead_letters_total', 'group, code'), '{{group}} {{code}}')],
          }),
          series('Duration of batches, p95', {
            unit: 's',
            description: 'Dead letters included.',
            targets: [promql(quantile(0.95, 'lineprint_batch_duration_seconds', 'group'), '{{group}}')],
          }),
          series('Oldest record of the outbox', {
            unit: 's',
            description: 'What was written with its rows and is not in the log yet.',
            targets: [promql('max(lineprint_outbox_age_seconds{service=~"$service"})', 'age')],
          }),
          series('Commits to be analysed again', {
            unit: 'cps',
            description: 'Asked for because of late snippets, and what became of that.',
            targets: [
              promql(rate('lineprint_reanalysis_requests_total', 'outcome'), '{{outcome}}'),
              promql(rate('lineprint_revisions_total', 'outcome'), '{{outcome}}'),
            ],
          }),
        ],
      },
      {
        title: 'Stores and processes',
        panels: [
          series('Memory of the recall index', {
            unit: 'bytes',
            description: 'All that Redis uses, or the index’s own where it is in the process.',
            targets: [promql('max(lineprint_recall_index_bytes{service=~"$service"})', 'index')],
          }),
          series('Connections to the database', {
            unit: 'short',
            description: 'waiting: requests that wait for one.',
            targets: [
              promql(
                'sum by (service, state) (lineprint_database_connections{service=~"$service"})',
                '{{service}} {{state}}',
              ),
            ],
          }),
          series('Sums that differ', {
            unit: 'short',
            description:
              'Daily sums that were not those of their results when the nightly reconciliation looked last.',
            targets: [
              promql('max(lineprint_reconciliation_differences{service=~"$service"})', 'differences'),
            ],
          }),
          series('Event loop, p99', {
            unit: 's',
            description: 'How late timers are: a process that computes for long shows here.',
            targets: [
              promql(
                'max by (service) (nodejs_eventloop_lag_p99_seconds{service=~"$service"})',
                '{{service}}',
              ),
            ],
          }),
          series('Resident memory', {
            unit: 'bytes',
            description: 'By service, of the largest process.',
            targets: [
              promql('max by (service) (process_resident_memory_bytes{service=~"$service"})', '{{service}}'),
            ],
          }),
          series('Processor', {
            unit: 'percentunit',
            description: 'Of one core, by service.',
            targets: [promql(rate('process_cpu_seconds_total', 'service'), '{{service}}')],
          }),
        ],
      },
    ],
  });
}

// ── attribution ─────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * @param {string} scope further conditions, beginning with AND
 * @param {(conditions: string) => string} survivedOf what the curves are drawn from
 */
function attribution(scope, survivedOf) {
  const own = `org_id = \${org:sqlstring} AND policy_id = \${policy:sqlstring}${scope}`;
  const daily = `FROM v_attribution_daily
    WHERE ${own} AND $__timeFilter(date)`;
  const lines = `FROM v_lines_daily
    WHERE ${own} AND counted AND $__timeFilter(date)`;
  const head = `${own} AND default_branch`;
  const survived = survivedOf(head);
  const share = 'SUM(weighted) / NULLIF(SUM(lines), 0)';
  const headShare = 'SUM(weighted) / NULLIF(SUM(lines) - SUM(unknown), 0)';

  const period = {
    title: 'In the period',
    panels: [
      stat('AI share', {
        unit: 'percentunit',
        decimals: 1,
        description: 'Kept lines count whole, changed ones half, of all lines added that count.',
        targets: [sql(`SELECT ${share} AS "AI share" ${daily}`)],
      }),
      stat('Lines', {
        unit: 'short',
        description: 'Added by commits that count: without blank, moved, copied and excluded ones.',
        targets: [sql(`SELECT SUM(lines) AS "lines" ${daily}`)],
      }),
      stat('AI lines', {
        unit: 'short',
        description: 'Kept + 0.5 × changed.',
        targets: [sql(`SELECT SUM(weighted) AS "AI lines" ${daily}`)],
      }),
      stat('Commits', {
        unit: 'short',
        description: 'That add lines and count.',
        targets: [sql(`SELECT SUM(commits) AS "commits" ${daily}`)],
      }),
      stat('People', {
        unit: 'short',
        description: 'Authors of these lines.',
        targets: [
          sql(`
    SELECT COUNT(DISTINCT person_id) FILTER (WHERE lines > 0) AS "people"
    FROM v_attribution_daily JOIN v_people USING (org_id, user_id)
    WHERE ${own} AND $__timeFilter(date)`),
        ],
      }),
      stat('Accept rate', {
        unit: 'percentunit',
        decimals: 1,
        description: 'Tab suggestions accepted of those shown, as clients report them.',
        targets: [
          sql(
            `SELECT LEAST(1, SUM(suggestions_accepted)::float / NULLIF(SUM(suggestions_shown), 0)) AS "accept rate" ${daily}`,
          ),
        ],
      }),
      series('Lines by origin', {
        unit: 'short',
        width: 12,
        height: 9,
        bars: true,
        stacked: true,
        description: 'Kept from AI, changed from AI, written by people.',
        colours: ['kept', 'changed', 'human'],
        targets: [
          sql(
            `
    SELECT DATE_TRUNC(\${bucket:sqlstring}, date)::timestamp AS time,
      SUM(preserved) AS "kept", SUM(modified) AS "changed", SUM(human) AS "human"
    ${daily}
    GROUP BY 1 ORDER BY 1`,
            'time_series',
          ),
        ],
      }),
      series('AI share over time', {
        unit: 'percentunit',
        width: 12,
        height: 9,
        max: 1,
        description: 'Of the lines of each day, week or month.',
        colours: ['AI'],
        targets: [
          sql(
            `
    SELECT DATE_TRUNC(\${bucket:sqlstring}, date)::timestamp AS time, ${share} AS "AI"
    ${daily}
    GROUP BY 1 ORDER BY 1`,
            'time_series',
          ),
        ],
      }),
      parts('Sources', {
        unit: 'short',
        description: 'AI lines (weighted) by what made them.',
        targets: [
          sql(
            `SELECT SUM(tab_weighted) AS "tab", SUM(chat_weighted) AS "chat", SUM(agent_weighted) AS "agent" ${daily}`,
          ),
        ],
      }),
      parts('Confidence', {
        unit: 'short',
        description:
          'AI lines by strength of evidence; suspect lines are human ones that a match was too weak for; unique: all others.',
        targets: [
          sql(
            `SELECT SUM(high) AS "HIGH", SUM(low) AS "LOW", SUM(suspect) AS "SUSPECT", SUM(human - suspect) AS "UNIQUE" ${daily}`,
          ),
        ],
      }),
      parts('Evidence', {
        unit: 'short',
        description:
          'AI lines (weighted): matched to a snippet, declared by the commit, or estimated from an old client’s signature.',
        targets: [
          sql(
            `SELECT SUM(matched_weighted) AS "matched", SUM(declared_weighted) AS "declared", SUM(estimated_weighted) AS "estimated" ${daily}`,
          ),
        ],
      }),
      table('Languages', {
        description: 'Of the files that the lines were added to.',
        units: { 'AI share': 'percentunit' },
        targets: [
          sql(`
    SELECT language, SUM(lines) AS "lines", SUM(weighted) AS "AI lines", ${share} AS "AI share"
    ${lines}
    GROUP BY language ORDER BY 2 DESC LIMIT 20`),
        ],
      }),
      table('Models', {
        description: 'Of the snippets, or of what commits declare, where they name one.',
        units: { kept: 'percentunit' },
        targets: [
          sql(`
    SELECT COALESCE(model, 'not named') AS model, COALESCE(source, 'unknown') AS source,
      SUM(preserved + modified) AS "lines",
      SUM(preserved)::float / NULLIF(SUM(preserved + modified), 0) AS "kept"
    ${lines} AND preserved + modified > 0
    GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 20`),
        ],
      }),
    ],
  };

  const contributors = table('Contributors', {
    description: 'Under all addresses that mailmaps and people have given them.',
    units: { 'AI share': 'percentunit' },
    targets: [
      sql(`
    SELECT person_id AS "person", SUM(commits) AS "commits", SUM(lines) AS "lines", SUM(weighted) AS "AI lines",
      ${share} AS "AI share"
    FROM v_attribution_daily JOIN v_people USING (org_id, user_id)
    WHERE ${own} AND $__timeFilter(date)
    GROUP BY person_id HAVING SUM(lines) > 0 ORDER BY SUM(lines) DESC LIMIT 50`),
    ],
  });
  const projects = table('Projects', {
    description: 'As commits and clients name them.',
    units: { 'AI share': 'percentunit' },
    targets: [
      sql(`
    SELECT project_id AS "project", SUM(commits) AS "commits", SUM(lines) AS "lines", SUM(weighted) AS "AI lines",
      ${share} AS "AI share"
    ${daily}
    GROUP BY project_id HAVING SUM(lines) > 0 ORDER BY SUM(lines) DESC LIMIT 50`),
    ],
  });
  const commits = table('Recent commits', {
    width: 24,
    description: 'Those that do not count are not on a branch that does.',
    units: { 'AI share': 'percentunit', time: 'dateTimeAsIso' },
    targets: [
      sql(`
    SELECT authored_at AS "time", repository, LEFT(commit_sha, 10) AS "commit", author_name AS "author", files,
      lines, preserved AS "kept", modified AS "changed", human, weighted / NULLIF(lines, 0) AS "AI share",
      declared_tool AS "declared", late, counted
    FROM v_commits
    WHERE ${own} AND $__timeFilter(authored_at)
    ORDER BY authored_at DESC LIMIT 50`),
    ],
  });
  const changedFiles = table('Files with the most AI lines', {
    description: 'Added in the period: kept and changed ones, each a whole line.',
    units: { share: 'percentunit' },
    targets: [
      sql(`
    SELECT repository, path, SUM(lines) AS "lines",
      COALESCE(SUM(lines) FILTER (WHERE kind <> 'human'), 0) AS "from AI",
      COALESCE(SUM(lines) FILTER (WHERE kind <> 'human'), 0)::float / NULLIF(SUM(lines), 0) AS "share"
    FROM v_lines
    WHERE ${own} AND counted AND $__timeFilter(day)
    GROUP BY repository, path ORDER BY 4 DESC, 3 DESC LIMIT 50`),
    ],
  });

  const headStats = [
    stat('AI share of HEAD', {
      unit: 'percentunit',
      decimals: 1,
      description: 'Of the lines that stand on default branches now, without those older than what is known.',
      targets: [sql(`SELECT ${headShare} AS "AI share" FROM v_head_lines WHERE ${head}`)],
    }),
    stat('Lines at HEAD', {
      unit: 'short',
      description: 'Without blank ones and files that do not count.',
      targets: [sql(`SELECT SUM(lines) AS "lines" FROM v_head_lines WHERE ${head}`)],
    }),
    stat('Of unknown origin', {
      unit: 'short',
      description: 'Older than the first commit that is known.',
      targets: [sql(`SELECT SUM(unknown) AS "lines" FROM v_head_lines WHERE ${head}`)],
    }),
  ];
  const headLines = parts('Lines at HEAD by origin', {
    unit: 'short',
    width: 12,
    description: 'What became of them since does not change what they were when they were added.',
    targets: [
      sql(
        `SELECT SUM(preserved) AS "kept", SUM(modified) AS "changed", SUM(human) AS "human", SUM(unknown) AS "unknown" FROM v_head_lines WHERE ${head}`,
      ),
    ],
  });
  const headBy = (title, column, name) =>
    table(title, {
      description: 'Lines that stand now.',
      units: { 'AI share': 'percentunit' },
      targets: [
        sql(`
    SELECT ${column} AS "${name}", SUM(lines) AS "lines", SUM(weighted) AS "AI lines", ${headShare} AS "AI share"
    FROM v_head_lines
    WHERE ${head}
    GROUP BY 1 ORDER BY 2 DESC LIMIT 50`),
      ],
    });

  const alive = (condition) =>
    `SUM(alive) FILTER (WHERE ${condition})::float / NULLIF(SUM(lines) FILTER (WHERE ${condition}), 0)`;
  const survival = {
    title: 'How long lines stand',
    panels: [
      curve('Survival, AI against human lines', {
        description:
          'Share still on the default branch so many days after they came there: of lines followed that long.',
        targets: [
          sql(`
    SELECT age_days, ${alive(`origin = 'ai'`)} AS "AI", ${alive(`origin = 'human'`)} AS "human"
    FROM ${survived}
    GROUP BY age_days ORDER BY age_days`),
        ],
      }),
      table('Survival by source', {
        height: 10,
        description: 'Share of lines that stand after so many days.',
        units: { '7 days': 'percentunit', '30 days': 'percentunit', '90 days': 'percentunit' },
        targets: [
          sql(`
    SELECT CASE origin WHEN 'human' THEN 'human' ELSE COALESCE(source, 'unknown') END AS "source",
      COALESCE(model, '') AS "model", SUM(lines) FILTER (WHERE age_days = 0) AS "born",
      ${alive('age_days = 7')} AS "7 days",
      ${alive('age_days = 30')} AS "30 days",
      ${alive('age_days = 90')} AS "90 days"
    FROM ${survived}
    GROUP BY 1, 2 ORDER BY 3 DESC NULLS LAST LIMIT 20`),
        ],
      }),
      series('Standing after 30 days, by week of birth', {
        unit: 'percentunit',
        width: 12,
        max: 1,
        description: 'Weeks begin on Monday.',
        colours: ['AI', 'human'],
        targets: [
          sql(
            `
    SELECT week::timestamp AS time, ${alive(`origin = 'ai'`)} AS "AI", ${alive(`origin = 'human'`)} AS "human"
    FROM ${survived}
    WHERE age_days = 30 AND $__timeFilter(week)
    GROUP BY week ORDER BY week`,
            'time_series',
          ),
        ],
      }),
      table('Churn', {
        height: 8,
        description: 'Lines that were gone within 14 days, of those that came at least 14 days ago.',
        units: { churn: 'percentunit' },
        targets: [
          sql(`
    SELECT origin, SUM(lines) AS "born",
      COALESCE(SUM(lines) FILTER (WHERE lived_days < 14), 0) AS "gone",
      COALESCE(SUM(lines) FILTER (WHERE lived_days < 14), 0)::float
        / NULLIF(SUM(lines), 0) AS "churn"
    FROM v_lives
    WHERE ${head} AND followed_days >= 14
    GROUP BY origin ORDER BY origin`),
        ],
      }),
    ],
  };
  return {
    period,
    contributors,
    projects,
    commits,
    changedFiles,
    headStats,
    headLines,
    headBy,
    survival,
    own,
  };
}

/** By week and source, of everybody. */
function summedSurvival(conditions) {
  return `(SELECT * FROM v_survival WHERE ${conditions}) AS survived`;
}

/** The same of a person, whose lines that view does not tell apart. */
function personsSurvival(conditions) {
  return `(
      SELECT age_days, week, origin, source, model, SUM(lines) AS lines,
        COALESCE(SUM(lines) FILTER (WHERE lived_days IS NULL OR lived_days >= age_days), 0) AS alive
      FROM v_lives
      JOIN UNNEST(ARRAY[0, 1, 3, 7, 14, 21, 30, 45, 60, 90, 120, 180, 270, 365]) AS age_days
        ON age_days <= followed_days
      WHERE ${conditions}
      GROUP BY age_days, week, origin, source, model
    ) AS survived`;
}

function organisation() {
  const a = attribution('', summedSurvival);
  return dashboard({
    uid: 'lineprint-organisation',
    title: 'Lineprint: organisation',
    description: 'How much of what lands in git, and stays there, came from AI.',
    tags: ['attribution'],
    from: 'now-90d',
    variables: [SQL, ORG, POLICY, BUCKET],
    rows: [
      { ...a.period, panels: [...a.period.panels, a.projects, a.contributors] },
      {
        title: 'Now on default branches',
        panels: [
          ...a.headStats,
          a.headLines,
          a.headBy('Repositories at HEAD', 'repository', 'repository'),
          a.headBy('Languages at HEAD', 'language', 'language'),
        ],
      },
      a.survival,
    ],
  });
}

function project() {
  const a = attribution(' AND project_id = ${project:sqlstring}', summedSurvival);
  return dashboard({
    uid: 'lineprint-project',
    title: 'Lineprint: project',
    description: 'One project: who and what its lines are from, and what became of them.',
    tags: ['attribution'],
    from: 'now-90d',
    variables: [SQL, ORG, POLICY, PROJECT, BUCKET],
    rows: [
      { ...a.period, panels: [...a.period.panels, a.contributors, a.changedFiles, a.commits] },
      {
        title: 'Now on default branches',
        panels: [
          ...a.headStats,
          a.headLines,
          a.headBy(
            'Folders at HEAD',
            `repository || '/' || COALESCE(NULLIF(REGEXP_REPLACE(path, '/?[^/]*$', ''), ''), '.')`,
            'folder',
          ),
          a.headBy('Files at HEAD', `repository || '/' || path`, 'file'),
        ],
      },
      a.survival,
    ],
  });
}

function person() {
  const a = attribution(
    `
      AND user_id IN (
        SELECT user_id FROM v_people WHERE org_id = \${org:sqlstring} AND person_id = \${person:sqlstring}
      )`,
    personsSurvival,
  );
  const isNotPeople = ({ title }) => title !== 'People';
  return dashboard({
    uid: 'lineprint-person',
    title: 'Lineprint: person',
    description: 'One author’s lines. Give each person the rights on their own numbers only (docs/sql.md).',
    tags: ['attribution'],
    from: 'now-90d',
    variables: [SQL, ORG, POLICY, PERSON, BUCKET],
    rows: [
      {
        ...a.period,
        panels: [...a.period.panels.filter(isNotPeople), a.projects, a.changedFiles, a.commits],
      },
      {
        title: 'Now on default branches',
        panels: [
          parts('Own lines at HEAD by origin', {
            unit: 'short',
            width: 12,
            values: true,
            description: 'Lines that this author’s commits added and that stand now.',
            targets: [
              sql(`
    SELECT CASE kind WHEN 'preserved' THEN 'kept' WHEN 'modified' THEN 'changed' ELSE kind END AS "origin",
      SUM(lines) AS "lines"
    FROM v_head_lines
    WHERE ${a.own} AND default_branch
    GROUP BY 1 ORDER BY 2 DESC`),
            ],
          }),
          table('Own files at HEAD', {
            height: 8,
            description: 'Where these lines are.',
            targets: [
              sql(`
    SELECT repository, path, SUM(lines) AS "lines",
      COALESCE(SUM(lines) FILTER (WHERE kind IN ('preserved', 'modified')), 0) AS "from AI"
    FROM v_head_lines
    WHERE ${a.own} AND default_branch
    GROUP BY repository, path ORDER BY 3 DESC LIMIT 50`),
            ],
          }),
        ],
      },
      a.survival,
    ],
  });
}

const made = {
  'pipeline-health': health(),
  organisation: organisation(),
  project: project(),
  person: person(),
};
for (const [name, one] of Object.entries(made)) {
  const file = join(root, 'deploy', 'grafana', 'dashboards', `${name}.json`);
  const options = await prettier.resolveConfig(file);
  const text = await prettier.format(JSON.stringify(one), { ...options, parser: 'json' });
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${file} is not as tools/grafana.mjs has it: run it`);
    process.exitCode = 1;
  }
}
