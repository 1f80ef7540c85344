import { describe, expect, it } from 'vitest';
import { policies, type Policy } from '../../../src/engine/index.ts';
import { readsSetting, toConfigChange } from '../../../src/simulator/report/agent-keys.ts';
import {
  CLAUDE_PERCENT,
  CLAUDE_WINDOW,
  claudeReads,
} from '../../../src/simulator/scenario/agent-config.ts';
import { readOpencodeConfig } from '../../../src/simulator/scenario/opencode-config.ts';
import { ownUsableTokens } from '../../../src/simulator/sweep/tune/screen-axes.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const TRIGGER = {
  model: 'anthropic/claude-opus-4-5',
  contextTokens: 200_000,
  outputTokens: 64_000,
  usableTokens: 168_000,
};
const folder = createFolder();
const parsed = (text: string): unknown => (text.startsWith('{') ? JSON.parse(text) : text);

/** The texts to paste for a threshold at a share of the window. */
const writtenFor = (policy: string, share: number, today = {}) =>
  toConfigChange(policy, { triggerFraction: share }, { ...TRIGGER, ...today }).written.map(
    ({ text }) => parsed(text),
  );

describe('toConfigChange', () => {
  it.each<[string, Readonly<Record<string, number | boolean>>, readonly string[]]>([
    ['opencode-0.8', {}, ['auto', 'prune', 'reserved', 'tailTurns', 'protect']],
    ['opencode-1.0.224', { auto: true, prune: false }, ['reserved', 'tailTurns', 'protect']],
    ['opencode-1.1.57', { auto: true, prune: false, reserved: 1 }, ['tailTurns', 'protect']],
    ['opencode-1.14.19', { auto: true, prune: false, reserved: 1, tailTurns: 2 }, ['protect']],
    ['opencode-1.18', { auto: true, prune: false, reserved: 1, tailTurns: 2 }, ['protect']],
    ['opencode-2.0', { auto: true, reserved: 1 }, ['prune', 'tailTurns', 'protect']],
    ['document-003', { auto: true, prune: false, reserved: 1, tailTurns: 2 }, ['protect']],
    ['codex', {}, ['auto', 'prune', 'reserved', 'tailTurns', 'protect']],
  ])(
    'writes for %s what that release reads, and the rest for this program',
    (policy, own, rest) => {
      const settings = { auto: true, prune: false, reserved: 1, tailTurns: 2, protect: 3 };
      const { written, set } = toConfigChange(policy, settings, TRIGGER);
      const path = writeFile(folder, `${policy}.json`, written[0]?.text ?? '{}');
      expect(readOpencodeConfig(path, {}).settings).toEqual(own);
      expect(set.map((pair) => pair.split('=', 1)[0])).toEqual(rest);
    },
  );

  it('moves the threshold of OpenCode by the window of the model, or by the reserve below its input cap', () => {
    const limit = { context: 172_000, output: 64_000 };
    expect(writtenFor('opencode-1.18', 0.7)).toEqual([
      { provider: { anthropic: { models: { 'claude-opus-4-5': { limit } } } } },
    ]);
    const capped = { contextTokens: 400_000, inputTokens: 272_000, usableTokens: 252_000 };
    expect(writtenFor('opencode-1.18', 0.5, capped)).toEqual([
      { compaction: { reserved: 72_000 } },
    ]);
    expect(writtenFor('opencode-2.0', 0.5)).toEqual([{ compaction: { buffer: 100_000 } }]);
  });

  it.each<[string, number, readonly string[]]>([
    ['claude-code', 0.7, ['CLAUDE_CODE_AUTO_COMPACT_WINDOW=172000']],
    // Later than its own, or below the least window that it takes: no key reaches that.
    ['claude-code', 0.9, []],
    ['claude-code', 0.3, []],
    ['codex-local', 0.7, ['model_auto_compact_token_limit = 140000']],
    ['codex-remote', 0.7, ['model_auto_compact_token_limit = 140000']],
    ['codex-remote-0.77', 0.7, ['model_auto_compact_token_limit = 140000']],
    // Releases up to 2.1.49 know no window variable.
    ['claude-code-2.1', 0.7, ['CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=77']],
    ['claude-code-2.1', 0.9, []],
    ['qwen-code', 0.7, ['{ "context": { "autoCompactThreshold": 0.7 } }']],
    [
      'qwen-code-0.15',
      0.6,
      ['{ "model": { "chatCompression": { "contextPercentageThreshold": 0.6 } } }'],
    ],
    ['qwen-code-0.21.10', 0.7, ['{ "context": { "autoCompactThreshold": 0.7 } }']],
    ['kimi-code', 0.7, ['loop_control.reserved_context_size = 60000']],
    ['kimi-code-0.30', 0.9, []],
    ['goose', 0.7, ['GOOSE_AUTO_COMPACT_THRESHOLD=0.7']],
    ['pi', 0.7, ['{ "compaction": { "reserveTokens": 60000 } }']],
    ['kimi-cli', 0.7, []],
  ])('has the keys of %s for a threshold of %d', (policy, share, texts) => {
    expect(writtenFor(policy, share)).toEqual(texts.map(parsed));
    const { set } = toConfigChange(policy, { triggerFraction: share }, TRIGGER);
    expect(set).toEqual(texts.length > 0 ? [] : [`triggerFraction=${share}`]);
    const triggerTokens = share * TRIGGER.contextTokens;
    const inTokens = toConfigChange(policy, { triggerTokens }, TRIGGER);
    expect(inTokens.written.map(({ text }) => parsed(text))).toEqual(texts.map(parsed));
    expect(inTokens.set).toEqual(texts.length > 0 ? [] : [`triggerTokens=${triggerTokens}`]);
  });
});

it('knows which settings an agent reads', () => {
  expect(readsSetting('opencode-1.18', 'tailTurns')).toBe(true);
  expect(readsSetting('opencode-1.18', 'protect')).toBe(false);
  expect(readsSetting('claude-code', 'triggerFraction')).toBe(true);
  expect(readsSetting('rolling-window', 'keepMessages')).toBe(false);
});

describe('a trigger that is advised', () => {
  const LIMITS = [
    { contextTokens: 200_000, outputTokens: 64_000 },
    { contextTokens: 120_000, outputTokens: 4_000 },
    { contextTokens: 1_000_000, inputTokens: 400_000, outputTokens: 128_000 },
  ];
  const SHARES = [0.05, 0.3, 0.5, 0.7, 0.85, 0.95, 1];

  /** Texts for any threshold in any window, with the one number in each that is no answer's. */
  const advisedFor = (policy: Policy) =>
    LIMITS.flatMap((limits) => {
      const usableTokens = ownUsableTokens({ policy, limits }) ?? null;
      return SHARES.flatMap((share) => {
        const today = { model: TRIGGER.model, ...limits, usableTokens };
        return toConfigChange(policy.name, { triggerFraction: share }, today).written.map(
          ({ text }) => {
            const [, number = ''] = /(?<!"output")[:=] ?(\d+(?:\.\d+)?)/.exec(text) ?? [];
            return { text, number: Number(number), limits, tokens: share * limits.contextTokens };
          },
        );
      });
    });

  it.each(Object.values(policies).map((policy) => [policy.name, policy] as const))(
    'never exceeds the window in force of %s',
    (_, policy) => {
      const wrong = advisedFor(policy).filter(
        ({ number, limits }) => !(number >= 0 && number <= limits.contextTokens),
      );
      expect(wrong).toEqual([]);
    },
  );

  it.each(
    Object.values(policies)
      .filter(({ name }) => name.startsWith('claude-code'))
      .map((policy) => [policy.name, policy] as const),
  )('names a variable that %s reads, and is earlier than its own', (name, policy) => {
    const advised = advisedFor(policy);
    expect(advised.length).toBeGreaterThan(0);
    const variable = claudeReads(name).window ? CLAUDE_WINDOW : CLAUDE_PERCENT;
    for (const { text, tokens, limits } of advised) {
      expect(text.split('=')[0]).toBe(variable);
      expect(tokens).toBeLessThan(ownUsableTokens({ policy, limits })!);
    }
  });
});
