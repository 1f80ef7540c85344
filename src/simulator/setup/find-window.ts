/** The window in force over stretches of one model: as stated, by automatic compactions and accepted requests, or by lower sources. */

import { type Limits, policies, type Policy, type PolicyName } from '../../engine/index.ts';
import type { Stretch } from '../session/evidence.ts';
import { examine, usableTokensOf } from '../scenario/checkup.ts';

/** Where a value comes from, the surest first. */
export type Source =
  | 'given'
  | 'recorded'
  | 'inferred'
  | 'configured'
  | 'released'
  | 'catalog'
  | 'assumed';

/** A value with its source. */
export interface Known<Value> {
  readonly value: Value;
  readonly source: Source;
}

/** Where the window of a model is looked for. */
export interface WindowSearch {
  readonly preset: PolicyName | undefined;
  /** Of the model, but for its window. */
  readonly limits: Limits;
  readonly candidates: readonly number[];
  /** The window of the surest source besides the recording. */
  readonly fallback: Known<number>;
  /** The recorded compaction of this index says nothing. */
  readonly except?: number | undefined;
}

const LARGEST_WINDOW = 10_000_000;
const ROUND_TOKENS = 1_000;
/** By how much a context may lie below the edge where the agent did not note its size when it compacted. */
const UNNOTED_SHARE = 0.95;

/** The window of each stretch; one for all of them unless they state several, or no single one can be. */
export function findWindows(
  own: readonly Stretch[],
  search: WindowSearch,
): readonly Known<number>[] {
  const isStated = own.some(({ windowTokens }) => windowTokens !== undefined);
  const together = isStated ? undefined : inferWindow(own, search);
  if (together !== undefined) return own.map(() => together);
  let before = search.fallback;
  return own.map((stretch) => {
    const { windowTokens, largestTokens, compaction } = stretch;
    if (windowTokens !== undefined) before = { value: windowTokens, source: 'recorded' };
    else if (compaction === undefined) before = raised(before, largestTokens, search);
    else before = inferWindow([stretch], search) ?? raised(before, largestTokens, search);
    return before;
  });
}

/** The tokens at which a policy compacts by itself on a model; `undefined` where it never does. */
export function edgeTokens(policy: Policy, limits: Limits): number | undefined {
  const target = { policy, limits };
  return usableTokensOf(examine({ base: target, target, given: {}, floorTokens: 0 }));
}

/** Limits with another window; caps above it are none. */
export function withWindow(limits: Limits, contextTokens: number): Limits {
  if (limits.contextTokens === contextTokens) return limits;
  const { inputTokens, outputTokens } = limits;
  return {
    contextTokens,
    ...(inputTokens !== undefined && inputTokens < contextTokens && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens: Math.min(outputTokens, contextTokens) }),
  };
}

/** The candidate whose edge lies nearest below all compactions and that holds what was accepted; else what size and rule give. */
function inferWindow(own: readonly Stretch[], search: WindowSearch): Known<number> | undefined {
  const largest = Math.max(0, ...own.map(({ largestTokens }) => largestTokens));
  const ends = own.flatMap(({ compaction }) =>
    compaction?.tokens === undefined || compaction.index === search.except ? [] : [compaction],
  );
  const sizes = ends.map(({ tokens = 0, isNoted }) => (isNoted ? tokens : tokens / UNNOTED_SHARE));
  const edges = search.candidates.map((value) => ({ value, edge: edgeIn(value, search) }));
  if (sizes.length === 0 || edges.some(({ edge }) => edge === undefined))
    return raised(search.fallback, largest, search);
  const least = Math.min(...sizes);
  const fitting = edges.findLast(({ value, edge = Infinity }) => edge <= least && value >= largest);
  if (fitting !== undefined) return { value: fitting.value, source: 'inferred' };
  if (own.length > 1) return undefined;
  if (!ends.every(({ isNoted }) => isNoted)) return raised(search.fallback, largest, search);
  return { value: Math.max(largest, solveWindow(least, search)), source: 'inferred' };
}

/** An accepted request shows that a window is larger than a lower source has it. */
function raised(
  known: Known<number>,
  largest: number,
  { candidates }: WindowSearch,
): Known<number> {
  if (largest <= known.value) return known;
  return { value: candidates.find((one) => one >= largest) ?? largest, source: 'inferred' };
}

function edgeIn(windowTokens: number, { preset, limits }: WindowSearch): number | undefined {
  return preset && edgeTokens(policies[preset], withWindow(limits, windowTokens));
}

/** The largest window whose edge is not above a size, in whole thousands. */
function solveWindow(tokens: number, search: WindowSearch): number {
  let [low, high] = [0, LARGEST_WINDOW];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((edgeIn(middle, search) ?? Infinity) <= tokens) low = middle;
    else high = middle;
  }
  return Math.floor(low / ROUND_TOKENS) * ROUND_TOKENS;
}
