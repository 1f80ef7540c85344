/** Changes of settings against today's, judged together, and the order in which they are advised. */

import * as z from 'zod';
import { SAME_COST } from '../metrics/statistics/verdict.ts';
import type { Checked } from './saved/shapes.ts';
import {
  type ArmVerdict,
  ArmVerdictShape,
  type Candidate,
  judgeCandidates,
  type SpendTotals,
} from './verdict.ts';

/** A change against today's settings, judged among those that were tried with it. */
export const TriedShape = ArmVerdictShape.omit({ change: true, baseline: true }).extend({
  /** Sessions in which nothing was cleared or replaced, under either settings. */
  idleSessions: z.number(),
  /** Sessions in which something was lost, and the price of reading it again is unknown. */
  withoutRereads: z.number().exactOptional(),
});

/** A judged change. */
export type TriedChange = Checked<typeof TriedShape>;

/** The most telling verdict first. */
export const TOLD_FIRST: readonly ArmVerdict['state'][] = [
  'better',
  'not enough data',
  'no difference that matters',
  'does nothing',
  'no effect',
  'worse',
  'fails',
];

/** The part of a judged change that its place in the order of advice rests on. */
type Supported = Omit<ArmVerdict, 'change' | 'baseline'>;

/** Judges changes beside each other: the more there are, the surer each has to be. */
export function judgeTried(candidates: readonly Candidate[]): readonly TriedChange[] {
  return judgeCandidates(candidates, '').map(
    ({ change: _change, baseline: _today, ...verdict }, index) => {
      const matched = candidates[index]?.matched ?? [];
      const idle = matched.filter(({ a, b }) => a.hasActed === false && b.hasActed === false);
      const lacking = matched.filter(({ a, b }) => a.lacksRereads || b.lacksRereads);
      return {
        ...verdict,
        idleSessions: idle.length,
        ...(lacking.length > 0 && { withoutRereads: lacking.length }),
      };
    },
  );
}

/** The order of advice: what is shown, then what surely saves, then what saves at all; of these what loses least, then what saves most. */
export function bySupport(one: Supported, other: Supported): number {
  const [first = [], second = []] = [one, other].map((change) => {
    const { from, to, high } = spentOf(change);
    return [
      rankOf(change),
      high !== null && high < (from ?? 0) ? 0 : 1,
      savedBy(change) > 0 ? 0 : 1,
      (change.losses.to ?? 0) - (change.losses.from ?? 0),
      (to ?? 0) - (from ?? 0),
    ];
  });
  const place = first.findIndex((value, index) => value !== second[index]);
  return place === -1 ? 0 : (first[place] ?? 0) - (second[place] ?? 0);
}

/** Tests if a change is shown to be better, or saves so much that it matters and is open. */
export function isWorthTrying(change: Supported, isOtherGoal = false): boolean {
  if (change.state === 'better') return true;
  const { from, to } = spentOf(change);
  const isSaving = from !== null && to !== null && to < from * (SAME_COST.region?.low ?? 1);
  const { state, differing } = change;
  return state === 'not enough data' && differing > 0 && (isOtherGoal || isSaving);
}

/** The change to speak of: the best supported that is worth trying, else the cheapest that makes a difference. */
export function pickBest<Change extends Supported>(all: readonly Change[]): Change | undefined {
  const sorted = all.toSorted(bySupport);
  const [cheapest = sorted[0]] = sorted
    .filter(({ state }) => state !== 'no effect' && state !== 'does nothing' && state !== 'fails')
    .toSorted((one, other) => savedBy(other) - savedBy(one));
  return sorted.find((one) => isWorthTrying(one)) ?? cheapest;
}

/** Money, or tokens, that a change saves; below zero where it costs more. */
export function savedBy(change: Supported): number {
  const { from, to } = spentOf(change);
  return (from ?? 0) - (to ?? 0);
}

/** Totals in dollars; without a price, of the tokens that are processed. */
export function spentOf({
  costUsd,
  tokens,
}: Supported): SpendTotals & { readonly isTokens: boolean } {
  return tokens === undefined ? { ...costUsd, isTokens: false } : { ...tokens, isTokens: true };
}

/** The place of a verdict: an arm that certainly loses more for good stands behind those that are as well supported. */
function rankOf({ state, losesMore }: Supported): number {
  return TOLD_FIRST.indexOf(state) + (losesMore ? 1 / 2 : 0);
}
