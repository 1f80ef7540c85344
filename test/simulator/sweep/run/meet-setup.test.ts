import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import {
  type ModelProfile,
  createProfile,
} from '../../../../src/simulator/provider/model-profile.ts';
import { recordedArm } from '../../../../src/simulator/replay/recorded.ts';
import { applySettings, type SettingValues } from '../../../../src/simulator/scenario/settings.ts';
import {
  edgeTokens,
  type Setup,
  type SetupStretch,
} from '../../../../src/simulator/setup/setup.ts';
import { meetingKey, meetSetup } from '../../../../src/simulator/sweep/run/meet-setup.ts';

const HOUR_MS = 3_600_000;

const claude = (name: string, contextTokens: number): ModelProfile => ({
  ...createProfile(`anthropic/claude-${name}`, { contextTokens, outputTokens: 64_000 }),
  trueLimits: { contextTokens: 1_000_000 },
});

const stretch = (messageId: string, model: ModelProfile): SetupStretch => ({
  messageId,
  steps: 1,
  model,
  modelSource: 'recorded',
  window: { value: model.limits.contextTokens, source: 'inferred' },
});

const setup: Setup = {
  agent: 'Claude Code',
  preset: 'claude-code-2.1.31',
  release: '2.1.40',
  cacheTtlMs: HOUR_MS,
  stretches: [stretch('s1', claude('opus-4-6', 200_000)), stretch('s9', claude('opus-5', 300_000))],
};
const configured = {
  limits: { contextTokens: 150_000 },
  settings: { triggerFraction: 0.5 },
};

/** A cell with its settings in force, as cells are planned. */
function cellOf(
  policy: keyof typeof policies | typeof recordedArm,
  settings: SettingValues = {},
  name = 'opus-4-6',
) {
  const model = claude(name, 500_000);
  if (typeof policy !== 'string') return { policy, model, settings };
  const base = { policy: policies[policy], limits: model.limits };
  const applied = applySettings(base, settings);
  return {
    policy: applied.policy,
    model: { ...model, limits: applied.limits, trueLimits: applied.limits },
    settings,
  };
}

const onSetup = true as const;
const windowsOf = (met: ReturnType<typeof meetSetup>) =>
  [met.model, ...(met.modelChanges ?? []).map(({ model }) => model)].map(
    ({ limits }) => limits.contextTokens,
  );

const edgeOf = ({ policy, model }: ReturnType<typeof meetSetup>) =>
  'trigger' in policy ? edgeTokens(policy, model.limits) : undefined;

describe('meetSetup', () => {
  it('changes nothing where nothing is known', () => {
    const cell = { ...cellOf('claude-code'), onSetup };
    expect(meetSetup(cell, undefined)).toBe(cell);
  });

  it('configures no policy of its own rules', () => {
    const policy = { ...policies['claude-code'], name: 'of a caller' };
    expect(meetSetup({ ...cellOf('claude-code'), policy }, { ...setup, configured })).toMatchObject(
      {
        policy,
      },
    );
  });

  it('puts the recorded models in the place of one that nobody named, each from its step on', () => {
    const met = meetSetup({ ...cellOf('claude-code'), onSetup }, setup);
    expect(met.model).toEqual(setup.stretches[0]?.model);
    expect(met.modelChanges).toEqual([{ messageId: 's9', model: setup.stretches[1]?.model }]);
  });

  it.each<[string, SettingValues, readonly number[]]>([
    ['the windows in force', {}, [200_000, 300_000]],
    ['a window that is set', { contextTokens: 90_000 }, [90_000, 90_000]],
  ])('takes %s for recorded models', (_, settings, expected) => {
    const met = meetSetup({ ...cellOf('claude-code', settings), onSetup }, setup);
    expect(windowsOf(met)).toEqual(expected);
    const isSet = settings['contextTokens'] !== undefined;
    expect(met.model.trueLimits.contextTokens).toBe(isSet ? 90_000 : 1_000_000);
  });

  it.each<[string, string, SettingValues, number]>([
    ['the recorded model takes the window in force', 'opus-4-6', {}, 200_000],
    ['another one that of the release', 'opus-4-7', {}, 200_000],
    ['a window that is set wins', 'opus-4-6', { contextTokens: 90_000 }, 90_000],
  ])('leaves a model that was named in its place: %s', (_, name, settings, expected) => {
    const met = meetSetup(cellOf('claude-code', settings, name), setup);
    expect(met.model.id).toBe(`anthropic/claude-${name}`);
    expect(windowsOf(met)).toEqual([expected]);
  });

  it.each<[string, SettingValues, number]>([
    ['as long as the recorded ones', {}, HOUR_MS],
    ['as it is set', { cache: 'anthropic-5m' }, 300_000],
    ['as long as it is set', { cacheTtl: 300 }, 300_000],
  ])('keeps prompts of a model that was named cached %s', (_, settings, expected) => {
    const cell = cellOf('claude-code', settings);
    expect(meetSetup(cell, setup).model.cache.ttlMs).toBe(expected);
  });

  it.each<[string, keyof typeof policies, SettingValues, number]>([
    ['has the agent start at its own settings', 'claude-code-2.1.31', {}, 75_000],
    ['gives way to what is set', 'claude-code-2.1.31', { triggerFraction: 0.8 }, 120_000],
    ['gives way to a window that is set', 'claude-code-2.1.31', { contextTokens: 90_000 }, 45_000],
    ['is not about other agents, but for the window', 'opencode-1.2.16', {}, 118_000],
  ])('a configuration of today %s', (_, policy, settings, expected) => {
    const today = { ...setup, configured };
    const met = meetSetup({ ...cellOf(policy, settings), onSetup }, today);
    expect(edgeOf(met)).toBe(expected);
  });

  it('a configuration of today is none of what happened', () => {
    const met = meetSetup({ ...cellOf(recordedArm), onSetup }, { ...setup, configured });
    expect([met.policy, ...windowsOf(met)]).toEqual([recordedArm, 200_000, 300_000]);
  });

  it.each<[string, keyof typeof policies, Partial<Setup>, SettingValues, number | undefined]>([
    ['without a threshold', 'claude-code', {}, {}, undefined],
    ['with a threshold', 'claude-code', {}, { triggerFraction: 0.5 }, 100_000],
    ['with a configured threshold', 'claude-code', { configured }, {}, 75_000],
    ['under another agent', 'opencode-1.2.16', {}, {}, 168_000],
  ])('compacts at a refusal only where the release does: %s', (_, policy, more, settings, edge) => {
    const refusing: Setup = { ...setup, isRefusalOnly: true, ...more };
    const met = meetSetup({ ...cellOf(policy, settings), onSetup }, refusing);
    expect(edgeOf(met)).toBe(edge);
  });
});

describe('meetingKey', () => {
  it('is another where a cell is met otherwise, and the same where only the session is another', () => {
    const [first, second] = [setup.stretches[0]!, setup.stretches[1]!];
    const cell = { ...cellOf('claude-code-2.1.31'), onSetup };
    const others: readonly Setup[] = [
      { ...setup, configured },
      { ...setup, isRefusalOnly: true },
      { ...setup, stretches: [first] },
      { ...setup, stretches: [first, { ...second, messageId: 's7' }] },
    ];
    for (const other of others) {
      expect(meetSetup(cell, other)).not.toEqual(meetSetup(cell, setup));
      expect(meetingKey(other)).not.toBe(meetingKey(setup));
    }
    const stretches = [{ ...first, messageId: 's2', steps: 9 }, second];
    const same: Setup = { ...setup, ownCostUsd: 1, stretches };
    expect(meetingKey(same)).toBe(meetingKey(setup));
  });
});
