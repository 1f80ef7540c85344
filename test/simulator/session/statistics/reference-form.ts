import type {
  ToolStatistics,
  WorkloadStatistics,
} from '../../../../src/simulator/session/statistics/pool.ts';

/** Numbers in the reference are rounded to a tenth where they are large, shares to thousandths. */
const TENTH = 0.0501;
const THOUSANDTH = 0.00051;
const CHARACTERS = 0.0001;

/** Statistics under the names that the reference has for them. */
export function toReference(statistics: WorkloadStatistics) {
  const { content, perTurn, perSession, perStep, textTokens, reuse, compactions } = statistics;
  return {
    toolOutputs: statistics.toolOutputTokens,
    byTool: Object.fromEntries(
      Object.entries(statistics.tools).map(([tool, figures]) => [tool, toReferenceTool(figures)]),
    ),
    toolOutputShareOfSession: content.toolOutputShare,
    perTurn,
    perSession: {
      toolOutputs: perSession.toolOutputs,
      userTurns: perSession.turns,
      modelSteps: perSession.recordedSteps,
      contentTokens: perSession.contentTokens,
      maxContextTokens: perSession.recordedMaxContextTokens,
      firstStepContextTokens: perSession.recordedFirstStepTokens,
      cacheReadShare: perSession.recordedCacheReadShare,
    },
    perStep: {
      positiveContextDelta: perStep.recordedGrowthTokens,
      negativeShare: perStep.shrankShare,
      parallelToolCalls: perStep.stepsByCalls,
    },
    textSizes: {
      user: textTokens.user,
      assistantText: textTokens.assistant,
      thinking: textTokens.reasoning,
      toolArgs: argumentsOf(statistics),
      summary: textTokens.summary,
    },
    redundancy: {
      repeatReadShare: reuse.rereadShare,
      exactDuplicateOutputTokenShare: reuse.duplicateShare,
    },
    compaction: {
      preTokens: compactions.recordedTokensBefore,
      postContextTokens: compactions.recordedTokensAfter,
    },
    transitionsTop: statistics.transitions.map(({ from, to, count }) => [from, to, count]),
  };
}

/** The value at a path of keys with dots between them. */
export function valueAt(document: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((value, key) => (isObject(value) ? value[key] : undefined), document);
}

/** Where a value of the reference is another here; what only one of them has is not compared. */
export function differencesAt(path: string, got: unknown, expected: unknown): readonly string[] {
  if (typeof expected === 'number' && typeof got === 'number') {
    const rounding = path.includes('hare') || path.includes('Rate') ? THOUSANDTH : TENTH;
    const isClose = Math.abs(got - expected) <= rounding + CHARACTERS * Math.abs(expected);
    return isClose ? [] : [`${path}: ${got} instead of ${expected}`];
  }
  if (!isObject(expected) || !isObject(got)) {
    return got === expected ? [] : [`${path}: ${String(got)} instead of ${String(expected)}`];
  }
  return Object.keys(expected)
    .filter((key) => Object.hasOwn(got, key))
    .flatMap((key) => differencesAt(`${path}.${key}`, got[key], expected[key]));
}

function toReferenceTool(figures: ToolStatistics) {
  const { outputTokens, outputShare, errorRate, argumentTokens } = figures;
  return {
    ...outputTokens,
    shareOfOutputTokens: outputShare,
    errorRate,
    argTokensP50: argumentTokens?.p50,
    argTokensP90: argumentTokens?.p90,
  };
}

/** Only what sums tell, for arguments are kept by tool. */
function argumentsOf({ tools }: WorkloadStatistics) {
  const all = Object.values(tools).flatMap(({ argumentTokens }) => argumentTokens ?? []);
  const n = all.reduce((total, spread) => total + spread.n, 0);
  const sum = all.reduce((total, spread) => total + spread.n * spread.mean, 0);
  return { n, mean: sum / n, max: Math.max(...all.map(({ max }) => max)) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
