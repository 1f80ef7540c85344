import { describe, expect, it } from 'vitest';
import { policies, type PolicyName, resolvePolicy } from '../../../src/engine/index.ts';
import {
  describePreset,
  renderEvidence,
  renderMoments,
  renderReleases,
  toPlainOrigin,
} from '../../../src/simulator/report/preset-origin.ts';

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

describe('renderEvidence', () => {
  it.each([
    ['observed', 'observed on 2026-11-28'],
    ['read', 'read in its source, 2026-11-28'],
    ['documented', 'as documented, 2026-11-28'],
    ['own', "this project's own"],
  ] as const)('%s: %s', (evidence, expected) => {
    expect(renderEvidence({ agent: 'x', evidence, date: '2026-11-28' })).toBe(expected);
  });
});

it('tells recordings from runs', () => {
  const origin = { agent: 'x', evidence: 'observed', date: '2026-11-28' } as const;
  expect(renderEvidence({ ...origin, by: 'recordings' })).toBe(
    'observed in recordings, 2026-11-28',
  );
});

describe('describePreset', () => {
  it('says of each preset whose it is, and nothing of another policy', () => {
    expect(describePreset({ name: 'opencode-0.8' })).toEqual([
      'preset of OpenCode: 0.8.0 to 0.9.4, read in its source, 2026-08',
    ]);
    expect(describePreset({ name: 'none' })).toEqual(["preset of Controls: this project's own"]);
    for (const name of ['mine', 'toString']) {
      expect([describePreset({ name }), toPlainOrigin(name)]).toEqual([[], null]);
    }
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
