import type {
  Published,
  PublishedNumber,
  PublishedShare,
  PublishedStatistic,
} from '../../src/simulator/scenario/workload/workload.ts';

/** Of all sessions, or as a range of both agents where only those are told; the range of a mean is that of its rounding. */
const numbers: readonly (readonly [PublishedNumber, string])[] = [
  ['requestsPerSession', 'mean:9.2 p25:1 p50:1 p90:18 p99:137'],
  ['toolStepsPerSession', 'mean:73.6 p25:4 p50:15 p90:135 p99:1107'],
  ['callsPerSession', 'mean:101.4 p25:8 p50:25 p90:176 p99:1438'],
  ['toolStepsPerRequest', 'mean:7.8 p50:1 p90:20 p99:86'],
  ['callsPerRequest', 'mean:10.8 p50:2 p90:30 p99:113'],
  ['callsPerStep', 'mean:1.2 p90:2 p99:4'],
  ['prefixTokens', 'p50:119000 p99:231000-918000'],
  ['appendedTokens', 'p50:875'],
  ['outputTokens', 'p50:214'],
  ['growthTokens', 'mean:1700-1800'],
  ['secondsBeforeUser', 'p50:86 p90:1260'],
  ['compactionsWhereAny', 'mean:3.7 p90:6-8 p99:12-34'],
];
/** With the tolerance that the evaluation design allows. */
const shares: readonly (readonly [PublishedShare, string])[] = [
  ['compactingSessions', '9.7'],
  ['compactionsAmongTools', '86.5'],
  // 0.39 % of 140,338 steps of Claude Code and 3.43 % of 216,823 of Codex.
  ['shrinkingSteps', '2.24'],
  ['cacheRead', '95.7 ± 2'],
  ['cacheReadBehindUser', '78.2-86.9 ± 2'],
  ['cacheReadBehindTools', '97.2-97.9 ± 2'],
  ['waitsUpToFiveMinutes', '69.8-79.6'],
  ['waitsUpToAnHour', '94.9-96.4'],
  ['spentOnPrefix', '59.5 ± 5'],
  ['spentOnAppended', '29.2 ± 5'],
  ['spentOnOutput', '11.2 ± 5'],
];

/** The single figures that TraceLab published. */
export function traceLabPublished(): readonly Published[] {
  const ofNumbers = numbers.flatMap(([figure, all]) =>
    all.split(' ').map((each): Published => {
      const [statistic = '', range = ''] = each.split(':');
      return { figure, statistic: statistic as PublishedStatistic, ...rangeOf(range) };
    }),
  );
  return [...ofNumbers, ...shares.map(([figure, range]) => ({ figure, ...rangeOf(range) }))];
}

function rangeOf(text: string) {
  const [range = '', tolerance] = text.split(' ± ');
  const [low = 0, high = low] = range.split('-').map(Number);
  return { low, high, ...(tolerance !== undefined && { tolerance: Number(tolerance) }) };
}
