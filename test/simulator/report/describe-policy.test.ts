import { describe, expect, it } from 'vitest';
import {
  type Limits,
  policies,
  type PolicyName,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import {
  describePreset,
  renderReleases,
  toPlainOrigin,
} from '../../../src/simulator/report/explain-moment.ts';
import { applySettings, type SettingValues } from '../../../src/simulator/scenario/settings.ts';
import { renderKept, renderMoments, toPlainKept } from '../../../src/simulator/report/doctor.ts';

const large: Limits = { contextTokens: 200_000, outputTokens: 64_000 };
const small: Limits = { contextTokens: 24_000, outputTokens: 8_000 };

function targetOf(name: PolicyName, limits: Limits, given: SettingValues = {}) {
  const target = applySettings({ policy: policies[name], limits }, given);
  return [target.policy, target.limits] as const;
}

describe('renderReleases', () => {
  it.each<[string | undefined, string | undefined, string]>([
    ['1.2.16', '1.14.18', '1.2.16 to 1.14.18'],
    ['2.0.0', undefined, 'since 2.0.0'],
    ['0.0.0', '0.84.3', 'up to 0.84.3'],
    ['0.0.0', undefined, 'all releases'],
    ['1.3.0', '1.3.0', '1.3.0'],
    [undefined, '1.3.0', 'up to 1.3.0'],
    [undefined, undefined, ''],
  ])('from %s to %s: %s', (from, to, expected) => {
    expect(renderReleases({ ...(from && { from }), ...(to && { to }) })).toBe(expected);
  });
});

describe('describePreset', () => {
  it.each<[PolicyName, string]>([
    ['opencode-0.8', 'OpenCode: 0.8.0 to 0.9.4, read in its source, 2026-08'],
    ['anthropic-compact', 'Anthropic API: as documented, 2026-08'],
    ['claude-code', 'Claude Code: 2.1.170 to 2.1.332, observed in recordings, 2026-11-28'],
    ['codex-local', 'Codex: since 0.169.0, observed on 2026-11-28'],
    ['none', "Controls: this project's own"],
  ])('says whose preset %s is', (name, origin) => {
    expect(describePreset({ name })).toEqual([`preset of ${origin}`]);
  });

  it.each(['mine', 'toString'])('says nothing of %s', (name) => {
    expect([describePreset({ name }), toPlainOrigin(name)]).toEqual([[], null]);
  });
});

describe('renderMoments', () => {
  it.each<[PolicyName, string]>([
    ['opencode-1.2.16', 'after a step and before a request, also in the middle of a turn'],
    ['opencode-2.0', 'before a request, also in the middle of a turn'],
    ['goose', 'before a request, between turns only'],
  ])('%s: %s', (name, expected) => {
    expect(renderMoments(policies[name])).toBe(expected);
  });

  it('of a policy that checks after steps alone', () => {
    const policy = resolvePolicy(policies['opencode-2.0'], {
      trigger: { afterStep: true, beforeRequest: false },
    });
    expect(renderMoments(policy)).toBe('after a step, also in the middle of a turn');
  });
});

const KEPT: readonly (readonly [PolicyName, Limits, SettingValues?])[] = [
  ['rolling-window', large, { keepMessages: 20 }],
  ['document-001', large, { tailTurns: 3 }],
  ['opencode-1.18', small],
  ['opencode-1.18', small, { tailTokens: 5_000 }],
  ['opencode-1.18', large, { tailTokens: 0 }],
  ['opencode-1.18', large, { tailTurns: 0 }],
];

it('says what stays under each preset', async () => {
  const presets = (Object.keys(policies) as PolicyName[]).map((name) => [name, large] as const);
  const told = [...presets, ...KEPT].map(([name, limits, given = {}]) => {
    const set = Object.entries(given).map(([key, value]) => ` ${key}=${value}`);
    const window = limits === small ? ' (24,000 tokens)' : '';
    return `${name}${set.join('')}${window}: ${renderKept(...targetOf(name, limits, given))}\n`;
  });
  await expect(told.join('')).toMatchFileSnapshot('../../fixtures/snapshots/kept.txt');
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
