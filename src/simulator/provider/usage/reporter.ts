import type { ClientName } from './clients.ts';
import type { UsageDialect } from './dialect.ts';
import type { ServedTokens } from './served.ts';

/** Numbers as a provider tells them; what it has no number for is absent. */
interface ReportedCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens?: number | undefined;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
  readonly totalTokens?: number | undefined;
}

/** What a provider tells of one request. */
export interface ProviderReport extends ReportedCounts {
  readonly client: ClientName;
}

/** A provider's accounts of one session. */
export interface Reporter {
  /** What it tells of the next request; `undefined` where it tells nothing. */
  report(served: ServedTokens): ProviderReport | undefined;
}

/** Accounts in which no request is noted yet. */
export function createReporter(dialect: UsageDialect): Reporter {
  let steps = 0;
  let ofTurn: ReportedCounts | undefined;
  return {
    report: (served) => {
      if (dialect.presence === 'none') return undefined;
      steps++;
      const counts = countStep(served, dialect, spikeFactor(dialect, steps));
      const isSummed = dialect.scope === 'turn' && !served.opensTurn && ofTurn !== undefined;
      ofTurn = isSummed
        ? mapCounts(counts, (tokens, key) => tokens + (ofTurn?.[key] ?? 0))
        : counts;
      const told = dialect.presence === 'zero' ? mapCounts(ofTurn, () => 0) : ofTurn;
      return toReport(dialect, told);
    },
  };
}

function toReport({ client }: UsageDialect, counts: ReportedCounts): ProviderReport {
  return {
    client,
    inputTokens: counts.inputTokens,
    outputTokens: counts.outputTokens,
    reasoningTokens: counts.reasoningTokens,
    cacheReadTokens: counts.cacheReadTokens,
    cacheWriteTokens: counts.cacheWriteTokens,
    totalTokens: counts.totalTokens,
  };
}

function spikeFactor({ spike }: UsageDialect, steps: number): number {
  return spike !== undefined && steps % spike.everySteps === 0 ? spike.factor : 1;
}

function countStep(served: ServedTokens, dialect: UsageDialect, factor: number): ReportedCounts {
  const { split, keptTokens, outputTokens, reasoningTokens } = served;
  const sentTokens = split.readTokens + split.writeTokens + split.freshTokens;
  const requestTokens = factor * (dialect.counts === 'kept' ? keptTokens : sentTokens);
  const cacheReadTokens = dialect.cache === 'untold' ? undefined : factor * split.readTokens;
  const cacheWriteTokens = dialect.writes === 'told' ? factor * split.writeTokens : undefined;
  const cachedTokens = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return {
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

/** The same kinds of numbers, each made anew. */
function mapCounts(
  counts: ReportedCounts,
  change: (tokens: number, key: keyof ReportedCounts) => number,
): ReportedCounts {
  const optional = (key: keyof ReportedCounts) => {
    const tokens = counts[key];
    return tokens === undefined ? undefined : change(tokens, key);
  };
  return {
    inputTokens: change(counts.inputTokens, 'inputTokens'),
    outputTokens: change(counts.outputTokens, 'outputTokens'),
    reasoningTokens: optional('reasoningTokens'),
    cacheReadTokens: optional('cacheReadTokens'),
    cacheWriteTokens: optional('cacheWriteTokens'),
    totalTokens: optional('totalTokens'),
  };
}
