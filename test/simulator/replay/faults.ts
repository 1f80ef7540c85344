import type { Failure, Fault } from '../../../src/simulator/scenario/scenario.ts';
import { answer, ask, chat, roomy } from './lab.ts';

/** A step that fails as often as that. */
export const onStep = (step: number, failure: Failure, times = 1): readonly Fault[] => [
  { on: 'step', step, times, failure },
];
/** A summary request that fails as often as that. */
export const onSummary = (failure: Failure, times = 1, call = 1): readonly Fault[] => [
  { on: 'summary', call, times, failure },
];
/** Five turns, after which 1.2.16 and document 002 compact. */
export const overflowing = [...chat(5, 2_000), ask('u6', 10), answer('s6', 10)];
/** A run whose summaries another, larger model writes. */
export const roomyModel = { summaryModel: roomy };
