import {
  cacheReadShareOf,
  contentTokensOfSample,
  contextsOf,
  countFullCompactions,
  duplicateShareOf,
  maxContextTokensOf,
  outputTokensOf,
  rereadShareOf,
} from '../../session/statistics/pool.ts';
import type { SessionSample } from '../../session/statistics/sample-session.ts';
import { PERCENT } from './draw.ts';
import type { Spread, Workload } from './workload.ts';

/** One number of a whole session, absent where it is unknown, or one for each of its parts. */
type NumbersOf = (sample: SessionSample) => number | null | undefined | readonly number[];
/** The spread of a workload that a figure is drawn from. */
export type SpreadOf = (workload: Workload) => Spread | undefined;

export type FigureName = keyof typeof figures;

/** Figures of sessions, with what a workload says of them; those under `checks` are drawn from nowhere. */
export const figures = {
  toolOutputTokens: [({ calls }) => outputTokensOf(calls)],
  stepsPerTurn: [({ turns }) => turns.map(({ steps }) => steps)],
  contentTokensPerTurn: [({ turns }) => turns.map(({ contentTokens }) => contentTokens)],
  outputsPerSession: [({ calls }) => calls.length],
  stepsPerSession: [({ steps }) => steps.length],
  contentTokensPerSession: [contentTokensOfSample],
  maxContextTokens: [maxContextTokensOf],
  growthTokens: [({ steps }) => positive(steps.map(({ growthTokens }) => growthTokens))],
  outputTokensPerStep: [({ steps }) => positive(steps.map(({ outputTokens }) => outputTokens))],
  compactionsPerSession: [countFullCompactions],
  cacheReadPercent: [(sample) => percentOf(cacheReadShareOf(sample))],
  repeatedReadPercent: [(sample) => percentOf(rereadShareOf(sample))],
  duplicateOutputPercent: [(sample) => percentOf(duplicateShareOf(sample))],
  turnsPerSession: [({ turns }) => turns.length, (workload) => workload.turnsPerSession],
  callsPerTurn: [
    ({ turns }) => turns.map(({ toolCalls }) => toolCalls),
    (workload) => workload.callsPerTurn,
  ],
  userTokens: [({ textTokens }) => textTokens.user, ({ texts }) => texts.userTokens],
  assistantTokens: [({ textTokens }) => textTokens.assistant, ({ texts }) => texts.assistantTokens],
  reasoningTokens: [({ textTokens }) => textTokens.reasoning, ({ texts }) => texts.reasoningTokens],
  secondsBeforeUser: [({ gaps }) => gaps.beforeUser, (workload) => workload.gapsSeconds.beforeUser],
  secondsOfModel: [({ gaps }) => gaps.model, (workload) => workload.gapsSeconds.model],
  secondsOfToolsAndModel: [
    ({ gaps }) => gaps.toolsAndModel,
    (workload) => workload.gapsSeconds.toolsAndModel,
  ],
  rereadTokens: [({ reuse }) => reuse.rereads, ({ reuse }) => reuse.rereadTokens],
  changeTokens: [({ reuse }) => reuse.changes, ({ reuse }) => reuse.changeTokens],
  firstStepTokens: [(sample) => contextsOf(sample)[0], ({ context }) => context.firstStepTokens],
} satisfies Record<string, readonly [NumbersOf] | readonly [NumbersOf, SpreadOf]>;

/** All numbers of a figure; those of parts are taken from what is a session's own, where that is told. */
export function numbersOf(
  figure: FigureName,
  samples: readonly SessionSample[],
  own: ReadonlyMap<string, SessionSample> = new Map(),
): readonly number[] {
  const of: NumbersOf = figures[figure][0];
  return samples.flatMap((sample) => {
    const numbers = of(sample);
    const isOfParts = typeof numbers === 'object' && numbers !== null;
    return (isOfParts ? of(own.get(sample.name) ?? sample) : numbers) ?? [];
  });
}

function positive(numbers: readonly (number | undefined)[]) {
  return numbers.filter((number): number is number => number !== undefined && number > 0);
}

function percentOf(share: number | null | undefined) {
  return share === null || share === undefined ? share : PERCENT * share;
}
