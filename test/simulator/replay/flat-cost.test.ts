import { describe, expect, it } from 'vitest';
import { longTrace } from '../../../bench/support/traces.ts';
import type { Message } from '../../../src/engine/index.ts';
import { policies, resolvePolicy } from '../../../src/engine/index.ts';
import { createProfile, type ModelProfile } from '../../../src/simulator/provider/model-profile.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../../src/simulator/replay/trace.ts';
import { findSummarizer } from '../../../src/simulator/summarizer/summarizers.ts';

const SHORT = 400;
const LONG = 3_200;
/** A scan over the session would make eight times as many. */
const MOST_GROWTH = 1.2;

const POLICY = resolvePolicy(policies['opencode-1.2.16'], { prune: { enabled: true } });
const SMALL = createProfile('openai/small', { contextTokens: 32_000, outputTokens: 4_000 });
const UNLIMITED = createProfile('anthropic/unlimited', { contextTokens: 0 });

describe('what a step costs', () => {
  it.each([
    ['with pivots', SMALL, { tool: 'read', outputChars: 4_000 }],
    ['with prunes and no pivot', UNLIMITED, { tool: 'read', outputChars: 4_000 }],
    ['without pivots, all output protected', UNLIMITED, { tool: 'skill', outputChars: 40 }],
  ] as const)('is the same in a session of any length: %s', (_, model, options) => {
    const [short, long] = [SHORT, LONG].map((steps) => readsOfStep(steps, model, options));
    expect(short).toBeGreaterThan(1);
    expect(long! / short!).toBeLessThan(MOST_GROWTH);
  });
});

/** How often a run looks into what messages hold, by step. */
function readsOfStep(
  steps: number,
  model: ModelProfile,
  options: Parameters<typeof longTrace>[1],
): number {
  let reads = 0;
  const trace = watched(longTrace(steps, options), () => {
    reads += 1;
  });
  const summarizer = findSummarizer('scripted:tokens=500');
  const last = [...runTrace(trace, { policy: POLICY, model, summarizer, seed: 1 })].at(-1);
  expect(last).toMatchObject({ type: 'run-end', state: 'completed' });
  return reads / steps;
}

/** A trace that tells of each look at a user's message and at the parts of any. */
function watched(trace: Trace, onRead: () => void): Trace {
  const watch = <Any extends object>(value: Any): Any =>
    new Proxy(value, {
      get: (target, key) => {
        onRead();
        return Reflect.get(target, key) as unknown;
      },
    });
  const watchParts = <Any extends Message>(message: Any): Any => ({
    ...message,
    parts: watch(message.parts),
  });
  return {
    ...trace,
    turns: trace.turns.map(({ message, steps }) => ({
      message: watch(watchParts(message)),
      steps: steps.map((step) => ({ ...step, message: watchParts(step.message) })),
    })),
  };
}
