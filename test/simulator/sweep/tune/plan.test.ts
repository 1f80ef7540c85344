import { describe, expect, it } from 'vitest';
import { policies, type PolicyName } from '../../../../src/engine/index.ts';
import { applySettings, type SettingName } from '../../../../src/simulator/scenario/settings.ts';
import {
  describeConstraint,
  findObjective,
  isWithin,
  parseConstraint,
  splitSessions,
} from '../../../../src/simulator/sweep/tune/tune-table.ts';
import { type InUse, todaysValue } from '../../../../src/simulator/sweep/tune/screen-axes.ts';
import { changesFor } from '../../../../src/simulator/sweep/answer/answer-groups.ts';
import { screenAxes } from '../../../../src/simulator/sweep/tune/points.ts';

describe('parseConstraint', () => {
  it.each([
    ['compactions=..40', { of: 'metric', name: 'compactions', min: -Infinity, max: 40 }],
    ['reserved=1000..2000', { of: 'setting', name: 'reserved', min: 1_000, max: 2_000 }],
    [' hitRate = 0.5.. ', { of: 'metric', name: 'hitRate', min: 0.5, max: Infinity }],
    ['hitRate=.5...9', { of: 'metric', name: 'hitRate', min: 0.5, max: 0.9 }],
    ['protect=1k..50k', { of: 'setting', name: 'protect', min: 1_000, max: 50_000 }],
    ['protect=..1.5M', { of: 'setting', name: 'protect', min: -Infinity, max: 1_500_000 }],
    ['tokensSaved=..2M', { of: 'metric', name: 'tokensSaved', min: -Infinity, max: 2_000_000 }],
    ['cost=..2', { of: 'metric', name: 'costUsd', min: -Infinity, max: 2 }],
    ['tokens=1k..', { of: 'metric', name: 'inputTokens', min: 1_000, max: Infinity }],
    ['tokensSaved=-5..', { of: 'metric', name: 'tokensSaved', min: -5, max: Infinity }],
  ])('%s', (text, expected) => {
    expect(parseConstraint(text)).toEqual(expected);
  });

  it('holds both ends and nothing that is unknown', () => {
    const range = parseConstraint('compactions=1..3');
    expect([1, 2, 3].every((value) => isWithin(value, range))).toBe(true);
    expect([0, 4, null, undefined].some((value) => isWithin(value, range))).toBe(false);
    expect(describeConstraint(parseConstraint('compactions=..3'))).toBe('compactions=..3');
  });
});

describe('findObjective', () => {
  it.each([
    ['cost', 'costUsd', 'lower'],
    ['compactions', 'compactions', 'lower'],
    ['tokensSaved', 'tokensSaved', 'higher'],
  ])('%s', (name, metric, better) => {
    expect(findObjective(name)).toMatchObject({ name, metric, better });
  });
});

describe('splitSessions', () => {
  const sessions = Array.from({ length: 100 }, (_, index) => ({
    session: `s${index}`,
    size: (index * 37) % 100,
  }));
  const sizeOf = new Map(sessions.map(({ session, size }) => [session, size]));

  it('holds out the share, of every size', () => {
    const { tuning, heldOut } = splitSessions(sessions, { share: 0.3, seed: 1 });
    expect([tuning.length, heldOut.length]).toEqual([70, 30]);
    const small = heldOut.flat().filter((session) => sizeOf.get(session)! < 50);
    expect(small.length).toBeGreaterThanOrEqual(14);
    expect(small.length).toBeLessThanOrEqual(16);
    expect(new Set([...tuning, ...heldOut].flat()).size).toBe(100);
  });

  it('leaves two to tune on, however large a share is asked for', () => {
    const { tuning, heldOut } = splitSessions(sessions.slice(0, 10), { share: 0.95, seed: 1 });
    expect([tuning.length, heldOut.length]).toEqual([2, 8]);
  });

  it('holds none out where too few would be left on either side', () => {
    const few = sessions.slice(0, 3);
    expect(splitSessions(few, { share: 0.3, seed: 1 }).heldOut).toEqual([]);
    expect(splitSessions(sessions, { share: 0, seed: 1 }).heldOut).toEqual([]);
  });
});

describe('screenAxes', () => {
  const limits = { contextTokens: 200_000, outputTokens: 64_000 };

  const axisOf = (key: SettingName, inUse: InUse) =>
    screenAxes(inUse).find((axis) => axis.key === key)?.values;

  it("tries every number of the policy and its prune at other values than today's, and none of the model", () => {
    const axes = screenAxes({ policy: policies['opencode-1.18'], limits });
    expect(axes.map(({ key }) => key)).toEqual([
      'reserved',
      'outputCap',
      'triggerFraction',
      'protect',
      'minimum',
      'guardTurns',
      'prune',
      'tailTurns',
      'charsPerToken',
    ]);
    expect(axes.find(({ key }) => key === 'tailTurns')?.values).toEqual([1, 4]);
  });

  it('tries the trigger of every policy that checks counts, beside where it is today', () => {
    const policy = policies['opencode-1.18'];
    expect(axisOf('triggerFraction', { policy, limits })).toEqual([0.6, 0.7, 0.8, 0.9]);
    const set = applySettings({ policy, limits }, { triggerFraction: 0.7 });
    expect(axisOf('triggerFraction', set)).toEqual([0.6, 0.8, 0.9]);
    expect(axisOf('triggerFraction', { policy: policies['gemini-cli'], limits })).toBeDefined();
    expect(axisOf('triggerFraction', { policy: policies.none, limits })).toBeUndefined();
  });

  it('tries earlier edges by tokens in a large window, and steps between prunes before requests', () => {
    const large = { contextTokens: 1_000_000, outputTokens: 64_000 };
    const policy = policies['claude-code'];
    expect(axisOf('triggerTokens', { policy, limits: large })).toEqual([
      200_000, 400_000, 600_000, 800_000,
    ]);
    expect(axisOf('triggerTokens', { policy, limits })).toBeUndefined();
    expect(axisOf('triggerTokens', { policy: policies['openai-compact'], limits: large })).toEqual([
      100_000, 400_000,
    ]);
    expect(axisOf('clearEvery', { policy: policies['last-n-observations'], limits })).toEqual([
      5, 20,
    ]);
    expect(axisOf('clearEvery', { policy, limits })).toBeUndefined();
    const tried = changesFor({ policy, limits: large }).map(({ setting }) => setting);
    expect(tried).toContain('triggerTokens');
    expect(tried).not.toContain('triggerFraction');
  });

  it.each(Object.keys(policies) as PolicyName[])('holds all that an answer tries: %s', (name) => {
    const inUse = { policy: policies[name], limits };
    const missing = changesFor(inUse).filter(
      ({ setting, to }) => axisOf(setting, inUse)?.includes(to) !== true,
    );
    expect(missing).toEqual([]);
  });

  it.each<[string, PolicyName, number]>([
    ['no more than the answer', 'opencode-1.2.16', 8_000],
    ['the buffer of the 2.0 engine, whatever the answer', 'opencode-2.0', 20_000],
    ['the same where a rule knows no reserve', 'document-004', 8_000],
  ])("takes for today's reserve %s: %s", (_, name, expected) => {
    const inUse = { policy: policies[name], limits: { ...limits, outputTokens: 8_000 } };
    expect(todaysValue('reserved', inUse)).toBe(expected);
  });

  it.each<[SettingName, PolicyName, number]>([
    ['tailTurns', 'opencode-1.18', 2],
    ['tailTurns', 'document-001', 1],
    ['keepMessages', 'document-004', 10],
    ['keepMessages', 'external-memory', 10],
    ['keepMessages', 'rolling-window', 50],
    ['keepMessages', 'kimi-cli', 2],
    ['keepTokens', 'opencode-2.0', 15_000],
    ['keepTokens', 'pi', 20_000],
    ['keepTokens', 'codex-local', 20_000],
    ['keepOutputs', 'last-n-observations', 10],
    ['pause', 'qwen-code', 3_600],
    ['charsPerToken', 'opencode-2.0', 4],
  ])('knows what %s of %s is today', (setting, name, expected) => {
    const policy = policies[name];
    expect(todaysValue(setting, { policy, limits })).toBe(expected);
    const set = applySettings({ policy, limits }, { [setting]: expected + 1 });
    expect(todaysValue(setting, set)).toBe(expected + 1);
  });

  it('knows no value for a setting that the policy has no number for', () => {
    const inUse = { policy: policies['opencode-1.2.16'], limits };
    expect(todaysValue('tailTurns', inUse)).toBeUndefined();
    expect(todaysValue('maxFailures', inUse)).toBeUndefined();
    expect(todaysValue('prune', inUse)).toBe(true);
  });
});
