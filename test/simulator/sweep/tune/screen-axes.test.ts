import { describe, expect, it } from 'vitest';
import {
  defaultCleanups,
  policies,
  type Policy,
  resolvePolicy,
} from '../../../../src/engine/index.ts';
import type { SettingName, SettingValue } from '../../../../src/simulator/scenario/settings.ts';
import { todaysValue } from '../../../../src/simulator/sweep/tune/screen-axes.ts';

const LIMITS = { contextTokens: 200_000, inputTokens: 150_000, outputTokens: 64_000 };
const released = policies['opencode-1.2.16'];
const RECENT = {
  keep: 'recent-turns',
  turns: 2,
  splitsTurns: false,
  maximumBudgetTokens: 9_000,
} as const;
const cutBy = (cut: Policy['cut']) => resolvePolicy(released, { cut });

describe('todaysValue', () => {
  it.each<[setting: SettingName, value: SettingValue | undefined, policy: Policy]>([
    ['contextTokens', 200_000, released],
    ['inputTokens', 150_000, released],
    ['outputTokens', 64_000, released],
    ['reserved', 7_000, resolvePolicy(released, { trigger: { reservedTokens: 7_000 } })],
    ['triggerFraction', 0.7, resolvePolicy(released, { trigger: { windowShare: 0.7 } })],
    ['outputCap', 9_000, resolvePolicy(released, { trigger: { outputCapTokens: 9_000 } })],
    ['auto', false, resolvePolicy(released, { trigger: { auto: false } })],
    ['prune', false, resolvePolicy(released, { prune: { enabled: false } })],
    ['protect', 1, resolvePolicy(released, { prune: { byAge: { protectTokens: 1 } } })],
    ['minimum', 2, resolvePolicy(released, { prune: { byAge: { minimumTokens: 2 } } })],
    ['guardTurns', 3, resolvePolicy(released, { prune: { byAge: { guardTurns: 3 } } })],
    ['tailTurns', 4, cutBy({ keep: 'last-turns', count: 4 })],
    ['tailTurns', 5, cutBy({ ...RECENT, turns: 5 })],
    ['tailTurns', undefined, cutBy({ keep: 'nothing' })],
    ['tailTokens', 900, cutBy({ ...RECENT, tokens: 900 })],
    ['tailTokens', undefined, cutBy({ keep: 'last-turns', count: 4 })],
    ['keepMessages', 6, cutBy({ keep: 'last-messages', count: 6 })],
    ['keepMessages', undefined, cutBy({ keep: 'nothing' })],
    [
      'keepMessages',
      7,
      resolvePolicy(policies['external-memory'], {
        memory: { ...policies['external-memory'].memory, keepMessages: 7 },
      }),
    ],
    ['keepMessages', 8, resolvePolicy(released, { view: 'rolling-window', windowMessages: 8 })],
    ['keepShare', 0.3, cutBy({ keep: 'last-share', share: 0.3 })],
    ['keepShare', undefined, cutBy({ keep: 'last-turns', count: 4 })],
    ['pause', 300, resolvePolicy(released, { prune: { idleMs: 300_000 } })],
    ['pause', undefined, released],
    [
      'clearSuperseded',
      true,
      resolvePolicy(released, { prune: { cleanups: [defaultCleanups.superseded] } }),
    ],
    ['clearSuperseded', false, released],
    ['dialect', undefined, released],
  ])('%s is %s', (setting, value, policy) => {
    expect(todaysValue(setting, { policy, limits: LIMITS })).toBe(value);
  });
});
