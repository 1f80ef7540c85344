import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { parseSettings } from '../../../src/simulator/scenario/parse-settings.ts';
import {
  applySettings,
  settings,
  type SettingName,
  type SettingTarget,
  type SettingValue,
} from '../../../src/simulator/scenario/settings.ts';

const target: SettingTarget = {
  policy: policies['opencode-1.2.16'],
  limits: { contextTokens: 200_000, outputTokens: 64_000 },
};

const inForce: Record<SettingName, readonly [SettingValue, (target: SettingTarget) => unknown]> = {
  contextTokens: [60_000, ({ limits }) => limits.contextTokens],
  inputTokens: [50_000, ({ limits }) => limits.inputTokens],
  outputTokens: [0, ({ limits }) => limits.outputTokens],
  reserved: [30_000, ({ policy }) => policy.trigger.reservedTokens],
  outputCap: [16_000, ({ policy }) => policy.trigger.outputCapTokens],
  auto: [false, ({ policy }) => policy.trigger.auto],
  protect: [10_000, ({ policy }) => policy.prune.byAge.protectTokens],
  minimum: [0, ({ policy }) => policy.prune.byAge.minimumTokens],
  guardTurns: [1, ({ policy }) => policy.prune.byAge.guardTurns],
  prune: [false, ({ policy }) => policy.prune.enabled],
  summaryCap: [4_000, ({ policy }) => policy.summary.outputCapTokens],
};

describe('applySettings', () => {
  it.each(Object.entries(inForce))('puts %s where it belongs', (name, [value, read]) => {
    expect(read(target)).not.toBe(value);
    expect(read(applySettings(target, { [name]: value }))).toBe(value);
  });

  it('knows where every setting belongs', () => {
    expect(Object.keys(settings)).toEqual(Object.keys(inForce));
  });

  it('changes nothing else', () => {
    const { policy, limits } = applySettings(target, { protect: 10_000 });
    expect(limits).toEqual(target.limits);
    const byAge = { ...target.policy.prune.byAge, protectTokens: 10_000 };
    expect(policy).toEqual({ ...target.policy, prune: { ...target.policy.prune, byAge } });
  });

  it('gives the target back when there is nothing to set', () => {
    expect(applySettings(target, {})).toEqual(target);
  });

  it('leaves the control its rules, but not the limits of its model', () => {
    const control = { ...target, policy: policies.none };
    const values = { auto: true, prune: true, protect: 0, contextTokens: 1_000 };
    const changed = applySettings(control, values);
    expect(changed.policy).toEqual(policies.none);
    expect(changed.limits.contextTokens).toBe(1_000);
  });
});

describe('parseSettings', () => {
  it('reads numbers and switches', () => {
    expect(parseSettings(['contextTokens=60000', 'auto=false', ' prune = true '])).toEqual({
      contextTokens: 60_000,
      auto: false,
      prune: true,
    });
  });

  it('reads nothing from nothing', () => {
    expect(parseSettings([])).toEqual({});
  });

  it.each([
    ['no value', ['protect'], "Expected a setting as KEY=VALUE, got 'protect'."],
    ['no number', ['protect=many'], "Expected 'protect' to be a non-negative integer, got 'many'."],
    ['nothing', ['protect='], "Expected 'protect' to be a non-negative integer, got ''."],
    ['less than 0', ['protect=-1'], "Expected 'protect' to be a non-negative integer, got '-1'."],
    ['a fraction', ['protect=1.5'], "Expected 'protect' to be a non-negative integer, got '1.5'."],
    ['too much', ['protect=99999999999999999999'], /non-negative integer/],
    ['a switch for a number', ['protect=true'], /non-negative integer/],
    ['a number for a switch', ['auto=1'], "Expected 'auto' to be true or false, got '1'."],
    ['a key twice', ['auto=true', 'auto=true'], "Expected 'auto' to be set once, got it again."],
  ])('refuses %s', (_, pairs, message) => {
    const refused = typeof message === 'string' ? { code: 'BAD_OPTION', message } : {};
    expect(() => parseSettings(pairs)).toThrow(expect.objectContaining(refused));
    expect(() => parseSettings(pairs)).toThrow(message);
  });

  it.each([
    ['contextToken=1', /Unknown setting 'contextToken'\. Nearest: contextTokens/],
    ['__proto__=1', /Unknown setting '__proto__'/],
    ['=1', /Unknown setting ''/],
  ])('names the nearest settings for %s', (pair, message) => {
    expect(() => parseSettings([pair])).toThrow(message);
  });
});
