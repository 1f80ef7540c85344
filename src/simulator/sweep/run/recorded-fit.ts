/** How well a recording's own preset, under its setup, compacts where the agent did. */

import { policies } from '../../../engine/index.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { compareDecisions } from '../../replay/decisions.ts';
import type { Trace } from '../../replay/trace.ts';
import { mainStretch, type Setup } from '../../setup/setup.ts';
import type { RecordedCompaction } from '../../session/session.ts';
import { meetSetup } from './meet-setup.ts';

/** Automatic compactions, as recorded and as predicted: steps before each, `null` where there was none. */
export type RecordedFit = readonly {
  readonly recorded: number | null;
  readonly predicted: number | null;
}[];

/** Compactions farther apart are not the same. */
const MOST_STEPS_APART = 1;

/** Compares where the agent compacted by itself with its preset; `undefined` where none stands for it. */
export function fitOf(trace: Trace, setup: Setup): RecordedFit | undefined {
  const decisions = decisionsOf(trace, setup);
  return decisions
    ?.filter(({ kind }) => kind === 'compaction')
    .map(({ recordedAfterStep, predictedAfterStep }) => ({
      recorded: recordedAfterStep,
      predicted: predictedAfterStep,
    }));
}

/** All decisions of the agent beside those of its preset; no compaction is predicted from itself. */
export function decisionsOf(trace: Trace, setup: Setup) {
  if (setup.preset === undefined) return undefined;
  const { model } = mainStretch(setup);
  const { configured: _, ...recorded } = setup;
  const cell = { policy: policies[setup.preset], model, settings: {}, onSetup: true as const };
  const { policy } = meetSetup(cell, recorded);
  const modelFor = (judged: RecordedCompaction | undefined) => modelOf(judged, trace, setup);
  return compareDecisions(trace, { policy, modelFor });
}

/** Tests if every compaction was predicted within a step, and no other one. */
export function isFitting(fit: RecordedFit): boolean {
  return fit.every(
    ({ recorded, predicted }) =>
      recorded !== null && predicted !== null && Math.abs(recorded - predicted) <= MOST_STEPS_APART,
  );
}

function modelOf(
  judged: RecordedCompaction | undefined,
  { recordedCompactions, turns }: Trace,
  { judged: known = {}, stretches }: Setup,
): ModelProfile {
  const alone = judged && known[recordedCompactions.indexOf(judged)];
  if (alone !== undefined) return alone;
  const before = judged?.messageIndex ?? Infinity;
  const begun = new Map(stretches.map((stretch) => [stretch.messageId, stretch]));
  let current = stretches[0];
  let index = 0;
  for (const { steps } of turns) {
    index += 1;
    for (const { message } of steps) {
      if (index < before) current = begun.get(message.id) ?? current;
      index += 1;
    }
  }
  return (current ?? mainStretch({ stretches })).model;
}
