import { describe, expect, it } from 'vitest';
import { overflowRules, policies } from '../../../src/engine/index.ts';
import { isArm, parseArm, recordingArm, settleArm } from '../../../src/simulator/scenario/arms.ts';

const CLAUDE_LIMITS = { contextTokens: 200_000, outputTokens: 64_000 };

describe('parseArm', () => {
  it.each([
    ['opencode-1.18.14', 'opencode-1.18'],
    ['opencode-v1.14.45', 'opencode-1.14.40'],
    ['opencode-1.17', 'opencode-1.16'],
    ['opencode', 'opencode-2.0'],
    ['opencode-99', 'opencode-2.0'],
    ['claude-code-2.1.197', 'claude-code'],
    ['claude-code-2.1.36', 'claude-code-2.1.31'],
    ['claude-code-2.1.20', 'claude-code-2.1.14'],
    ['claude-code-2.1.20 prune=on', 'claude-code-2.1.14 prune=true'],
    ['claude-code-2.0.75', 'claude-code-2.0'],
    ['pi-0.74', 'pi'],
    ['codex', 'codex-remote'],
    ['codex-0.50', 'codex-local-0.53'],
    ['gemini-cli-0.1', 'gemini-cli-0.24'],
    ['qwen-code-0.24.4 prune=off', 'qwen-code prune=false'],
    [
      '  opencode-1.18   prune=off triggerFraction=.70 ',
      'opencode-1.18 triggerFraction=0.7 prune=false',
    ],
    ['opencode-1.18 triggerFraction=70%', 'opencode-1.18 triggerFraction=0.7'],
    ['claude', 'claude-code'],
    ['claude-2.1.36 prune=on', 'claude-code-2.1.31 prune=true'],
    ['gemini', 'gemini-cli'],
    ['qwen', 'qwen-code'],
    ['kimi', 'kimi-code'],
    ['opencode-1.18 protect=40K', 'opencode-1.18 protect=40000'],
  ])('reads %j as %s', (text, name) => {
    const { policy } = parseArm(text);
    expect(policy.name).toBe(name);
    expect(parseArm(name)).toEqual(parseArm(text));
  });

  it('reads every preset as itself', () => {
    for (const policy of Object.values(policies))
      expect(parseArm(policy.name)).toEqual({ preset: policy.name, policy, settings: {} });
  });

  it.each([
    ['opencod-1.18', /Unknown policy 'opencod-1\.18'; nearest: opencode-1\.18/],
    ['opencode-latest', /Unknown policy 'opencode-latest'/],
    ['constructor', /Unknown policy/],
    ['none-1', /Unknown policy/],
    ['document-004-1', /Unknown policy/],
    ['controls', /Unknown policy/],
    ['opencode-1.18 protekt=1', /Unknown setting 'protekt'; nearest: protect/],
    ['opencode-1.18 prune', /Expected a setting to be KEY=VALUE, got 'prune'/],
    ['opencode-1.18 prune=maybe', /Expected 'prune' to be true or false, got 'maybe'/],
    ['pi prune=on prune=off', /Expected 'prune' to be set once/],
    ['none prune=off', /Expected 'none' without settings, got 'none prune=off'/],
    ['pi contextTokens=60k', /Expected '--set' to set 'contextTokens' for all policies/],
    ['pi cache=none', /Expected '--set' to set 'cache' for all policies/],
  ])('refuses %j', (text, message) => {
    expect(() => parseArm(text)).toThrow(message);
  });
});

describe('isArm', () => {
  it.each([
    ['opencode-1.18.14 prune=what', true],
    ['base/', false],
    ['', false],
  ])('of %j is %s', (text, expected) => {
    expect(isArm(text)).toBe(expected);
  });
});

describe('settleArm', () => {
  it('puts settings in force: those of all, and its own over them', () => {
    const shared = { protect: 1_000, minimum: 2_000 };
    const { prune } = settleArm(parseArm('opencode-1.18 protect=5k'), {
      limits: CLAUDE_LIMITS,
      shared,
    });
    expect(prune.byAge).toMatchObject({ protectTokens: 5_000, minimumTokens: 2_000 });
  });

  it('compacts where recordings of Claude Code do', () => {
    const usableIn = (name: string) => {
      const { trigger } = settleArm(parseArm(name), { limits: CLAUDE_LIMITS });
      return overflowRules[trigger.overflow].usable(CLAUDE_LIMITS, trigger);
    };
    expect(usableIn('claude-code-2.1.17')).toBe(155_000);
    expect(usableIn('claude-code-2.1.36')).toBe(167_000);
  });
});

describe('recordingArm', () => {
  it.each<[string, readonly number[] | undefined, string | undefined]>([
    ['claude-code', undefined, 'claude-code'],
    ['claude-code', [2, 1, 170], 'claude-code'],
    ['claude-code', [2, 1, 49], 'claude-code-2.1.31'],
    ['claude-code', [2, 1, 29], 'claude-code-2.1.22'],
    ['claude-code', [2, 1, 20], 'claude-code-2.1.14'],
    ['claude-code', [2, 1, 7], 'claude-code-2.1'],
    ['claude-code', [2, 1], 'claude-code-2.0'],
    ['claude-agent-sdk', [2, 0, 64], 'claude-code-2.0'],
    ['opencode-export', [1, 14, 46], 'opencode-1.14.40'],
    ['opencode-storage', [0, 8, 1], 'opencode-0.8'],
    ['opencode-events', undefined, 'opencode-2.0'],
    ['pi', [9], 'pi-1.6'],
    ['goose', [1, 2, 3], 'goose'],
    ['codex', [0, 125, 0], 'codex-remote'],
    ['codex', [0, 50, 0], 'codex-local-0.53'],
    ['openai-chat', undefined, undefined],
    ['constructor', undefined, undefined],
  ])('of %s %j is %s', (format, release, name) => {
    expect(recordingArm({ format, ...(release && { release }) })?.policy.name).toBe(name);
  });
});
