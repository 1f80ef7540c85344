import { describe, expect, it } from 'vitest';
import { type Limits, type PolicyName, policies } from '../../../src/engine/index.ts';
import { renderKept, toPlainKept } from '../../../src/simulator/report/kept.ts';
import { applySettings, type SettingValues } from '../../../src/simulator/scenario/settings.ts';

const large: Limits = { contextTokens: 200_000, outputTokens: 64_000 };
const small: Limits = { contextTokens: 24_000, outputTokens: 8_000 };

function targetOf(name: PolicyName, limits: Limits, given: SettingValues = {}) {
  const target = applySettings({ policy: policies[name], limits }, given);
  return [target.policy, target.limits] as const;
}

describe('renderKept', () => {
  it.each<[string, PolicyName, Limits, SettingValues | undefined, string]>([
    [
      'messages of a rolling window',
      'rolling-window',
      large,
      {},
      'the newest 50 messages; what is older is dropped; there is no pivot',
    ],
    [
      'a rolling window that was set',
      'rolling-window',
      large,
      { keepMessages: 20 },
      'the newest 20 messages; what is older is dropped; there is no pivot',
    ],
    [
      'messages beside a memory',
      'external-memory',
      large,
      {},
      'the newest 10 messages; what is older moves to a memory, of which up to 10 pieces, together 8,000 tokens, come back for a request; there is no pivot',
    ],
    ['everything', 'selective-pruning', large, {}, 'everything; there is no pivot'],
    ['nothing', 'opencode-1.2.16', large, {}, 'nothing'],
    ['one turn', 'document-001', large, {}, 'the newest turn'],
    ['some turns', 'document-001', large, { tailTurns: 3 }, 'the newest 3 turns'],
    [
      'turns up to the largest budget',
      'opencode-1.18',
      large,
      {},
      'the newest 2 turns, at most 8,000 tokens',
    ],
    [
      'turns up to a quarter of what is usable on the model',
      'opencode-1.18',
      small,
      {},
      'the newest 2 turns, at most 4,000 tokens',
    ],
    [
      'turns up to a budget that was set',
      'opencode-1.18',
      small,
      { tailTokens: 5_000 },
      'the newest 2 turns, at most 5,000 tokens',
    ],
    ['turns of no tokens', 'opencode-1.18', large, { tailTokens: 0 }, 'nothing'],
    ['no turns', 'opencode-1.18', large, { tailTurns: 0 }, 'nothing'],
    ['re-read files', 'claude-code', large, {}, 'nothing; re-reads up to 5 files'],
  ])('says %s', (_, name, limits, given, expected) => {
    expect(renderKept(...targetOf(name, limits, given))).toBe(expected);
  });
});

describe('toPlainKept', () => {
  const NONE = { tailBudgetTokens: null, windowMessages: null, memory: null };

  it.each<[string, PolicyName, object]>([
    ['a window', 'rolling-window', { windowMessages: 50 }],
    [
      'a memory',
      'external-memory',
      { memory: { keepMessages: 10, recallEntries: 10, recallTokens: 8_000 } },
    ],
    ['turns', 'opencode-1.18', { tailBudgetTokens: 4_000 }],
    ['none of these', 'opencode-1.2.16', {}],
  ])('has the numbers of %s', (_, name, numbers) => {
    const { cut } = policies[name];
    expect(toPlainKept(...targetOf(name, small))).toEqual({ ...NONE, cut, ...numbers });
  });
});
