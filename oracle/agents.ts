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
  /** Folders of the packages that the release would fetch, in their order. */
  readonly fetched: readonly string[];
  readonly script: ProviderScript;
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
  /** Packages of what a release would fetch while it runs, where there is no network. */
  readonly fetches?: (version: string) => readonly string[];
  /** Major version of Node that the release needs; absent where it brings its own program. */
  readonly node?: number;
  /** Of the model that it knows by name, where no setting of it says another. */
  readonly limits?: ModelLimits;
  /** Files of its configuration, by path below the private home. */
  readonly files: (place: Place) => Readonly<Record<string, string>>;
  readonly env?: (place: Place) => Readonly<Record<string, string>>;
  /** Command lines that come before the first prompt. */
  readonly prepare?: (place: Place) => readonly (readonly string[])[];
  /** The command line of a prompt; `turn` counts from 0. */
  readonly ask: (prompt: string, turn: number, place: Place) => readonly string[];
}

const MODEL = 'mock-model';

/** Agents by name, all under open licences. */
export const agents = {
  opencode: {
    label: 'OpenCode',
    licence: 'MIT',
    dialect: 'chat',
    packageOf: (version) => `opencode-linux-x64@${version}`,
    files: (place) => ({ '.config/opencode/opencode.json': opencodeConfig(place) }),
    fetches: (version) =>
      version.startsWith('1.0.')
        ? ['@ai-sdk/openai-compatible@1.0.27', '@vscode/ripgrep-linux-x64@1.18.0']
        : [],
    // Releases 1.0 end where they cannot fetch plugins of their own.
    env: () => ({ OPENCODE_DISABLE_DEFAULT_PLUGINS: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    ask: (prompt, turn) => [
      'opencode',
      'run',
      '--model',
      `mock/${MODEL}`,
      ...(turn > 0 ? ['--continue'] : []),
      prompt,
    ],
  },
  kilo: {
    label: 'Kilo',
    licence: 'MIT',
    dialect: 'chat',
    packageOf: (version) => `@kilocode/cli-linux-x64@${version}`,
    files: (place) => ({ '.config/kilo/kilo.json': opencodeConfig(place) }),
    ask: (prompt, turn) => [
      'kilo',
      'run',
      '--model',
      `mock/${MODEL}`,
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
    ask: (prompt, turn) => [
      'codex',
      'exec',
      ...(turn > 0 ? ['resume', '--last'] : []),
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
            models: [
              {
                id: MODEL,
                name: MODEL,
                reasoning: false,
                input: ['text'],
                contextWindow: script.contextTokens,
                maxTokens: script.outputTokens,
                cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
              },
            ],
          },
        },
      }),
    }),
    env: () => ({ PI_OFFLINE: '1' }),
    ask: (prompt, turn) => [
      'pi',
      ...(turn > 0 ? ['--continue'] : []),
      '-p',
      '--mode',
      'json',
      '--provider',
      'mock',
      '--model',
      MODEL,
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
        `[models.${MODEL}]`,
        'provider = "mock"',
        `model = "${MODEL}"`,
        `max_context_size = ${script.contextTokens}`,
        '',
      ].join('\n'),
    }),
    ask: (prompt, turn) => [
      'kimi',
      ...(turn > 0 ? ['--continue'] : []),
      '-p',
      prompt,
      '--output-format',
      'stream-json',
    ],
  },
} satisfies Record<string, Agent>;

export type AgentName = keyof typeof agents;

/** The package moved with release 0.74. */
function isNewPi(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 0 || minor >= 74;
}

function opencodeConfig({ url, script, fetched: [sdk] }: Place): string {
  return JSON.stringify({
    autoupdate: false,
    share: 'disabled',
    permission: { bash: 'allow', edit: 'allow' },
    provider: {
      mock: {
        npm: sdk === undefined ? '@ai-sdk/openai-compatible' : `file://${sdk}/dist/index.mjs`,
        name: 'mock',
        options: { baseURL: `${url}/v1`, apiKey: 'x' },
        models: {
          [MODEL]: {
            name: MODEL,
            tool_call: true,
            limit: { context: script.contextTokens, output: script.outputTokens },
          },
        },
      },
    },
  });
}
