import { describe, expect, it } from 'vitest';
import { type PolicyName, policies } from '../../../../src/engine/index.ts';
import { examine } from '../../../../src/simulator/scenario/doctor/checkup.ts';
import { runLints } from '../../../../src/simulator/scenario/doctor/lints.ts';
import { applySettings, type SettingValues } from '../../../../src/simulator/scenario/settings.ts';

/** What is said of a preset on a model of 200,000 tokens, of which an answer takes 64,000, with some settings. */
function saidOf(name: PolicyName, given: SettingValues): readonly string[] {
  const limits = { contextTokens: 200_000, outputTokens: 64_000 };
  const base = { policy: policies[name], limits };
  const target = applySettings(base, given);
  const found = runLints(examine({ base, target, given, floorTokens: 12_000 }));
  return found.map(({ problem, advice }) => `${problem}. ${advice}`);
}

describe('what to do where too little is usable', () => {
  it.each<[what: string, PolicyName, SettingValues, advice: string]>([
    [
      'the output, which the rule reads, and no reserve, which it does not',
      'opencode-1.2.16',
      { contextTokens: 16_384, outputTokens: 0, reserved: 0 },
      "Declare a smaller 'outputTokens', lower 'outputCap', or choose a model with a larger window.",
    ],
    [
      'the reserve where a rule leaves one',
      'opencode-1.1.57',
      { reserved: 200_000 },
      "Lower 'reserved', or choose a model with a larger window.",
    ],
    [
      'the window alone where a rule takes a share of it',
      'document-004',
      { contextTokens: 8_000 },
      "Give the true floor with '--floor'.",
    ],
  ])('is %s', (_, name, given, advice) => {
    expect(saidOf(name, given)[0]).toMatch(/^usable /);
    expect(saidOf(name, given)[0]?.endsWith(`. ${advice}`)).toBe(true);
  });
});

describe('a number that changes nothing', () => {
  it.each<[PolicyName, SettingValues]>([
    ['opencode-1.2.16', { outputTokens: 0 }],
    ['opencode-1.2.16', { outputTokens: 50_000 }],
    ['opencode-1.2.16', { outputCap: 32_000, outputTokens: 40_000 }],
  ])('is told apart from one that %s does not look at: %j', (name, given) => {
    const said = saidOf(name, given).filter((sentence) => sentence.startsWith("'outputTokens="));
    expect(said).toEqual([
      expect.stringMatching(
        /has no effect: the result is the same without it\. Leave 'outputTokens' out, or give another number\.$/,
      ),
    ]);
  });

  it('is none that it looks at where no check is made', () => {
    const [said] = saidOf('opencode-1.2.16', { auto: false, outputCap: 9 });
    const [ofReserve] = saidOf('opencode-1.18', { auto: false, reserved: 9 });
    expect(ofReserve).toBe(
      "'reserved=9' has no effect: tokens are never checked: auto is off, or the policy has no check. Leave 'reserved' out, or choose a preset that uses it.",
    );
    expect(said).toContain('tokens are never checked: auto is off, or the policy has no check');
  });
});

describe('PROTECT and MINIMUM above usable', () => {
  const BIG_OUTPUTS =
    'before a pivot, only an output that begins below PROTECT and reaches far above it is pruned';
  it.each([
    [148_001, BIG_OUTPUTS],
    [167_999, BIG_OUTPUTS],
    [168_000, 'no prune fires before a pivot'],
  ])('leave of a prune with PROTECT %d what the part on the line may be', (protect, left) => {
    expect(saidOf('opencode-1.2.16', { protect })).toEqual([
      expect.stringContaining(`is above usable 168,000: ${left}. `),
    ]);
  });
});
