import type { SessionSample } from '../../session/statistics/sample-session.ts';
import { distribute, type Distribution } from '../../session/statistics/distribution.ts';
import { type ToolStatistics, type WorkloadStatistics } from '../../session/statistics/pool.ts';
import { inPercent, notBelow, toSpread } from './draw.ts';
import { toSessionShapes } from './session-shape.ts';
import type { CheckedFigure, Spread, ToolShape, Workload } from './workload.ts';

export interface FitOptions {
  readonly name: string;
  readonly describes: string;
  readonly base: Workload;
  readonly samples: readonly SessionSample[];
  /** The first name of each family by session; none if absent. */
  readonly families?: ReadonlyMap<string, string>;
}

/** Beyond, outputs are alike because they say next to nothing. */
const MOST_REPEATS = 0.2;
const NOTHING: Spread = { points: [[0, 0]] };

export function fitWorkload(statistics: WorkloadStatistics, options: FitOptions): Workload {
  const { base, name, describes } = options;
  const sessions = toSessionShapes(options.samples, options.families);
  const { perSession, perTurn, perStep } = statistics;
  const { published: _ofTheBase, ...rest } = base;
  const tools = mapValues(statistics.tools, fitTool);
  const hasTools = Object.keys(tools).length > 0;
  return {
    ...rest,
    name,
    describes,
    source: `sizes and times of ${statistics.sessions} sessions; what they do not tell as ${base.name}`,
    ...(sessions.length > 0 && { sessions }),
    turnsPerSession: fitted(perSession.turns, base.turnsPerSession),
    callsPerTurn: fitted(perTurn.toolCalls, base.callsPerTurn),
    ...(hasTools && {
      callsPerStep: perStep.stepsByCalls,
      tools,
      transitions: mapValues(tools, (_, tool) => {
        const after = statistics.transitions.filter(({ from }) => from === tool);
        return Object.fromEntries(after.map(({ to, count }) => [to, count]));
      }),
    }),
    texts: fitTexts(statistics, base),
    gapsSeconds: {
      beforeUser: fitted(statistics.gapsSeconds.beforeUser, base.gapsSeconds.beforeUser),
      model: fitted(statistics.gapsSeconds.model, base.gapsSeconds.model),
      toolsAndModel: fitted(statistics.gapsSeconds.toolsAndModel, base.gapsSeconds.toolsAndModel),
    },
    reuse: {
      rereadShare: fitted(statistics.reuse.rereadShare, base.reuse.rereadShare),
      rereadTokens: fitted(statistics.reuse.rereadTokens, base.reuse.rereadTokens),
      changeTokens: fitted(statistics.reuse.changeTokens, base.reuse.changeTokens),
    },
    context: fitContext(statistics, base, options.samples),
    checks: toChecks(statistics),
  };
}

/** The workload whose tools make most of the calls; the first of several. */
export function nearestWorkload(
  { tools }: WorkloadStatistics,
  [first, ...others]: readonly [Workload, ...Workload[]],
): Workload {
  const sharedBy = (workload: Workload) =>
    Object.entries(tools).reduce(
      (sum, [tool, { callShare }]) => sum + (Object.hasOwn(workload.tools, tool) ? callShare : 0),
      0,
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

function fitTexts(
  { textTokens, perTurn, perStep, compactions }: WorkloadStatistics,
  { texts }: Workload,
): Workload['texts'] {
  const turns = perTurn.steps?.n ?? 0;
  const steps = turns * (perTurn.steps?.mean ?? 0);
  const withCalls = perStep.parallelCalls?.n ?? 0;
  const { user, assistant, reasoning } = textTokens;
  const besideCalls = Math.max(0, (assistant?.n ?? 0) - turns);
  return {
    userTokens: fitted(user, texts.userTokens),
    assistantTokens: fitted(assistant, texts.assistantTokens),
    reasoningTokens: fitted(reasoning, texts.reasoningTokens),
    summaryTokens: fitted(compactions.summaryTokens, texts.summaryTokens),
    textShare: shareOf(besideCalls, withCalls),
    reasoningShare: shareOf(reasoning?.n ?? 0, steps),
  };
}

function shareOf(part: number, whole: number) {
  return whole === 0 ? 0 : Math.min(1, part / whole);
}

function fitContext(
  { perSession, compactions, charactersPerToken }: WorkloadStatistics,
  { context }: Workload,
  samples: readonly SessionSample[],
): Workload['context'] {
  const { all } = charactersPerToken;
  const ratio = all !== null && all.ratio > 0 ? all.ratio : context.charactersPerToken;
  const uncompacted = perSession.recordedMaxContextTokens?.max ?? 0;
  return {
    firstStepTokens: fitted(perSession.recordedFirstStepTokens, context.firstStepTokens),
    charactersPerToken: ratio,
    fixedTokens: context.fixedTokens,
    unseenTokens: fitted(distribute(unseenTokensOf(samples, ratio)), context.unseenTokens),
    compactAtTokens: fitted(
      compactions.recordedTokensBefore,
      notBelow(context.compactAtTokens, uncompacted),
    ),
    compactedTokens: fitted(compactions.recordedTokensAfter, context.compactedTokens),
  };
}

function toChecks(statistics: WorkloadStatistics): Workload['checks'] {
  const { toolOutputTokens, perTurn, perSession, perStep, reuse, compactions } = statistics;
  const figures: Readonly<Record<CheckedFigure, Distribution | null>> = {
    toolOutputTokens,
    stepsPerTurn: perTurn.steps,
    contentTokensPerTurn: perTurn.contentTokens,
    outputsPerSession: perSession.toolOutputs,
    stepsPerSession: perSession.steps,
    contentTokensPerSession: perSession.contentTokens,
    maxContextTokens: perSession.recordedMaxContextTokens,
    growthTokens: perStep.recordedGrowthTokens,
    outputTokensPerStep: perStep.recordedOutputTokens,
    compactionsPerSession: compactions.perSession,
    cacheReadPercent: perSession.recordedCacheReadShare,
    repeatedReadPercent: reuse.rereadShare,
    duplicateOutputPercent: reuse.duplicateShare,
  };
  const known = Object.entries(figures).flatMap(([figure, distribution]) => {
    if (distribution === null) return [];
    const spread = toSpread(distribution);
    return [[figure, figure.endsWith('Percent') ? inPercent(spread) : spread]];
  });
  return Object.fromEntries(known);
}
