/** Agents that are run: where they come from, and how a prompt is given to them. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DialectName } from '../src/simulator/provider/scripted/dialects.ts';
import type { ProviderScript } from '../src/simulator/provider/scripted/script.ts';
import {
  GEMINI_KEYS,
  type KeyPaths,
  PI_KEYS,
  qwenKeys,
} from '../src/simulator/scenario/agent-config.ts';

/** Where an agent runs, and whom it asks. */
export interface Place {
  readonly home: string;
  readonly work: string;
  /** Of the model server, without a path. */
  readonly url: string;
  /** Folders of the installed package's programs, as in PATH. */
  readonly bin: string;
  /** The agent's release. */
  readonly version: string;
  /** Folders of the packages that the release would fetch, in their order. */
  readonly fetched: readonly string[];
  readonly script: ProviderScript;
  /** For an agent that serves. */
  readonly ownPort: number;
}

export type ModelLimits = { readonly contextTokens: number; readonly outputTokens: number };

export interface Agent {
  /** As origins of presets have it. */
  readonly label: string;
  readonly licence: string;
  /** Size of a recent release as npm installs it. */
  readonly megabytes: number;
  readonly dialect: DialectName;
  /** The npm package that holds a release. */
  readonly packageOf: (version: string) => string;
  /** Packages of the same release that it needs, where npm would take newer ones that do not fit. */
  readonly alongside?: (version: string) => readonly string[];
  /** Packages of what a release would fetch while it runs, where there is no network. */
  readonly fetches?: (version: string) => readonly string[];
  /** Major version of Node that the release needs; absent where it brings its own program. */
  readonly node?: number;
  /** It searches by ripgrep, and would fetch it. */
  readonly usesRipgrep?: true;
  /** Of the model that it knows by name, where no setting of it says another. */
  readonly limits?: (version: string) => ModelLimits;
  /** System prompt and tools by its own estimate, where it counts them to fit a summary's request into the window. */
  readonly overheadTokens?: number;
  /** Each prompt begins a session, for without a terminal none is taken up again. */
  readonly forgets?: true;
  /** The tool that loads a skill; absent means `skill`. */
  readonly skillTool?: string;
  /** What a script sets in its configuration; absent where nothing can be set. */
  readonly settings?: (version: string) => ProviderScript['settings'];
  /** The runtime whose clock can be put forward, so that time seems to pass between prompts; absent where none can. */
  readonly clock?: 'node';
  /** A prompt can go to a model with a smaller window. */
  readonly switchesModel?: true;
  /** Files of its configuration, by path below the private home. */
  readonly files: (place: Place) => Readonly<Record<string, string>>;
  readonly env?: (place: Place) => Readonly<Record<string, string>>;
  /** Command lines that come before the first prompt. */
  readonly prepare?: (place: Place) => readonly (readonly string[])[];
  /** The command line of a server that prompts attach to, for agents that go on after a turn; absent where none is needed. */
  readonly serve?: (place: Place) => readonly string[];
  /** The command line of a prompt; `turn` counts from 0. */
  readonly ask: (prompt: string, turn: number, place: Place) => readonly string[];
}

const MODEL = 'mock-model';
const CLINE_PROVIDER = 'openai-compatible';
const SMALL_MODEL = 'mock-small';
/** More than any agent keeps free by itself. */
const RESERVED_TOKENS = 80_000;
/** As OpenCode has them, and Kilo after it. */
const OPENCODE_KEYS: KeyPaths = { reserved: ['compaction', 'reserved'] };

/** Agents by name, all under open licences. */
export const agents = {
  opencode: {
    label: 'OpenCode',
    licence: 'MIT',
    megabytes: 354,
    dialect: 'chat',
    packageOf: (version) => `opencode-linux-x64@${version}`,
    usesRipgrep: true,
    files: (place) => ({ '.config/opencode/opencode.json': opencodeConfig(place) }),
    settings: (version) =>
      compare(version, '1.1.57') < 0 ? undefined : { reserved: RESERVED_TOKENS },
    fetches: (version) => (version.startsWith('1.0.') ? ['@ai-sdk/openai-compatible@1.0.27'] : []),
    // Releases 1.0 end where they cannot fetch plugins of their own.
    env: () => ({ OPENCODE_DISABLE_DEFAULT_PLUGINS: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    switchesModel: true,
    ...attachedTo('opencode'),
  },
  kilo: {
    label: 'Kilo',
    licence: 'MIT',
    megabytes: 228,
    dialect: 'chat',
    packageOf: (version) => `@kilocode/cli-linux-x64@${version}`,
    usesRipgrep: true,
    files: (place) => ({ '.config/kilo/kilo.json': opencodeConfig(place) }),
    settings: () => ({ reserved: RESERVED_TOKENS }),
    // At their end, older releases wait for ever for servers of Kilo's that they cannot reach.
    env: () => ({ KILO_TELEMETRY_LEVEL: 'off', KILO_DISABLE_SESSION_INGEST: '1' }),
    switchesModel: true,
    ...attachedTo('kilo', '--auto'),
  },
  codex: {
    label: 'Codex',
    licence: 'Apache-2.0',
    megabytes: 424,
    dialect: 'responses',
    packageOf: (version) => `@openai/codex@${version}`,
    files: ({ url, script }) => ({
      '.codex/config.toml': [
        `model = "${MODEL}"`,
        'model_provider = "mock"',
        `model_context_window = ${script.contextTokens}`,
        `model_auto_compact_token_limit = ${Math.floor(script.contextTokens * (script.settings?.triggerFraction ?? 0.9))}`,
        '[model_providers.mock]',
        'name = "mock"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "MOCK_KEY"',
        // A request that fails for ever is not to be waited for.
        `request_max_retries = ${failsOnce(script) ? 2 : 0}`,
        'stream_max_retries = 0',
        '',
      ].join('\n'),
    }),
    env: () => ({ MOCK_KEY: 'x' }),
    settings: () => ({ triggerFraction: 0.6 }),
    switchesModel: true,
    ask: (prompt, turn, place) => [
      'codex',
      'exec',
      ...codexModel(turn, place),
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '--json',
      ...(turn > 0 ? ['resume', codexSession(place.home)] : []),
      prompt,
    ],
  },
  'gemini-cli': {
    label: 'Gemini CLI',
    licence: 'Apache-2.0',
    megabytes: 100,
    dialect: 'gemini',
    packageOf: (version) => `@google/gemini-cli@${version}`,
    node: 24,
    limits: () => ({ contextTokens: 1_048_576, outputTokens: 65_536 }),
    files: ({ script }) => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        ...atKeys(GEMINI_KEYS, script),
      }),
    }),
    settings: () => ({ triggerFraction: 0.3 }),
    skillTool: 'activate_skill',
    env: ({ url }) => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: url }),
    clock: 'node',
    ask: (prompt, turn, { version }) => [
      'gemini',
      ...(turn > 0 ? ['--resume', 'latest'] : []),
      '-p',
      prompt,
      '-m',
      'gemini-2.5-pro',
      '--yolo',
      // Older releases run in any folder.
      ...(compare(version, '0.41.0') >= 0 ? ['--skip-trust'] : []),
    ],
  },
  'qwen-code': {
    label: 'Qwen Code',
    licence: 'Apache-2.0',
    megabytes: 152,
    dialect: 'chat',
    packageOf: (version) => `@qwen-code/qwen-code@${version}`,
    node: 24,
    limits: (version) => ({
      contextTokens: compare(version, '0.21.0') < 0 ? 131_072 : 1_000_000,
      outputTokens: 65_536,
    }),
    files: ({ script, version }) => {
      const keys = qwenKeys('', version.split('.').map(Number));
      return { '.qwen/settings.json': JSON.stringify(atKeys(keys, script)) };
    },
    settings: () => ({ triggerFraction: 0.3 }),
    env: ({ url }) => ({
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'qwen3-coder-plus',
    }),
    clock: 'node',
    ask: (prompt, turn) => [
      'qwen',
      ...goingOn(turn),
      '-p',
      prompt,
      ...'--yolo --auth-type openai'.split(' '),
    ],
  },
  pi: {
    label: 'pi',
    licence: 'MIT',
    megabytes: 168,
    dialect: 'chat',
    packageOf: (version) => `${piScope(version)}/pi-coding-agent@${version}`,
    alongside: (version) =>
      ['pi-ai', 'pi-agent-core', 'pi-tui'].map((name) => `${piScope(version)}/${name}@${version}`),
    node: 24,
    files: ({ url, script }) => ({
      '.pi/agent/settings.json': JSON.stringify(atKeys(PI_KEYS, script)),
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          mock: {
            baseUrl: `${url}/v1`,
            apiKey: 'x',
            api: 'openai-completions',
            models: windowsOf(script).map(([name, contextWindow]) => ({
              id: name,
              name,
              reasoning: false,
              input: ['text'],
              contextWindow,
              maxTokens: script.outputTokens,
              cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
            })),
          },
        },
      }),
    }),
    env: () => ({ PI_OFFLINE: '1' }),
    settings: () => ({ reserved: RESERVED_TOKENS, keepTokens: 8_000 }),
    clock: 'node',
    switchesModel: true,
    ask: (prompt, turn, place) => [
      'pi',
      ...goingOn(turn),
      ...`-p --mode json --provider mock --model ${modelOf(turn, place)}`.split(' '),
      prompt,
    ],
  },
  'kimi-code': {
    label: 'Kimi Code',
    licence: 'MIT',
    megabytes: 120,
    dialect: 'chat',
    packageOf: (version) => `@moonshot-ai/kimi-code@${version}`,
    node: 24,
    files: ({ url, script }) => ({
      '.kimi-code/config.toml': [
        `default_model = "${MODEL}"`,
        '[providers.mock]',
        'type = "openai"',
        `base_url = "${url}/v1"`,
        'api_key = "x"',
        ...windowsOf(script).flatMap(([name, contextTokens]) => [
          `[models.${name}]`,
          'provider = "mock"',
          `model = "${name}"`,
          `max_context_size = ${contextTokens}`,
        ]),
        ...(script.settings
          ? ['[loop_control]', `reserved_context_size = ${script.settings.reserved}`]
          : []),
        '',
      ].join('\n'),
    }),
    settings: () => ({ reserved: RESERVED_TOKENS }),
    // Of 2.1.0: 8,183 characters and 25 tools of 71,614.
    overheadTokens: 19_950,
    clock: 'node',
    switchesModel: true,
    ask: (prompt, turn, place) => [
      'kimi',
      ...goingOn(turn),
      ...`--output-format stream-json --model ${modelOf(turn, place)} -p`.split(' '),
      prompt,
    ],
  },
  cline: {
    label: 'Cline',
    licence: 'Apache-2.0',
    megabytes: 434,
    dialect: 'chat',
    packageOf: (version) => `cline@${version}`,
    // Small, so that its own estimate of the scripts counts; and no round number, whose edge it rounds by chance.
    limits: () => ({ contextTokens: 64_010, outputTokens: 20_000 }),
    files: (place) => ({ '.cline/data/settings/providers.json': clineProviders(place) }),
    env: () => ({
      CLINE_SESSION_BACKEND_MODE: 'local',
      CLINE_NO_AUTO_UPDATE: '1',
      // Longer outputs go to the model as a beginning and an end; here they go as the script has them.
      CLINE_MESSAGE_BUILDER_MAX_TOOL_RESULT_CHARS: '1000000',
    }),
    forgets: true,
    ask: (prompt) => [
      ...`cline --json --auto-approve true -P ${CLINE_PROVIDER} -m ${MODEL}`.split(' '),
      prompt,
    ],
  },
  continue: {
    label: 'Continue CLI',
    licence: 'Apache-2.0',
    megabytes: 81,
    dialect: 'chat',
    packageOf: (version) => `@continuedev/cli@${version}`,
    node: 24,
    // It counts what it sends by itself, with 12 tools: three large outputs are below its edge, four above it.
    limits: () => ({ contextTokens: 85_000, outputTokens: 20_000 }),
    overheadTokens: 1_249,
    files: (place) => ({ 'config.yaml': continueConfig(place) }),
    ask: (prompt, turn, { home }) => [
      'cn',
      '-p',
      prompt,
      ...(turn > 0 ? ['--resume'] : []),
      '--config',
      `${home}/config.yaml`,
      '--auto',
    ],
  },
  nanocoder: {
    label: 'nanocoder',
    licence: 'MIT',
    megabytes: 308,
    dialect: 'chat',
    packageOf: (version) => `@nanocollective/nanocoder@${version}`,
    node: 24,
    files: ({ url }) => ({
      '.config/nanocoder/agents.config.json': JSON.stringify({
        nanocoder: {
          providers: [{ name: 'mock', baseUrl: `${url}/v1`, apiKey: 'x', models: [MODEL] }],
        },
      }),
    }),
    env: ({ script }) => ({
      NANOCODER_TRUST_DIRECTORY: '1',
      NANOCODER_CONTEXT_LIMIT: `${script.contextTokens}`,
    }),
    forgets: true,
    ask: (prompt) => [
      ...`nanocoder --provider mock --model ${MODEL} --mode yolo run`.split(' '),
      prompt,
    ],
  },
} satisfies Record<string, Agent>;

export type AgentName = keyof typeof agents;

/** The settings of a script at an agent's own keys. */
function atKeys(paths: KeyPaths, { settings = {} }: ProviderScript) {
  const root: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    const path = paths[name as keyof KeyPaths] ?? [];
    path.reduce((at, key, index) => {
      at[key] ??= index === path.length - 1 ? value : {};
      return at[key] as typeof root;
    }, root);
  }
  return root;
}

function failsOnce({ turns }: ProviderScript): boolean {
  return turns.some(({ answers }) => answers.some(({ status }) => status !== undefined));
}

function goingOn(turn: number): readonly string[] {
  return turn > 0 ? ['--continue'] : [];
}

/** A server, and prompts that attach to it. */
function attachedTo(program: string, ...more: readonly string[]) {
  return {
    serve: ({ ownPort }) => [program, 'serve', '--port', `${ownPort}`],
    ask: (prompt, turn, place) => [
      ...`${program} run --attach http://127.0.0.1:${place.ownPort}`.split(' '),
      ...`--model mock/${modelOf(turn, place)}`.split(' '),
      ...more,
      ...goingOn(turn),
      prompt,
    ],
  } satisfies Pick<Agent, 'serve' | 'ask'>;
}

/** The models of a script with their windows. */
function windowsOf({ contextTokens, smallContextTokens }: ProviderScript) {
  const small =
    smallContextTokens === undefined ? [] : [[SMALL_MODEL, smallContextTokens] as const];
  return [[MODEL, contextTokens] as const, ...small];
}

function modelOf(turn: number, { script }: Place): string {
  return script.turns[turn]?.model === 'small' ? SMALL_MODEL : MODEL;
}

/** Codex has one window for all models in its file, and takes another on the command line. */
function codexModel(turn: number, { script }: Place): readonly string[] {
  const { smallContextTokens: small = 0, turns } = script;
  if (turns[turn]?.model === undefined) return [];
  const limits = { model_context_window: small, model_auto_compact_token_limit: small * 0.9 };
  const settings = Object.entries(limits).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  return ['-m', SMALL_MODEL, ...settings];
}

function continueConfig({ url, script }: Place): string {
  const { contextTokens: contextLength, outputTokens: maxTokens } = script;
  return JSON.stringify({
    name: 'mock',
    version: '0.0.1',
    schema: 'v1',
    models: [
      {
        name: MODEL,
        provider: 'openai',
        model: MODEL,
        apiBase: `${url}/v1`,
        apiKey: 'x',
        roles: ['chat'],
        capabilities: ['tool_use'],
        contextLength,
        defaultCompletionOptions: { contextLength, maxTokens },
      },
    ],
  });
}

function clineProviders({ url, script }: Place): string {
  const settings = {
    provider: CLINE_PROVIDER,
    apiKey: 'x',
    model: MODEL,
    baseUrl: `${url}/v1`,
    // This sets the most that a request may have: nine tenths of a window, where only that is known.
    contextWindow: Math.floor(script.contextTokens * 0.9),
    maxTokens: script.outputTokens,
  };
  const provider = { settings, updatedAt: new Date(0).toISOString(), tokenSource: 'manual' };
  return JSON.stringify({
    version: 1,
    lastUsedProvider: CLINE_PROVIDER,
    modes: {},
    providers: { [CLINE_PROVIDER]: provider },
  });
}

/** The package moved with release 0.74. */
function piScope(version: string): string {
  return compare(version, '0.74.0') < 0 ? '@mariozechner' : '@earendil-works';
}

/** Compares two releases number by number. */
export function compare(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => text.split('.').map(Number));
  const index = left?.findIndex((number, at) => number !== right?.[at]) ?? -1;
  return index < 0 ? 0 : (left?.[index] ?? 0) - (right?.[index] ?? 0);
}

/** The id of the session that was left; older releases take no prompt beside "--last". */
function codexSession(home: string): string {
  const files = readdirSync(join(home, '.codex', 'sessions'), {
    recursive: true,
    encoding: 'utf8',
  });
  const [, id] = /([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/.exec(files.toSorted().at(-1) ?? '') ?? [];
  if (id === undefined) throw new Error('Expected Codex to leave a session, got none.');
  return id;
}

function opencodeConfig({ url, script, fetched: [sdk] }: Place): string {
  return JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    ...atKeys(OPENCODE_KEYS, script),
    permission: { bash: 'allow', edit: 'allow' },
    provider: {
      mock: {
        npm: sdk === undefined ? '@ai-sdk/openai-compatible' : `file://${sdk}/dist/index.mjs`,
        name: 'mock',
        options: { baseURL: `${url}/v1`, apiKey: 'x' },
        models: Object.fromEntries(
          windowsOf(script).map(([name, context]) => [
            name,
            { name, tool_call: true, limit: { context, output: script.outputTokens } },
          ]),
        ),
      },
    },
  });
}
