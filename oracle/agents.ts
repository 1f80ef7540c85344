/** Agents that are run: where they come from, and how a prompt is given to them. */

import type { DialectName } from '../src/simulator/provider/scripted/dialects.ts';
import type { ProviderScript } from '../src/simulator/provider/scripted/script.ts';

/** Where an agent runs, and whom it asks. */
export interface Place {
  readonly home: string;
  readonly work: string;
  /** Of the model server, without a path. */
  readonly url: string;
  /** Folders of the installed package's programs, as in PATH. */
  readonly bin: string;
  readonly script: ProviderScript;
  /** For an agent that serves. */
  readonly ownPort: number;
}

export interface ModelLimits {
  readonly contextTokens: number;
  readonly outputTokens: number;
}

export interface Agent {
  /** As origins of presets have it. */
  readonly label: string;
  readonly licence: string;
  readonly dialect: DialectName;
  /** The npm package that holds a release. */
  readonly packageOf: (version: string) => string;
  /** Major version of Node that the release needs; absent where it brings its own program. */
  readonly node?: number;
  /** It searches by ripgrep, and would fetch it. */
  readonly usesRipgrep?: true;
  /** Of the model that it knows by name, where no setting of it says another. */
  readonly limits?: ModelLimits;
  /** The runtime whose clock can be put forward, so that time seems to pass between prompts; absent where none can. */
  readonly clock?: 'node' | 'bun';
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
const SMALL_MODEL = 'mock-small';

/** Agents by name, all under open licences. */
export const agents = {
  opencode: {
    label: 'OpenCode',
    licence: 'MIT',
    dialect: 'chat',
    packageOf: (version) => `opencode-linux-x64@${version}`,
    usesRipgrep: true,
    files: (place) => ({ '.config/opencode/opencode.json': opencodeConfig(place) }),
    clock: 'bun',
    switchesModel: true,
    serve: ({ ownPort }) => ['opencode', 'serve', '--port', `${ownPort}`],
    ask: (prompt, turn, place) => [
      'opencode',
      'run',
      '--attach',
      `http://127.0.0.1:${place.ownPort}`,
      '--model',
      `mock/${modelOf(turn, place)}`,
      ...(turn > 0 ? ['--continue'] : []),
      prompt,
    ],
  },
  kilo: {
    label: 'Kilo',
    licence: 'MIT',
    dialect: 'chat',
    packageOf: (version) => `@kilocode/cli-linux-x64@${version}`,
    usesRipgrep: true,
    files: (place) => ({ '.config/kilo/kilo.json': opencodeConfig(place) }),
    clock: 'bun',
    switchesModel: true,
    serve: ({ ownPort }) => ['kilo', 'serve', '--port', `${ownPort}`],
    ask: (prompt, turn, place) => [
      'kilo',
      'run',
      '--attach',
      `http://127.0.0.1:${place.ownPort}`,
      '--model',
      `mock/${modelOf(turn, place)}`,
      '--auto',
      ...(turn > 0 ? ['--continue'] : []),
      prompt,
    ],
  },
  codex: {
    label: 'Codex',
    licence: 'Apache-2.0',
    dialect: 'responses',
    packageOf: (version) => `@openai/codex@${version}`,
    files: ({ url, script }) => ({
      '.codex/config.toml': [
        `model = "${MODEL}"`,
        'model_provider = "mock"',
        `model_context_window = ${script.contextTokens}`,
        `model_auto_compact_token_limit = ${Math.floor(script.contextTokens * 0.9)}`,
        '[model_providers.mock]',
        'name = "mock"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "MOCK_KEY"',
        'request_max_retries = 0',
        'stream_max_retries = 0',
        '',
      ].join('\n'),
    }),
    env: () => ({ MOCK_KEY: 'x' }),
    switchesModel: true,
    ask: (prompt, turn, place) => [
      'codex',
      'exec',
      ...(turn > 0 ? ['resume', '--last'] : []),
      ...codexModel(turn, place),
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '--json',
      prompt,
    ],
  },
  'gemini-cli': {
    label: 'Gemini CLI',
    licence: 'Apache-2.0',
    dialect: 'gemini',
    packageOf: (version) => `@google/gemini-cli@${version}`,
    node: 24,
    limits: { contextTokens: 1_048_576, outputTokens: 65_536 },
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
      }),
    }),
    env: ({ url }) => ({ GEMINI_API_KEY: 'x', GOOGLE_GEMINI_BASE_URL: url }),
    clock: 'node',
    ask: (prompt, turn) => [
      'gemini',
      ...(turn > 0 ? ['--resume', 'latest'] : []),
      '-p',
      prompt,
      '-m',
      'gemini-2.5-pro',
      '--yolo',
      '--skip-trust',
    ],
  },
  'qwen-code': {
    label: 'Qwen Code',
    licence: 'Apache-2.0',
    dialect: 'chat',
    packageOf: (version) => `@qwen-code/qwen-code@${version}`,
    node: 24,
    limits: { contextTokens: 1_000_000, outputTokens: 65_536 },
    files: () => ({}),
    env: ({ url }) => ({
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'qwen3-coder-plus',
    }),
    clock: 'node',
    ask: (prompt, turn) => [
      'qwen',
      ...(turn > 0 ? ['--continue'] : []),
      '-p',
      prompt,
      '--yolo',
      '--auth-type',
      'openai',
    ],
  },
  pi: {
    label: 'pi',
    licence: 'MIT',
    dialect: 'chat',
    packageOf: (version) =>
      `${isNewPi(version) ? '@earendil-works' : '@mariozechner'}/pi-coding-agent@${version}`,
    node: 24,
    files: ({ url, script }) => ({
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
    clock: 'node',
    switchesModel: true,
    ask: (prompt, turn, place) => [
      'pi',
      ...(turn > 0 ? ['--continue'] : []),
      '-p',
      '--mode',
      'json',
      '--provider',
      'mock',
      '--model',
      modelOf(turn, place),
      prompt,
    ],
  },
  'kimi-code': {
    label: 'Kimi Code',
    licence: 'MIT',
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
        '',
      ].join('\n'),
    }),
    clock: 'node',
    switchesModel: true,
    ask: (prompt, turn, place) => [
      'kimi',
      ...(turn > 0 ? ['--continue'] : []),
      '--model',
      modelOf(turn, place),
      '-p',
      prompt,
      '--output-format',
      'stream-json',
    ],
  },
} satisfies Record<string, Agent>;

export type AgentName = keyof typeof agents;

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

/** The package moved with release 0.74. */
function isNewPi(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 0 || minor >= 74;
}

function opencodeConfig({ url, script }: Place): string {
  return JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    permission: { bash: 'allow', edit: 'allow' },
    provider: {
      mock: {
        npm: '@ai-sdk/openai-compatible',
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
