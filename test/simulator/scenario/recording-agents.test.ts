import { describe, expect, it } from 'vitest';
import { overflowRules, policies } from '../../../src/engine/index.ts';
import { recordingPreset } from '../../../src/simulator/scenario/recording-agents.ts';

const CLAUDE_LIMITS = { contextTokens: 200_000, outputTokens: 64_000 };

describe('recordingPreset', () => {
  it.each<[string, readonly number[] | undefined, string | undefined]>([
    ['claude-code', undefined, 'claude-code'],
    ['claude-code', [2, 1, 36], 'claude-code'],
    ['claude-code', [2, 1, 35], 'claude-code with reserved=25000, countNewer=false, prune=false'],
    [
      'claude-agent-sdk',
      [2, 0, 64],
      'claude-code with reserved=25000, countNewer=false, prune=false',
    ],
    ['opencode-export', [1, 14, 46], 'opencode-1.14.40'],
    ['opencode-storage', [0, 8, 1], 'opencode-0.8'],
    ['opencode-events', undefined, 'opencode-2.0'],
    ['pi', [9], 'pi'],
    ['openai-chat', undefined, undefined],
    ['constructor', undefined, undefined],
  ])('of %s %j is %s', (format, release, label) => {
    const agent = recordingPreset({ format, ...(release && { release }) });
    expect(agent?.label).toBe(label);
  });

  it('compacts where recordings of Claude Code do', () => {
    const usableIn = (release: readonly number[]) => {
      const { trigger } =
        recordingPreset({ format: 'claude-code', release })?.policy ?? policies.none;
      return overflowRules[trigger.overflow].usable(CLAUDE_LIMITS, trigger);
    };
    expect(usableIn([2, 1, 17])).toBe(155_000);
    expect(usableIn([2, 1, 36])).toBe(167_000);
  });
});
