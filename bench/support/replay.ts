import { policies, resolvePolicy } from '../../src/engine/index.ts';
import { createProfile, type ModelProfile } from '../../src/simulator/provider/model-profile.ts';
import { runInBatches } from '../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../src/simulator/replay/trace.ts';
import type { Summarizer } from '../../src/simulator/summarizer/summarizer.ts';

const SUMMARY_CHARS = 2_000;

/** It says the same every time, so that no summarizer is measured. */
const SUMMARIZER: Summarizer = {
  name: 'constant',
  summarise: () => ({ state: 'finished', text: 'x'.repeat(SUMMARY_CHARS), finish: 'stop' }),
};

export const POLICY = resolvePolicy(policies['opencode-1.2.16'], { prune: { enabled: true } });
export const MODEL = createProfile('anthropic/claude-sonnet-4-5', {
  contextTokens: 200_000,
  outputTokens: 64_000,
});

/** The parts that a replay against a model is made of. Where it is blind, nobody looks what its steps missed. */
export function optionsFor(model: ModelProfile, { isBlind = false } = {}) {
  return { policy: POLICY, model, summarizer: SUMMARIZER, seed: 1, isBlind };
}

/** Replays a session and gives how many events that has. */
export function replayTrace(trace: Trace, model: ModelProfile, { isBlind = false } = {}): number {
  let count = 0;
  for (const events of runInBatches(trace, optionsFor(model, { isBlind }))) {
    for (const _ of events) count += 1;
  }
  return count;
}
