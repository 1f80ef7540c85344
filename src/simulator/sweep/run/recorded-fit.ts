/** How well a recording's own preset, under its setup, compacts where the agent did. */

import { policies } from '../../../engine/index.ts';
import { sum } from '../../lib/collections.ts';
import { compareDecisions } from '../../replay/decisions.ts';
import type { Trace } from '../../replay/trace.ts';
import { agentTitleOf } from '../../report/agent-keys.ts';
import { countOf } from '../../report/numbers.ts';
import { mainStretch, type Setup } from '../../setup/setup.ts';
import type { RecordedCompaction } from '../../session/session.ts';
import type { ResultRow } from '../store/read-rows.ts';
import { ownUsableTokens } from '../tune/screen-axes.ts';
import { meetSetup } from './meet-setup.ts';

/** Automatic compactions by the steps before each, `null` where there was none. */
export type RecordedFit = readonly {
  readonly recorded: number | null;
  readonly predicted: number | null;
}[];

export interface BesideRecording {
  readonly recorded: Pick<ResultRow, 'fit' | 'metrics'> | undefined;
  readonly base: Pick<ResultRow, 'policy' | 'metrics'>;
  readonly setup: Setup | undefined;
}

const MOST_STEPS_APART = 1;

export function fitOf(trace: Trace, setup: Setup) {
  const decisions = decisionsOf(trace, setup);
  return decisions
    ?.filter(({ kind }) => kind === 'compaction')
    .map(({ recordedAfterStep, predictedAfterStep }) => ({
      recorded: recordedAfterStep,
      predicted: predictedAfterStep,
    }));
}

/** Where the agent's own preset compacts, in the window that is recorded; undefined without a preset. */
export function usableOf(setup: Setup): number | undefined {
  const met = meetPreset(setup);
  return met && ownUsableTokens({ policy: met.policy, limits: met.model.limits });
}

export function decisionsOf(trace: Trace, setup: Setup) {
  const met = meetPreset(setup);
  if (met === undefined) return undefined;
  const { policy } = met;
  const modelFor = (judged: RecordedCompaction | undefined) => modelOf(judged, trace, setup);
  return compareDecisions(trace, { policy, modelFor });
}

export function isFitting(fit: RecordedFit) {
  return fit.every(
    ({ recorded, predicted }) =>
      recorded !== null && predicted !== null && Math.abs(recorded - predicted) <= MOST_STEPS_APART,
  );
}

export function fitsRecording({ recorded, base, setup }: BesideRecording): boolean {
  const fit = recorded?.fit;
  if (fit === undefined || setup?.preset === undefined) return true;
  // Another agent's policy need not compact there.
  if (agentTitleOf(setup.preset) !== agentTitleOf(base.policy)) return true;
  if (!isFitting(fit)) return false;
  const isOwn = setup.preset === base.policy && setup.configured === undefined;
  const count = countRecorded(fit);
  const hasManual = (recorded?.metrics.compactions ?? 0) > count;
  return !isOwn || hasManual || base.metrics.compactions === count;
}

export function countUnfit(unfit: readonly BesideRecording[]) {
  return {
    sessions: unfit.length,
    recorded: sum(unfit.map(({ recorded }) => countRecorded(recorded?.fit ?? []))),
    simulated: sum(unfit.map(({ base }) => base.metrics.compactions ?? 0)),
  };
}

export function noteMisfits(runs: readonly Pick<ResultRow, 'fit'>[]): readonly string[] {
  const { length } = runs.filter(({ fit }) => fit !== undefined && !isFitting(fit));
  if (length === 0) return [];
  return [
    `In ${countOf(length, 'session')} the preset of the agent does not compact where the recording did: what is said of it holds less there.`,
  ];
}

function meetPreset(setup: Setup) {
  if (setup.preset === undefined) return undefined;
  const { model } = mainStretch(setup);
  const { configured: _, ...recorded } = setup;
  const cell = { policy: policies[setup.preset], model, settings: {}, onSetup: true as const };
  return meetSetup(cell, recorded);
}

function countRecorded(fit: RecordedFit) {
  return fit.filter(({ recorded }) => recorded !== null).length;
}

function modelOf(
  judged: RecordedCompaction | undefined,
  { recordedCompactions, turns }: Trace,
  { judged: known = {}, stretches }: Setup,
) {
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
