import { sum } from '../../lib/collections.ts';
import { distribute, type Distribution, QUANTILES } from '../../session/statistics/distribution.ts';
import type { ToolStatistics, WorkloadStatistics } from '../../session/statistics/pool.ts';
import type { SessionSample } from '../../session/statistics/sample-session.ts';
import { type FigureName, numbersOf } from './figures.ts';
import { toSessionShapes } from './session-shape.ts';
import { CHECKED_FIGURES, type Spread, type ToolShape, type Workload } from './workload.ts';
import { solveRising, valueAt } from './draw.ts';

export interface FitOptions {
  readonly name: string;
  readonly describes: string;
  readonly base: Workload;
  readonly samples: readonly SessionSample[];
  /** Samples without what other sessions have as well, by name; none if absent. */
  readonly own?: ReadonlyMap<string, SessionSample>;
  /** The first name of each family by session; none if absent. */
  readonly families?: ReadonlyMap<string, string>;
}

export const MOST_BEND = 1.5;

const MEAN_STEPS = 2_000;

const NEAR_ENOUGH = 0.002;

const BEND_DIGITS = 4;

/** Beyond, outputs are alike because they say next to nothing. */
const MOST_REPEATS = 0.2;
const NOTHING: Spread = { points: [[0, 0]] };

/** The workload that sessions like these were drawn from; what they do not tell is as in `base`. */
export function fitWorkload(
  statistics: WorkloadStatistics,
  { name, describes, base, samples, own, families }: FitOptions,
): Workload {
  const { perTurn, perStep, perSession, textTokens, compactions, charactersPerToken } = statistics;
  const { published: _ofTheBase, ...rest } = base;
  const { texts, gapsSeconds, reuse, context } = base;
  const shapes = toSessionShapes(samples, families);
  const of = (figure: FigureName) => distribute(numbersOf(figure, samples, own));
  const turns = perTurn.steps?.n ?? 0;
  const ratio = charactersPerToken.all?.ratio || context.charactersPerToken;
  const largestTokens = perSession.recordedMaxContextTokens?.max ?? 0;
  return {
    ...rest,
    name,
    describes,
    source: `sizes and times of ${statistics.sessions} sessions; what they do not tell as ${base.name}`,
    ...(shapes.length > 0 && { sessions: shapes }),
    turnsPerSession: fitted(of('turnsPerSession'), base.turnsPerSession),
    callsPerTurn: fitted(of('callsPerTurn'), base.callsPerTurn),
    ...(Object.keys(statistics.tools).length > 0 && fitTools(statistics)),
    texts: {
      userTokens: fitted(of('userTokens'), texts.userTokens),
      assistantTokens: fitted(of('assistantTokens'), texts.assistantTokens),
      reasoningTokens: fitted(of('reasoningTokens'), texts.reasoningTokens),
      summaryTokens: fitted(compactions.summaryTokens, texts.summaryTokens),
      textShare: shareOf((textTokens.assistant?.n ?? 0) - turns, perStep.parallelCalls?.n ?? 0),
      reasoningShare: shareOf(textTokens.reasoning?.n ?? 0, turns * (perTurn.steps?.mean ?? 0)),
    },
    gapsSeconds: {
      beforeUser: fitted(of('secondsBeforeUser'), gapsSeconds.beforeUser),
      model: fitted(of('secondsOfModel'), gapsSeconds.model),
      toolsAndModel: fitted(of('secondsOfToolsAndModel'), gapsSeconds.toolsAndModel),
    },
    reuse: {
      rereadShare: fitted(statistics.reuse.rereadShare, reuse.rereadShare),
      rereadTokens: fitted(of('rereadTokens'), reuse.rereadTokens),
      changeTokens: fitted(of('changeTokens'), reuse.changeTokens),
    },
    context: {
      firstStepTokens: fitted(of('firstStepTokens'), context.firstStepTokens),
      charactersPerToken: ratio,
      fixedTokens: context.fixedTokens,
      unseenTokens: fitted(distribute(unseenTokensOf(samples, ratio)), context.unseenTokens),
      compactAtTokens: fitted(
        compactions.recordedTokensBefore,
        notBelow(context.compactAtTokens, largestTokens),
      ),
      compactedTokens: fitted(compactions.recordedTokensAfter, context.compactedTokens),
    },
    checks: Object.fromEntries(
      CHECKED_FIGURES.flatMap((figure) => {
        const distribution = of(figure);
        return distribution === null ? [] : [[figure, toSpread(distribution)] as const];
      }),
    ),
  };
}

/** The workload whose tools make most of the calls; the first of several. */
export function nearestWorkload(
  { tools }: WorkloadStatistics,
  [first, ...others]: readonly [Workload, ...Workload[]],
): Workload {
  const sharedBy = (workload: Workload) =>
    sum(
      Object.entries(tools).map(([tool, { callShare }]) =>
        Object.hasOwn(workload.tools, tool) ? callShare : 0,
      ),
    );
  return others.reduce((best, other) => (sharedBy(other) > sharedBy(best) ? other : best), first);
}

/** Reported output beyond the shown content by step; steps without a count are left out. */
export function unseenTokensOf(
  samples: readonly SessionSample[],
  charactersPerToken: number,
): readonly number[] {
  return samples.flatMap(({ steps }) =>
    steps.flatMap(({ outputTokens, writtenCharacters }) =>
      outputTokens === undefined
        ? []
        : Math.max(0, outputTokens - writtenCharacters / charactersPerToken),
    ),
  );
}

export function toSpread(distribution: Distribution): Spread {
  const points = Object.entries(QUANTILES).map(
    ([name, share]) => [share, distribution[name as keyof typeof QUANTILES]] as const,
  );
  return bendTo({ n: distribution.n, points }, distribution.mean);
}

/** The spread with all lower values raised to one. */
export function notBelow({ points, ...spread }: Spread, least: number): Spread {
  return { ...spread, points: points.map(([share, value]) => [share, Math.max(least, value)]) };
}

/** Bends a spread to a mean, or as near as allowed. */
export function bendTo(spread: Spread, mean: number): Spread {
  if (Math.abs(meanOf(spread) - mean) <= NEAR_ENOUGH * mean) return spread;
  const meanAt = (bend: number) => -meanOf({ ...spread, bend: Math.exp(bend) });
  const bend = Math.exp(solveRising(meanAt, -mean, { least: -MOST_BEND, most: MOST_BEND }));
  return { ...spread, bend: Number(bend.toFixed(BEND_DIGITS)) };
}

export function meanOf(spread: Spread) {
  let sum = 0;
  for (let step = 0; step < MEAN_STEPS; step++) sum += valueAt(spread, (step + 0.5) / MEAN_STEPS);
  return sum / MEAN_STEPS;
}

function fitTools({ tools, transitions, perStep }: WorkloadStatistics) {
  return {
    callsPerStep: perStep.stepsByCalls,
    tools: mapValues(tools, fitTool),
    transitions: mapValues(tools, (_, tool) => {
      const after = transitions.filter(({ from }) => from === tool);
      return Object.fromEntries(after.map(({ to, count }) => [to, count]));
    }),
  };
}

function fitTool(tool: ToolStatistics): ToolShape {
  return {
    share: tool.callShare,
    errorRate: tool.errorRate ?? 0,
    repeatRate: Math.min(MOST_REPEATS, tool.duplicateRate ?? 0),
    outputTokens: fitted(tool.outputTokens, NOTHING),
    argumentTokens: fitted(tool.argumentTokens, NOTHING),
  };
}

function fitted(distribution: Distribution | null, otherwise: Spread) {
  return distribution === null ? otherwise : toSpread(distribution);
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Result,
): Readonly<Record<string, Result>> {
  return Object.fromEntries(Object.entries(values).map(([name, one]) => [name, map(one, name)]));
}

function shareOf(part: number, whole: number) {
  return whole === 0 ? 0 : Math.min(1, Math.max(0, part) / whole);
}
