import type { ClientName } from './clients.ts';
import type { UsageDialect } from './dialect.ts';
import type { ServedTokens } from './served.ts';

/** What a provider tells of one request; what it has no number for is absent. */
export interface ProviderReport {
  readonly client: ClientName;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly totalTokens?: number | undefined;
}

/** Its numbers. */
type ReportedKind = Exclude<keyof ProviderReport, 'client'>;

/** A provider's accounts of one session. */
export interface Reporter {
  /** What it tells of the next request; `undefined` where it tells nothing. */
  report(served: ServedTokens): ProviderReport | undefined;
}

/** Accounts in which no request is noted yet. */
export function createReporter(dialect: UsageDialect): Reporter {
  let steps = 0;
  let ofTurn: ProviderReport | undefined;
  return {
    report: (served) => {
      if (dialect.presence === 'none') return undefined;
      steps++;
      const ofStep = countStep(served, dialect, spikeFactor(dialect, steps));
      const isSummed = dialect.scope === 'turn' && !served.opensTurn;
      ofTurn = isSummed
        ? mapCounts(ofStep, (tokens, kind) => tokens + (ofTurn?.[kind] ?? 0))
        : ofStep;
      return dialect.presence === 'zero' ? mapCounts(ofTurn, () => 0) : ofTurn;
    },
  };
}

function spikeFactor({ spike }: UsageDialect, steps: number): number {
  return spike !== undefined && steps % spike.everySteps === 0 ? spike.factor : 1;
}

function countStep(served: ServedTokens, dialect: UsageDialect, factor: number): ProviderReport {
  const { split, sentTokens, keptTokens, outputTokens, reasoningTokens } = served;
  const requestTokens = factor * (dialect.counts === 'kept' ? keptTokens : sentTokens);
  const cacheReadTokens = dialect.cache === 'untold' ? undefined : factor * split.readTokens;
  const cacheWriteTokens = dialect.writes === 'told' ? factor * split.writeTokens : undefined;
  const cachedTokens = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return {
    client: dialect.client,
    inputTokens: requestTokens - (dialect.cache === 'outside' ? cachedTokens : 0),
    outputTokens: outputTokens - (dialect.reasoning === 'outside' ? reasoningTokens : 0),
    reasoningTokens: dialect.reasoning === 'untold' ? undefined : reasoningTokens,
    cacheReadTokens,
    cacheWriteTokens,
    totalTokens: totalOf(dialect, requestTokens + outputTokens, cachedTokens),
  };
}

function totalOf({ total }: UsageDialect, sumTokens: number, cachedTokens: number) {
  switch (total) {
    case 'none':
      return undefined;
    case 'sum':
      return sumTokens;
    case 'cache-twice':
      return sumTokens + cachedTokens;
  }
}

/** A report of the same kinds of numbers, each made anew. */
function mapCounts(
  report: ProviderReport,
  change: (tokens: number, kind: ReportedKind) => number,
): ProviderReport {
  const optional = (kind: ReportedKind) => {
    const tokens = report[kind];
    return tokens === undefined ? undefined : change(tokens, kind);
  };
  return {
    client: report.client,
    inputTokens: change(report.inputTokens, 'inputTokens'),
    outputTokens: change(report.outputTokens, 'outputTokens'),
    reasoningTokens: optional('reasoningTokens'),
    cacheReadTokens: optional('cacheReadTokens'),
    cacheWriteTokens: optional('cacheWriteTokens'),
    totalTokens: optional('totalTokens'),
  };
}
