import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policies, type PolicyName } from '../../../src/engine/index.ts';
import { toConfigChange } from '../../../src/simulator/report/agent-keys.ts';
import {
  CLAUDE_PERCENT,
  CLAUDE_WINDOW,
  readAgentConfigs,
} from '../../../src/simulator/scenario/agent-config.ts';
import { examine, usableTokensOf } from '../../../src/simulator/scenario/checkup.ts';
import { applySettings } from '../../../src/simulator/scenario/settings.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const LIMITS = { contextTokens: 200_000, outputTokens: 64_000 };
const MODEL = 'anthropic/claude-opus-4-5';
const SECRET = 'sk-very-secret';

/** Where each agent keeps its configuration in a home. */
const FILES: Readonly<Record<string, string>> = {
  'Claude Code': '.claude/settings.json',
  Codex: '.codex/config.toml',
  OpenCode: '.config/opencode/opencode.jsonc',
  'Qwen Code': '.qwen/settings.json',
  'Gemini CLI': '.gemini/settings.json',
  pi: '.pi/agent/settings.json',
};
const QWEN_THRESHOLD = '{ "context": { "autoCompactThreshold": 0.6 } }';
const EARLIER_QWEN_THRESHOLD =
  '{ "model": { "chatCompression": { "contextPercentageThreshold": 0.6 } } }';
const claude = (name: string, value: number) => JSON.stringify({ env: { [name]: `${value}` } });

/** A home in which some agents have configurations. */
function homeWith(files: Readonly<Record<string, string>>): string {
  const home = createFolder();
  for (const [path, text] of Object.entries(files)) writeFile(home, path, text);
  return home;
}

/** What an agent's settings come to in a home, on a model of 200,000 tokens. */
function read(agent: string, policy: PolicyName, env: Readonly<Record<string, string>>) {
  const config = readAgentConfigs(env).configs.get(agent);
  return config?.settingsOn({ policy: policies[policy], limits: LIMITS, model: MODEL });
}

/** The tokens at which a preset acts in the window and with the settings of a home. */
function edgeOf(agent: string, policy: PolicyName, env: Readonly<Record<string, string>>) {
  const config = readAgentConfigs(env).configs.get(agent);
  const limits = { ...LIMITS, ...config?.windowOn(MODEL) };
  const own = { policy: policies[policy], limits };
  const target = applySettings(own, config?.settingsOn({ ...own, model: MODEL }) ?? {});
  return usableTokensOf(examine({ base: target, target, given: {}, floorTokens: 0 }));
}

describe('readAgentConfigs', () => {
  it.each<[string, PolicyName, string, object]>([
    ['Claude Code', 'claude-code', claude(CLAUDE_WINDOW, 153_000), { triggerFraction: 0.6 }],
    ['Claude Code', 'claude-code', claude(CLAUDE_PERCENT, 50), {}],
    ['Claude Code', 'claude-code-2.1', claude(CLAUDE_PERCENT, 50), { triggerFraction: 0.42 }],
    // It can only be lowered.
    ['Claude Code', 'claude-code-2.1', claude(CLAUDE_PERCENT, 99), {}],
    ['Claude Code', 'claude-code-2.1', claude(CLAUDE_WINDOW, 153_000), {}],
    [
      'Codex',
      'codex-local',
      'model = "x"\nmodel_auto_compact_token_limit = 120_000 # early\n[profiles.a]\nx = 1\n',
      { triggerFraction: 0.6 },
    ],
    [
      'OpenCode',
      'opencode-1.18',
      '{ "compaction": { "prune": true, "reserved": 30000, }, } // mine',
      { prune: true, reserved: 30_000 },
    ],
    ['Qwen Code', 'qwen-code', QWEN_THRESHOLD, { triggerFraction: 0.6 }],
    // Older releases read another key, and the newest no longer does.
    ['Qwen Code', 'qwen-code', EARLIER_QWEN_THRESHOLD, {}],
    ['Qwen Code', 'qwen-code-0.15', EARLIER_QWEN_THRESHOLD, { triggerFraction: 0.6 }],
    [
      'Gemini CLI',
      'gemini-cli',
      '{ "model": { "compressionThreshold": 0.3 } }',
      { triggerFraction: 0.3 },
    ],
    [
      'pi',
      'pi',
      '{ "theme": "x", "compaction": { "enabled": true, "reserveTokens": 60000, "keepRecentTokens": 9000 } }',
      { auto: true, reserved: 60_000, keepTokens: 9_000 },
    ],
  ])('reads %s as %s: %s', (agent, policy, text, settings) => {
    const path = FILES[agent] ?? '';
    const home = homeWith({ [path]: text });
    expect(read(agent, policy, { HOME: home })).toEqual(settings);
    expect(readAgentConfigs({ HOME: home }).configs.get(agent)?.from).toEqual([`~/${path}`]);
  });

  const limitOf = (limit: object) =>
    JSON.stringify({
      provider: {
        anthropic: { options: { apiKey: SECRET }, models: { 'claude-opus-4-5': { limit } } },
      },
    });
  const QWEN = {
    model: { generationConfig: { contextWindowSize: 131_072 } },
    modelProviders: {
      anthropic: [{ id: 'claude-opus-4-5', generationConfig: { contextWindowSize: 60_000 } }],
    },
  };

  const SMALL = { contextTokens: 60_000, outputTokens: 4_000 };
  const CODEX = 'model_context_window = 100_000\nmodel_auto_compact_token_limit = 120_000\n';

  it.each<[string, PolicyName, string, object | undefined, number]>([
    ['OpenCode', 'opencode-1.18.17', limitOf({ context: 60_000, output: 4_000 }), SMALL, 56_000],
    [
      'OpenCode',
      'opencode-1.18.17',
      limitOf({ context: 60_000, input: 50_000, output: 4_000 }),
      { ...SMALL, inputTokens: 50_000 },
      46_000,
    ],
    ['OpenCode', 'opencode-1.18.17', '{ "compaction": { "auto": true } }', undefined, 168_000],
    ['Codex', 'codex-local', CODEX, { contextTokens: 95_000 }, 85_500],
    ['Qwen Code', 'qwen-code', JSON.stringify(QWEN), { contextTokens: 60_000 }, 27_000],
    [
      'Qwen Code',
      'qwen-code',
      JSON.stringify({ model: QWEN.model }),
      { contextTokens: 131_072 },
      98_072,
    ],
  ])('takes the window of %s (%s): %s', (agent, policy, text, window, edge) => {
    const env = { HOME: homeWith({ [FILES[agent] ?? '']: text }) };
    const config = readAgentConfigs(env).configs.get(agent);
    expect(config?.windowOn(MODEL)).toEqual(window);
    expect(JSON.stringify(config?.keys)).not.toContain(SECRET);
    expect(edgeOf(agent, policy, env)).toBe(edge);
  });

  it('lets releases of Claude Code with the window variable compact at 67,000 in one of 100,000', () => {
    const env = { HOME: homeWith({}), CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' };
    expect(edgeOf('Claude Code', 'claude-code', env)).toBe(67_000);
    const release = [2, 1, 47];
    const config = readAgentConfigs(env).configs.get('Claude Code');
    const met = { policy: policies['claude-code'], limits: LIMITS, model: MODEL, release };
    expect(config?.settingsOn(met)).toEqual({});
  });

  it('reads back what the advice says to write', () => {
    const trigger = { model: MODEL, ...LIMITS };
    const keyOf = (policy: string, usableTokens: number) =>
      toConfigChange(policy, { triggerFraction: 0.7 }, { ...trigger, usableTokens }).written[0]!;
    const written = homeWith({
      '.config/opencode/opencode.json': keyOf('opencode-1.18', 168_000).text,
      '.codex/config.toml': keyOf('codex-local', 180_000).text,
      '.gemini/settings.json': keyOf('gemini-cli', 100_000).text,
    });
    const [name = '', value = ''] = keyOf('claude-code', 167_000).text.split('=');
    const env = { HOME: written, [name]: value };
    for (const [agent, policy] of [
      ['OpenCode', 'opencode-1.18'],
      ['Codex', 'codex-local'],
      ['Gemini CLI', 'gemini-cli'],
      ['Claude Code', 'claude-code'],
    ] as const)
      expect([agent, edgeOf(agent, policy, env)]).toEqual([agent, 140_000]);
  });

  it('names keys about compaction and nothing else', () => {
    const env = { ANTHROPIC_API_KEY: SECRET, CLAUDE_CODE_AUTO_COMPACT_WINDOW: '153000' };
    const home = homeWith({
      '.claude/settings.json': JSON.stringify({ env, apiKeyHelper: SECRET }),
    });
    expect(readAgentConfigs({ HOME: home }).configs.get('Claude Code')?.keys).toEqual([
      'CLAUDE_CODE_AUTO_COMPACT_WINDOW=153000',
    ]);
  });

  it('leaves out what is broken without a word of its content', () => {
    const home = homeWith({
      '.claude/settings.json': `{ "env": { "ANTHROPIC_API_KEY": "${SECRET}" `,
      '.config/opencode/opencode.json': `{ "compaction": { "${SECRET}": 1 } }`,
      '.codex/config.toml': `model_auto_compact_token_limit = "${SECRET}"`,
      '.gemini/settings.json': `{ "model": "${SECRET}" }`,
    });
    const { configs, unread } = readAgentConfigs({ HOME: home });
    expect(configs.size).toBe(0);
    expect(unread).toEqual([
      '~/.claude/settings.json',
      '~/.codex/config.toml',
      '~/.config/opencode/opencode.json',
      '~/.gemini/settings.json',
    ]);
  });

  it('takes variables of the environment, and folders that they name', () => {
    const home = homeWith({ 'mine/config.toml': 'model_auto_compact_token_limit = 120000' });
    const env = { HOME: home, CODEX_HOME: join(home, 'mine'), OPENCODE_DISABLE_PRUNE: '1' };
    expect(read('Codex', 'codex-local', env)).toEqual({ triggerFraction: 0.6 });
    expect(read('OpenCode', 'opencode-1.18', env)).toEqual({ prune: false });
    expect(readAgentConfigs(env).configs.get('OpenCode')?.from).toEqual(['environment']);
    const beside = { HOME: join(home, 'mi'), CODEX_HOME: join(home, 'mine') };
    expect(readAgentConfigs(beside).configs.get('Codex')?.from).toEqual([
      join(home, 'mine/config.toml'),
    ]);
    expect(readAgentConfigs({}).configs.size).toBe(0);
  });
});
