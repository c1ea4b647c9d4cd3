/**
 * The assistants that `tools/try-assistants.mjs` starts: which package, how it is set up without a network, and what its
 * model is to ask for. Each edits harbour.py, writes tide.ts, and has a sub-agent write quay.go.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const lines = (...texts) => texts.map((text) => `${text}\n`).join('');

/** What the repository holds before. */
export const FILES_BEFORE = {
  'harbour.py': lines(
    'BERTHS = 12',
    '',
    '',
    'def free_berths(ships):',
    '    return BERTHS',
    '',
    '',
    'def name():',
    "    return 'Emden'",
  ),
};

const OLD = '    return BERTHS\n';
const NEW = lines(
  '    moored = [ship for ship in ships if ship.berth is not None]',
  '    return BERTHS - sum(ship.berths_taken for ship in moored)',
);
const TIDE = lines(
  'export interface Tide {',
  '  readonly at: Date;',
  '  readonly heightMetres: number;',
  '}',
  '',
  'export function highest(tides: readonly Tide[]): Tide | undefined {',
  '  return tides.reduce((best, tide) => (tide.heightMetres > best.heightMetres ? tide : best));',
  '}',
);
const TIDE_MORE = lines(
  '',
  'export function isNavigable(tide: Tide, draughtMetres: number): boolean {',
  '  return CHART_DEPTH_METRES + tide.heightMetres - draughtMetres >= UNDER_KEEL_METRES;',
  '}',
);
const QUAY = lines(
  'package harbour',
  '',
  '// FreeMetres is what is left of a quay between the ships along it.',
  'func FreeMetres(quay Quay, ships []Ship) float64 {',
  '\tfree := quay.LengthMetres',
  '\tfor _, ship := range ships {',
  '\t\tfree -= ship.LengthMetres + MooringGapMetres',
  '\t}',
  '\treturn free',
  '}',
);

/** What each file is in the end, and of each of its lines who wrote it: P the assistant, H a person, `.` nobody. */
export const FILES_AFTER = {
  'harbour.py': {
    text: FILES_BEFORE['harbour.py'].replace(OLD, NEW),
    kinds: '....PP....',
  },
  'tide.ts': { text: TIDE + TIDE_MORE, kinds: 'PPPP.PPP.PPP' },
  'quay.go': { text: QUAY, kinds: 'P.PPPPPPPP' },
};

const added = (text) => text.replace(/^/gm, '+').replace(/\+$/, '');
const patch = (...files) => `*** Begin Patch\n${files.join('')}*** End Patch\n`;
const patches = {
  first: patch(
    `*** Update File: harbour.py\n@@\n def free_berths(ships):\n-${OLD}${added(NEW)}`,
    `*** Add File: tide.ts\n${added(TIDE)}`,
  ),
  more: patch(
    `*** Update File: tide.ts\n@@\n${TIDE.split('\n')
      .slice(5, 8)
      .map((line) => ` ${line}\n`)
      .join('')}${added(TIDE_MORE)}`,
  ),
  wrong: patch('*** Update File: harbour.py\n@@\n-nothing like it\n+x = 1\n'),
  quay: patch(`*** Add File: quay.go\n${added(QUAY)}`),
};

/** In the prompts, so that the model knows which conversation it is asked about. */
export const MAIN = 'conversation:main';
export const SUB_AGENT = 'conversation:sub-agent';

const turnsOf = (edits, subAgent, subAgentEdits) => ({
  [MAIN]: [...edits, subAgent, { text: 'Done.' }],
  [SUB_AGENT]: [...subAgentEdits, { text: 'Done.' }],
});

/** OpenCode and Kilo Code: `edit` and `write` for most models, `apply_patch` for those of one maker. */
const openCodeTurns = (repository) => {
  const file = (name) => join(repository, name);
  return turnsOf(
    [
      { tool: 'read', args: { filePath: file('harbour.py') } },
      { tool: 'edit', args: { filePath: file('harbour.py'), oldString: OLD, newString: NEW } },
      { tool: 'write', args: { filePath: file('tide.ts'), content: TIDE } },
      { tool: 'write', args: { filePath: file('tide.ts'), content: TIDE + TIDE_MORE } },
      { tool: 'edit', args: { filePath: file('absent.py'), oldString: 'nothing', newString: 'x = 1' } },
    ],
    { tool: 'task', args: { description: 'Quay', prompt: SUB_AGENT, subagent_type: 'general' } },
    [{ tool: 'write', args: { filePath: file('quay.go'), content: QUAY } }],
  );
};
const openCodePatchTurns = () => {
  const call = (patchText) => ({ tool: 'apply_patch', args: { patchText } });
  return turnsOf(
    [call(patches.first), call(patches.more), call(patches.wrong)],
    { tool: 'task', args: { description: 'Quay', prompt: SUB_AGENT, subagent_type: 'general' } },
    [call(patches.quay)],
  );
};

const openCode = ({ name, pinned, program, model, turns }) => ({
  assistant: name,
  package: pinned,
  program,
  live: true,
  turns,
  expected: { model: `stand-in/${model}`, sources: ['agent', 'chat'] },
  setUp({ home, modelsUrl }) {
    const folder = join(home, '.config', name);
    mkdirSync(folder, { recursive: true });
    const provider = {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${modelsUrl}/v1`, apiKey: 'none' },
      models: { [model]: { name: model, tool_call: true, limit: { context: 100_000, output: 8_000 } } },
    };
    const settings = {
      ...{ autoupdate: false, share: 'disabled', permission: { '*': 'allow' } },
      ...{ provider: { 'stand-in': provider }, model: `stand-in/${model}`, small_model: `stand-in/${model}` },
    };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(settings));
    const off = ['DISABLE_MODELS_FETCH', 'DISABLE_AUTOUPDATE', 'DISABLE_LSP_DOWNLOAD'];
    return {
      args: ['run', MAIN],
      env: {
        ...Object.fromEntries(off.map((option) => [`${name.toUpperCase()}_${option}`, '1'])),
        KILO_TELEMETRY_LEVEL: 'off',
        // With any plugin it asks npm's registry for its own package at each start until it has it: over a minute without one.
        npm_config_fetch_retries: '0',
      },
    };
  },
});

const OPENCODE = { pinned: 'opencode-linux-x64@1.18.33', program: 'opencode-linux-x64/bin/opencode' };
const KILO = { pinned: '@kilocode/cli-linux-x64@7.7.9', program: '@kilocode/cli-linux-x64/bin/kilo' };

/**
 * @typedef {object} Trial
 * @property {string} assistant as `lineprint capture` names it
 * @property {string} package of npm, with its version: the program without what installs it
 * @property {string} program below `node_modules`
 * @property {boolean} live it has a hook or plugin; else its transcripts are imported afterwards
 * @property {string} [transcripts] below the home directory
 * @property {(repository: string) => Record<string, import('./models.mjs').Turn[]>} turns of a model, by conversation
 * @property {{model: string, sources: string[]}} expected of the snippets
 * @property {(place: {home: string, modelsUrl: string}) => {args: string[], env: Record<string, string>}} setUp
 */

/** @type {Record<string, Trial>} */
export const trials = {
  opencode: openCode({ name: 'opencode', ...OPENCODE, model: 'claude-sonnet-4-5', turns: openCodeTurns }),
  'opencode-apply-patch': openCode({
    name: 'opencode',
    ...OPENCODE,
    model: 'gpt-5.2',
    turns: openCodePatchTurns,
  }),
  kilo: openCode({ name: 'kilo', ...KILO, model: 'claude-sonnet-4-5', turns: openCodeTurns }),
  codex: {
    assistant: 'codex',
    package: '@openai/codex-linux-x64@npm:@openai/codex@0.171.0-linux-x64',
    program: '@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
    live: false,
    transcripts: '.codex/sessions',
    expected: { model: 'stand-in-codex', sources: ['agent'] },
    turns() {
      // A model that the program does not know patches by its shell; the program takes these calls out of it.
      const call = (text) => ({
        tool: 'exec_command',
        args: { cmd: `apply_patch <<'PATCH'\n${text}PATCH\n` },
      });
      const subAgent = { tool: 'multi_agent_v1.spawn_agent', args: { message: SUB_AGENT } };
      // The program ends with the main conversation, whatever its sub-agents do.
      const waiting = {
        tool: 'exec_command',
        args: { cmd: 'until test -f quay.go; do sleep 0.1; done; sleep 1', yield_time_ms: 30_000 },
      };
      return turnsOf([call(patches.first), call(patches.more), call(patches.wrong), subAgent], waiting, [
        call(patches.quay),
      ]);
    },
    setUp({ home, modelsUrl }) {
      mkdirSync(join(home, '.codex'));
      const settings = lines(
        'model = "stand-in-codex"',
        'model_provider = "stand-in"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[model_providers.stand-in]',
        'name = "stand-in"',
        `base_url = "${modelsUrl}/v1"`,
        'env_key = "STAND_IN_KEY"',
        'wire_api = "responses"',
      );
      writeFileSync(join(home, '.codex', 'config.toml'), settings);
      return {
        args: ['exec', '--dangerously-bypass-approvals-and-sandbox', MAIN],
        env: { STAND_IN_KEY: 'none' },
      };
    },
  },
  'claude-code': {
    assistant: 'claude-code',
    package: '@anthropic-ai/claude-code-linux-x64@2.1.332',
    program: '@anthropic-ai/claude-code-linux-x64/claude',
    live: true,
    transcripts: '.claude/projects',
    expected: { model: 'claude-sonnet-4-5', sources: ['agent'] },
    turns(repository) {
      const file = (name) => join(repository, name);
      return turnsOf(
        [
          { tool: 'Read', args: { file_path: file('harbour.py') } },
          { tool: 'Edit', args: { file_path: file('harbour.py'), old_string: OLD, new_string: NEW } },
          { tool: 'Write', args: { file_path: file('tide.ts'), content: TIDE } },
          { tool: 'Write', args: { file_path: file('tide.ts'), content: TIDE + TIDE_MORE } },
          {
            tool: 'Edit',
            args: { file_path: file('absent.py'), old_string: 'nothing', new_string: 'x = 1' },
          },
        ],
        { tool: 'Agent', args: { description: 'Quay', prompt: SUB_AGENT, subagent_type: 'general-purpose' } },
        [{ tool: 'Write', args: { file_path: file('quay.go'), content: QUAY } }],
      );
    },
    setUp: ({ modelsUrl }) => ({
      args: ['-p', MAIN, '--model', 'claude-sonnet-4-5', '--permission-mode', 'acceptEdits'],
      env: {
        ANTHROPIC_BASE_URL: modelsUrl,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    }),
  },
};
