import type { ByAgeOptions, EstimatorOptions } from '../policy.ts';
import type { List } from '../history.ts';
import type { Message } from '../message.ts';
import type { PlacedPlan } from './plan.ts';
import type { PrunePlan } from '../state.ts';
import { type ScanVisitor, startScan } from './scan.ts';
import { findUnprotected, scanUnprotected } from './scan-unprotected.ts';

const NOWHERE: PlacedPlan = {
  plan: { state: 'nothing', partIds: [], estimatedTokens: 0 },
  length: 0,
};

/** The numbers of the released program, since the pass exists. */
export const DEFAULT_BY_AGE: ByAgeOptions = {
  protectTokens: 40_000,
  minimumTokens: 20_000,
  guardTurns: 2,
  protectedTools: ['skill'],
};

/** What holds where nothing goes by age: no output is left alone for it. */
export const ANY_AGE: ByAgeOptions = {
  protectTokens: 0,
  minimumTokens: 0,
  guardTurns: 0,
  protectedTools: [],
};

/**
 * Chooses old tool outputs to clear: those beyond the newest `protectTokens` of output, outside of the
 * guarded turns, back to the last summary or the last cleared output. The output that crosses the line
 * is chosen whole. Source: design documents 000, 002 and 003; OpenCode 1.0.190 to 1.14.18.
 */
export function planByAge(
  messages: List<Message>,
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): PrunePlan {
  return placeByAge(messages, options, estimator).plan;
}

/** What a pass by age clears, with the messages in which it lies. */
export function placeByAge(
  messages: List<Message>,
  options: ByAgeOptions,
  estimator: EstimatorOptions,
): PlacedPlan {
  const unprotected = findUnprotected(messages, options, estimator);
  if (unprotected === undefined) return NOWHERE;
  const partIds: string[] = [];
  let estimatedTokens = 0;
  const scan = startScan(options, estimator);
  const visitor: ScanVisitor = {
    output: ({ id }, verdict, tokens = 0) => {
      if (verdict !== 'beyond-protect') return;
      estimatedTokens += tokens;
      partIds.push(id);
    },
    end: () => {},
  };
  scanUnprotected(messages, unprotected, { scan, visitor });
  if (scan.givesUp) return NOWHERE;
  const state = stateOf({ partIds, estimatedTokens }, options);
  const plan: PrunePlan = { state, partIds, estimatedTokens };
  return { plan, length: unprotected.stops.item.index + 1 };
}

function stateOf(
  { partIds, estimatedTokens }: Omit<PrunePlan, 'state'>,
  { minimumTokens }: ByAgeOptions,
): PrunePlan['state'] {
  if (partIds.length === 0) return 'nothing';
  return estimatedTokens > minimumTokens ? 'fire' : 'below-minimum';
}
