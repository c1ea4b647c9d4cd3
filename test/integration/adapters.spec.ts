import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { adapters, CaptureState, recordEdits, runHook, sendSpool, VERSION } from '@lineprint/capture';
import { deriveLineKey } from '@lineprint/fingerprint';
import { LineRecords, listCommits, openRepository, sendHistory } from '@lineprint/git';
import { distributedPipeline, embeddedPipeline, Organisation, type Pipeline } from '../pipeline';
import { LINE_KEY } from '../programs';
import { TestRepository } from '../repositories';

// What each assistant tells, in its real shape, from the spool over HTTP, the log and the index to the lines of the
// commit. More of Claude Code, and the programs that users start, are in capture.spec.ts.

jest.setTimeout(120_000);

const FIXTURES = join(__dirname, '../../libs/capture/src/adapters/fixtures');
/** Between the first commit of a TestRepository and its second. */
const AT = 1_780_000_090_000;

interface CommittedFile {
  /** What the commit before holds; nothing for a new file. */
  readonly before?: string;
  /** What is committed. */
  readonly after: string;
  /** Of each line of `after`: P kept from AI, M changed from AI, H human, `.` not counted. */
  readonly lines: string;
}

/** Evidence, source and model of a file's AI lines. */
type Origin = readonly [evidence: string, source: string | null, model: string | null];

interface Case {
  readonly name: string;
  readonly assistant: string;
  /** Below `adapters/fixtures`; a JSONL file is imported, other files are events of a hook. */
  readonly fixtures: readonly string[];
  /** Where the fixture's repository lies, which the test puts elsewhere. */
  readonly root: string;
  readonly files: Readonly<Record<string, CommittedFile>>;
  readonly origins: readonly Origin[];
}

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');

const BASKET: CommittedFile = {
  before: text('export function total(basket: Basket): number {', '  return 0;', '}'),
  after: text(
    'export function total(basket: Basket): number {',
    '  const prices = basket.items.map(({ price }) => price);',
    '  return prices.reduce((sum, price) => sum + price, 0);',
    '}',
  ),
  lines: '.PP.',
};
const ANCHORED: CommittedFile = {
  before: text(
    'package fleet',
    '',
    '// Anchored says whether a vessel lies at anchor.',
    'func Anchored(v Vessel) bool {',
    '\treturn false',
    '}',
    '',
    'func Name(v Vessel) string { return v.name }',
  ),
  after: text(
    'package fleet',
    '',
    '// Anchored says whether a vessel lies at anchor.',
    'func Anchored(v Vessel) bool {',
    '\tmoored := v.berth != nil',
    '\treturn !moored && v.speedKnots < anchoredBelowKnots',
    '}',
    '',
    'func Name(v Vessel) string { return v.name }',
    '',
    'func Flag(v Vessel) string { return flags[v.registry].emblem }',
  ),
  lines: '....PP....H',
};
const CLAUDE = 'anthropic/claude-sonnet-4-5';

const cases: readonly Case[] = [
  {
    name: 'Claude Code’s MultiEdit, each replacement in what the one before it left',
    assistant: 'claude-code',
    fixtures: ['claude-code/multi-edit.json'],
    root: '/home/ada/shop',
    files: {
      'src/order.ts': {
        before: text(
          '// one order',
          'export const total = (order: Order) => 0;',
          'export const isHeavy = (order: Order) => false;',
          'export const NONE = 0;',
        ),
        after: text(
          '// one order',
          'export const total = (order: Order) => sumOf(order.items.map(({ price }) => price));',
          'export const isHeavy = (order: Order) => sumOf(order.items.map(({ weight }) => weight)) > HEAVY_GRAMS;',
          'export const NONE = 0;',
        ),
        lines: '.PP.',
      },
    },
    origins: [['matched', 'agent', null]],
  },
  {
    name: 'Claude Code’s NotebookEdit, where notebooks count, with the JSON around the cell',
    assistant: 'claude-code',
    fixtures: ['claude-code/notebook-edit.json'],
    root: '/home/ada/shop',
    files: {
      '.gitattributes': { after: text('*.ipynb linguist-detectable'), lines: 'H' },
      'analysis/sales.ipynb': {
        before: text('{', ' "cells": [],', ' "nbformat": 4', '}'),
        after: text(
          '{',
          ' "cells": [',
          '  {',
          '   "cell_type": "code",',
          '   "id": "b7c1",',
          '   "source": [',
          `    "weekly = sales.resample('W').sum()\\n",`,
          `    "weekly.plot(title='Sales a week')"`,
          '   ]',
          '  }',
          ' ],',
          ' "nbformat": 4',
          '}',
        ),
        lines: '.PPPPPPPPPP..',
      },
    },
    origins: [['matched', 'agent', null]],
  },
  {
    name: 'Claude Code’s Edit that a person changed before accepting it',
    assistant: 'claude-code',
    fixtures: ['claude-code/edit-user-modified.json'],
    root: '/home/ada/shop',
    files: {
      'src/limits.ts': {
        before: text(
          "import { settings } from './settings';",
          '',
          'export const LIMIT = 1;',
          '',
          'export const isEndless = () => LIMIT === 0;',
        ),
        after: text(
          "import { settings } from './settings';",
          '',
          'export const LIMIT = Number.parseInt(settings.limit ?? DEFAULT, 10);',
          'export const RETRIES = settings.retries.filter((retry) => retry.afterSeconds > LIMIT);',
          '',
          'export const isEndless = () => LIMIT === 0;',
        ),
        lines: '..MP..',
      },
    },
    origins: [['matched', 'agent', null]],
  },
  {
    name: 'Claude Code’s sub-agents in their parent’s transcript',
    assistant: 'claude-code',
    fixtures: ['claude-code/transcript-sub-agent.jsonl'],
    root: '/home/ada/shop',
    files: {
      'src/basket.ts': BASKET,
      'src/rates.py': {
        after: text(
          'VAT_PERCENT = 19',
          '',
          '',
          'def gross(net_cents):',
          '    return net_cents + net_cents * VAT_PERCENT // 100',
        ),
        lines: 'P..PP',
      },
    },
    origins: [['matched', 'agent', 'claude-opus-4-5-20251101']],
  },
  {
    name: 'OpenCode’s edit, and a line that a person wrote below it',
    assistant: 'opencode',
    fixtures: ['opencode/edit.json'],
    root: '/home/ada/fleet',
    files: { 'anchored.go': ANCHORED },
    origins: [['matched', 'chat', CLAUDE]],
  },
  {
    name: 'Kilo Code’s edit, the same way',
    assistant: 'kilo',
    fixtures: ['opencode/edit.json'],
    root: '/home/ada/fleet',
    files: { 'anchored.go': ANCHORED },
    origins: [['matched', 'chat', CLAUDE]],
  },
  {
    name: 'OpenCode’s write over a file, of which only the new lines count',
    assistant: 'opencode',
    fixtures: ['opencode/write.json'],
    root: '/home/ada/fleet',
    files: {
      'tariff.yaml': {
        before: text('tariff: 4'),
        after: text('tariff: 4', 'currency: EUR', 'minimumTonnage: 120'),
        lines: '.PP',
      },
    },
    origins: [['matched', 'chat', CLAUDE]],
  },
  {
    name: 'the patch of OpenCode’s sub-agent: a new file, and one that moves',
    assistant: 'opencode',
    fixtures: ['opencode/apply-patch-subagent.json'],
    root: '/home/ada/fleet',
    files: {
      'quay.rs': {
        after: text(
          "/// Length of a quay's berths, and what is left of it.",
          'pub fn length_m(quay: &Quay) -> f64 {',
          '    quay.berths.iter().map(|berth| berth.length_m).sum()',
          '}',
          '',
          'pub fn free_m(quay: &Quay, ships: &[Ship]) -> f64 {',
          '    let moored: f64 = ships.iter().filter(|ship| ship.quay == quay.id).map(Ship::length_m).sum();',
          '    length_m(quay) - moored - MOORING_GAP_M * ships.len() as f64',
          '}',
        ),
        lines: 'PPPP.PPPP',
      },
      'draught.rs': {
        after: text(
          'fn enough(depth: f64, draught: f64) -> bool {',
          '    depth - draught >= KEEL_CLEARANCE_M',
          '}',
        ),
        lines: 'HPH',
      },
    },
    origins: [['matched', 'agent', 'openai/gpt-5.2-codex']],
  },
  {
    name: 'Codex’s rollout: patches, added files, and an older call without its end',
    assistant: 'codex',
    fixtures: ['codex/rollout.jsonl'],
    root: '/home/ada/gauge',
    files: {
      'src/gauge.c': {
        before: text('int gauge_mm(int raw) {', '    return raw;', '}'),
        after: text(
          'int gauge_mm(int raw) {',
          '    int clamped = raw < GAUGE_MIN ? GAUGE_MIN : raw;',
          '    return (clamped - GAUGE_MIN) * GAUGE_STEP_MM;',
          '}',
        ),
        lines: '.PP.',
      },
      'src/valves.c': {
        before: text('int opened = 0;', '', 'void valve_close(void) {', '    --opened;', '}'),
        after: text(
          'int opened = 0;',
          '',
          'void valve_close(void) {',
          '    opened = opened > 0 ? opened - 1 : 0;',
          '}',
        ),
        lines: '...P.',
      },
      'src/alarm.c': {
        after: text(
          '#include "alarm.h"',
          '',
          'bool alarm_due(int level_mm) {',
          '    return level_mm >= ALARM_LEVEL_MM;',
          '}',
          'int alarm_volume_percent = 80;',
        ),
        lines: 'P.PPPH',
      },
    },
    origins: [
      ['matched', 'agent', 'gpt-5.1-codex'],
      ['matched', 'agent', 'gpt-5.2-codex'],
    ],
  },
  {
    name: 'Codex’s sub-agent: what its tool and its shell patched',
    assistant: 'codex',
    fixtures: ['codex/rollout-0.171-sub-agent.jsonl'],
    root: '/home/ada/gauge',
    files: {
      'src/float.c': {
        after: text(
          '#include "float.h"',
          '',
          'int float_mm(int tick) {',
          '    int turns = tick / TICKS_PER_TURN;',
          '    int rest = tick % TICKS_PER_TURN;',
          '    return turns * DRUM_GIRTH_MM + rest * FLOAT_STEP_MM;',
          '}',
        ),
        lines: 'P.PPPPP',
      },
      'src/spillway.c': {
        after: text('int spill(void) {', '    return float_mm(ticks()) > SPILL_MM;', '}'),
        lines: 'HPH',
      },
      'src/overflow.h': {
        after: text(
          '#pragma once',
          '#include <stdbool.h>',
          'bool overflow_due(int level_mm, int spillway_mm);',
          'int overflow_litres_per_second(int level_mm, int weir_width_mm);',
        ),
        lines: 'PPPP',
      },
    },
    origins: [['matched', 'agent', 'gpt-5.5']],
  },
  {
    name: 'Cursor’s edit, once though two hooks tell of it',
    assistant: 'cursor',
    fixtures: ['cursor/after-file-edit.json', 'cursor/post-tool-use.json'],
    root: '/home/ada/ferry',
    files: {
      'timetable.py': {
        before: text('def next_trip(trips, now):', '    return None'),
        after: text(
          'def next_trip(trips, now):',
          '    due = [trip for trip in trips if trip.departs_at > now]',
          '    return min(due, key=lambda trip: trip.departs_at, default=None)',
        ),
        lines: '.PP',
      },
    },
    origins: [['matched', 'agent', 'claude-4.5-sonnet']],
  },
  {
    name: 'Cursor’s accepted completion, the line that it ended',
    assistant: 'cursor',
    fixtures: ['cursor/after-tab-file-edit.json'],
    root: '/home/ada/ferry',
    files: {
      'fares.py': {
        before: text('CHILD_DISCOUNT = 0.5', '', 'def fare(base, age):', '    return base', '', 'ZONES = 4'),
        after: text(
          'CHILD_DISCOUNT = 0.5',
          '',
          'def fare(base, age):',
          '    return base * (1 - CHILD_DISCOUNT) if age < 12 else base',
          '',
          'ZONES = 4',
        ),
        lines: '...P..',
      },
    },
    origins: [['matched', 'tab', 'cursor-tab']],
  },
  {
    name: 'a completion accepted in VS Code, and two lines of one that a person ended otherwise',
    assistant: 'vscode',
    fixtures: ['vscode/accepted.json', 'vscode/accepted-partially.json'],
    root: '/home/ada/lighthouse',
    files: {
      'src/beam.ts': {
        before: text(
          'export function characteristic(light: Light): string {',
          '}',
          '',
          "export const NAMES = ['Fl', 'Oc', 'Iso'];",
        ),
        after: text(
          'export function characteristic(light: Light): string {',
          '  const flashes = light.phases.filter(({ lit }) => lit).length;',
          '  return `${light.rhythm}(${flashes}) ${light.periodSeconds}s`;',
          '}',
          '',
          "export const NAMES = ['Fl', 'Oc', 'Iso'];",
        ),
        lines: '.PP...',
      },
      'src/lens.ts': {
        after: text(
          'export const focalLengthMm = (lens: Lens): number => {',
          '  const curvature = 1 / lens.frontRadiusMm - 1 / lens.backRadiusMm;',
          '  const thickness = lens.centreMm / (lens.frontRadiusMm * lens.backRadiusMm);',
          '  return refraction(lens.glass, curvature, thickness).focus;',
          '};',
        ),
        lines: 'HPPHH',
      },
    },
    origins: [['matched', 'tab', null]],
  },
];

interface ExportedCommit {
  readonly type: string;
  readonly sha: string;
  readonly files: readonly {
    readonly path: string;
    readonly lines: readonly { start: number; count: number; kind: string; result: number }[];
    readonly results: readonly { evidence: string; match_source: string | null; model: string | null }[];
  }[];
}

const folder = mkdtempSync(join(tmpdir(), 'lineprint-adapters-'));
/** What each pipeline says of each organisation in the end. */
const answers: [place: string, orgId: string, text: string][] = [];

describe.each([
  ['embedded', embeddedPipeline],
  ['on Kafka, Redis and Postgres', () => distributedPipeline('adapters')],
])('%s, the lines of a commit are those of', (place, start) => {
  let pipeline: Pipeline;
  const organisations: Organisation[] = [];
  beforeAll(async () => {
    pipeline = await start();
  });
  afterAll(async () => {
    for (const organisation of organisations)
      answers.push([place, organisation.orgId, await organisation.export()]);
    await pipeline?.stop();
    // The other pipeline gets the same repositories in the same places.
    rmSync(folder, { recursive: true, force: true });
  });

  /** A repository, and an organisation of its own that this machine is enrolled in. */
  async function workplace() {
    const orgId = `adapters-${organisations.length}`;
    const organisation = await Organisation.create(pipeline, orgId);
    organisations.push(organisation);
    const repository = new TestRepository(join(folder, orgId));
    const state = new CaptureState(join(folder, `${orgId}-state`));
    state.saveSettings({
      ...{
        url: pipeline.ingestUrl,
        apiKey: 'sent by the organisation’s client',
        userId: 'ada@example.org',
        orgId,
      },
      ...{ keyId: organisation.keyId, lineKey: LINE_KEY.toString('base64'), enrolledAt: AT },
    });
    const put = (files: Readonly<Record<string, string>>) => {
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(repository.path, path)), { recursive: true });
        writeFileSync(join(repository.path, path), content);
      }
    };
    const push = async (traces?: string) => {
      const opened = await openRepository(repository.path);
      const refs = await listCommits(opened);
      const records = await LineRecords.open(opened, traces);
      const report = await sendHistory(refs, {
        repository: opened,
        name: orgId,
        sink: organisation.client,
        lineKey: deriveLineKey(LINE_KEY, organisation.keyId),
        declarations: [],
        records,
      });
      records.close();
      expect(report.refused).toEqual([]);
      return report;
    };
    /** One character a line of a file in a commit, and where its AI lines come from. */
    const verdict = async (sha: string, path: string, content: string) => {
      const rows = (await organisation.export()).trim().split('\n');
      const commit = rows.map((row) => JSON.parse(row) as ExportedCommit).find((row) => row.sha === sha)!;
      const file = commit.files.find((candidate) => candidate.path === path)!;
      const kinds = Array.from({ length: content.split('\n').length - 1 }, () => '.');
      const origins = new Set<string>();
      for (const range of file.lines) {
        kinds.fill(range.kind, range.start, range.start + range.count);
        const { evidence, match_source, model } = file.results[range.result]!;
        if (range.kind !== 'H') origins.add(JSON.stringify([evidence, match_source, model]));
      }
      return { lines: kinds.join(''), origins: [...origins].map((origin) => JSON.parse(origin) as Origin) };
    };
    return { organisation, repository, state, put, push, verdict };
  }

  const side = (files: Readonly<Record<string, CommittedFile>>, which: 'before' | 'after') =>
    Object.fromEntries(
      Object.entries(files).flatMap(([path, file]) =>
        file[which] === undefined ? [] : [[path, file[which]]],
      ),
    );

  it.each(cases)('$name', async ({ assistant, fixtures, root, files, origins }) => {
    const { organisation, repository, state, put, push, verdict } = await workplace();
    repository.commit('before', side(files, 'before'));
    put(side(files, 'after'));
    for (const fixture of fixtures) {
      const told = readFileSync(join(FIXTURES, fixture), 'utf8')
        .replaceAll(root, repository.path)
        .replace(/("timestamp": ?)"[^"]+"/g, `$1"${new Date(AT).toISOString()}"`);
      if (!fixture.endsWith('.jsonl')) runHook(assistant, told, { state, now: AT });
      else {
        const edits = adapters[assistant]!.editsOfTranscript!(told);
        recordEdits(edits, state, { client: { name: assistant, version: VERSION } }, AT);
      }
    }
    const sent = new Set<string>();
    const client = {
      enrolment: () => Promise.reject(new Error('not asked for')),
      sendFingerprints: async (items: Parameters<typeof organisation.client.sendFingerprints>[0]) => {
        items.forEach(({ codeId }) => sent.add(codeId));
        return organisation.client.sendFingerprints(items);
      },
    };
    expect(await sendSpool(state, { now: true, clock: () => AT, client })).toBe('sent');
    const sha = repository.commit('after');
    await push();
    await organisation.settled(2, sent.size);
    const found = new Set<string>();
    for (const [path, { after, lines }] of Object.entries(files)) {
      const answer = await verdict(sha, path, after);
      expect([path, answer.lines]).toEqual([path, lines]);
      answer.origins.forEach((origin) => found.add(JSON.stringify(origin)));
    }
    expect([...found].sort()).toEqual(origins.map((origin) => JSON.stringify(origin)).sort());
  });

  const ANCHOR = text(
    'export function scope(depth: number, holding: Holding): number {',
    '  const ratio = holding === Holding.Mud ? 7 : 5;',
    '  const chain = depth * ratio;',
    '  return Math.ceil(chain / SHACKLE_METRES);',
    '',
    'export const SHACKLE_METRES = 27.5;',
    '}',
    'export const holdings = [Holding.Mud, Holding.Sand];',
    'export const deepest = Math.max(...soundings.map(({ depth }) => depth));',
    'export const ready = windlass.brake.isReleased();',
  );

  it('a note of git-ai: exactly the lines that it names are declared', async () => {
    const { organisation, repository, push, verdict } = await workplace();
    const first = repository.commit('anchor', { 'src/anchor.ts': ANCHOR });
    const note = readFileSync(join(FIXTURES, 'git-ai/3.0.0.txt'), 'utf8');
    repository.git(['notes', '--ref', 'ai', 'add', '-F', '-', first], { input: note });
    const report = await push();
    expect([report.declared, report.fingerprints]).toEqual([1, 2]);
    await organisation.settled(1, 2);
    expect(await verdict(first, 'src/anchor.ts', ANCHOR)).toEqual({
      lines: 'PPPP.HHHPH',
      origins: [['declared', 'agent', 'claude-opus-4-6']],
    });
  });

  it('Agent Trace records: lines of an AI are declared kept, of an AI and a person changed', async () => {
    const { organisation, repository, push, verdict } = await workplace();
    const winch = text(
      ...Array.from({ length: 10 }, (_, i) => `drum_${i} = winch.reel(${i}, load=loads[${i * 7}])`),
    );
    const sha = repository.commit('winch', { 'src/winch.py': winch });
    const traces = readFileSync(join(FIXTURES, 'agent-trace/traces.jsonl'), 'utf8').replaceAll(
      'a'.repeat(40),
      sha,
    );
    const { fingerprints } = await push(traces);
    await organisation.settled(1, fingerprints);
    expect(await verdict(sha, 'src/winch.py', winch)).toEqual({
      lines: 'PPPPPPHMMH',
      origins: [
        ['declared', 'agent', 'anthropic/claude-opus-4-6'],
        ['declared', 'agent', null],
      ],
    });
  });
});

it('every fixture is told by a case, here or in capture.spec.ts', () => {
  const told = ['adapters.spec.ts', 'capture.spec.ts']
    .map((name) => readFileSync(join(__dirname, name), 'utf8'))
    .join('');
  const all = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${basename(parentPath)}/${name}`);
  expect(all.length).toBeGreaterThan(0);
  expect(all.filter((fixture) => !told.includes(fixture))).toEqual([]);
});

it('both pipelines say the same of the same edits and commits, byte for byte', () => {
  const of = (isEmbedded: boolean) =>
    answers.filter(([place]) => (place === 'embedded') === isEmbedded).map(([, ...row]) => row);
  expect(of(true).length).toBeGreaterThan(0);
  expect(of(false)).toEqual(of(true));
});
