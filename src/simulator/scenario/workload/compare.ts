import { groupBy } from '../../group-by.ts';
import { outputTokensOf } from '../../session/statistics/pool-calls.ts';
import {
  countFullCompactions,
  duplicateShareOf,
  rereadShareOf,
} from '../../session/statistics/pool.ts';
import {
  cacheReadShareOf,
  contentTokensOfSample,
  contextsOf,
  maxContextTokensOf,
} from '../../session/statistics/pool-sessions.ts';
import type { CallSample, SessionSample, StepSample } from '../../session/statistics/sample.ts';
import { compareNumbers, type Nearness } from './nearness.ts';
import { PERCENT, type Spread } from './spread.ts';
import type { CheckedFigure, Workload } from './workload.ts';

type NumbersOf = (samples: readonly SessionSample[]) => readonly number[];

type Figure = readonly [figure: string, values: readonly number[], spread: Spread];

/** Calls of a tool below which its figures say little. */
const MIN_CALLS = 20;

/** Numbers of sessions that follow from what was drawn, by the name of their figure. */
const checked: Readonly<Record<CheckedFigure, NumbersOf>> = {
  toolOutputTokens: (samples) => samples.flatMap(({ calls }) => outputTokensOf(calls)),
  stepsPerTurn: (samples) => samples.flatMap(({ turns }) => turns.map(({ steps }) => steps)),
  contentTokensPerTurn: (samples) =>
    samples.flatMap(({ turns }) => turns.map(({ contentTokens }) => contentTokens)),
  outputsPerSession: (samples) => samples.map(({ calls }) => calls.length),
  stepsPerSession: (samples) => samples.map(({ steps }) => steps.length),
  contentTokensPerSession: (samples) => samples.map(contentTokensOfSample),
  maxContextTokens: (samples) => samples.flatMap((sample) => maxContextTokensOf(sample) ?? []),
  growthTokens: stepNumbers(({ growthTokens }) => growthTokens),
  outputTokensPerStep: stepNumbers(({ outputTokens }) => outputTokens),
  compactionsPerSession: (samples) => samples.map(countFullCompactions),
  cacheReadPercent: percents(cacheReadShareOf),
  repeatedReadPercent: percents(rereadShareOf),
  duplicateOutputPercent: percents(duplicateShareOf),
};

/** How near sessions come to their workload, a figure each: what is drawn, tool by tool, then what follows. */
export function compareSamples(
  samples: readonly SessionSample[],
  workload: Workload,
): readonly Nearness[] {
  const checks = Object.entries(workload.checks).map(
    ([figure, spread]) => [figure, checked[figure as CheckedFigure](samples), spread] as const,
  );
  const all = [...checks, ...drawnFigures(samples, workload), ...toolFigures(samples, workload)];
  return all.flatMap(([figure, values, spread]) => compareNumbers(figure, values, spread) ?? []);
}

function drawnFigures(
  samples: readonly SessionSample[],
  { turnsPerSession, callsPerTurn, texts, gapsSeconds, reuse, context }: Workload,
): readonly Figure[] {
  const all = (of: (sample: SessionSample) => readonly number[]) => samples.flatMap(of);
  return [
    ['turnsPerSession', samples.map(({ turns }) => turns.length), turnsPerSession],
    ['callsPerTurn', all(({ turns }) => turns.map(({ toolCalls }) => toolCalls)), callsPerTurn],
    ['userTokens', all(({ textTokens }) => textTokens.user), texts.userTokens],
    ['assistantTokens', all(({ textTokens }) => textTokens.assistant), texts.assistantTokens],
    ['reasoningTokens', all(({ textTokens }) => textTokens.reasoning), texts.reasoningTokens],
    ['secondsBeforeUser', all(({ gaps }) => gaps.beforeUser), gapsSeconds.beforeUser],
    ['secondsOfModel', all(({ gaps }) => gaps.model), gapsSeconds.model],
    ['secondsOfToolsAndModel', all(({ gaps }) => gaps.toolsAndModel), gapsSeconds.toolsAndModel],
    ['rereadTokens', all((sample) => sample.reuse.rereads), reuse.rereadTokens],
    ['changeTokens', all((sample) => sample.reuse.changes), reuse.changeTokens],
    ['firstStepTokens', all((sample) => contextsOf(sample).slice(0, 1)), context.firstStepTokens],
  ];
}

function toolFigures(samples: readonly SessionSample[], { tools }: Workload): readonly Figure[] {
  const calls = groupBy(
    samples.flatMap((sample) => sample.calls),
    ({ tool }: CallSample) => tool,
  );
  return Object.entries(tools).flatMap(([tool, { outputTokens, argumentTokens }]) => {
    const own = calls.get(tool) ?? [];
    if (own.length < MIN_CALLS) return [];
    const given = own.map(({ input }) => input.tokens);
    return [
      [`output ${tool}`, outputTokensOf(own), outputTokens] as const,
      [`arguments ${tool}`, given, argumentTokens] as const,
    ];
  });
}

/** Of each session, where it has such a share. */
function percents(shareOf: (sample: SessionSample) => number | null | undefined): NumbersOf {
  return (samples) =>
    samples.flatMap((sample) => {
      const share = shareOf(sample);
      return share === null || share === undefined ? [] : PERCENT * share;
    });
}

function stepNumbers(of: (step: StepSample) => number | undefined): NumbersOf {
  return (samples) =>
    samples.flatMap(({ steps }) => steps.flatMap((step) => of(step) ?? []).filter((n) => n > 0));
}
