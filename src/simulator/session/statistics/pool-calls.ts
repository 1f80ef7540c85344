import { groupBy, sum } from '../../lib/collections.ts';
import { distribute } from './distribution.ts';
import type { CallSample, SessionSample } from './sample.ts';
import type { ToolStatistics, Transition } from './workload.ts';

/** Calls by tool, the most called first. */
export function poolTools(
  samples: readonly SessionSample[],
): Readonly<Record<string, ToolStatistics>> {
  const calls = samples.flatMap((sample) => sample.calls);
  const totals = { calls: calls.length, outputTokens: sum(outputTokensOf(calls)) };
  const byTool = [...groupBy(calls, ({ tool }) => tool)];
  const mostFirst = byTool.toSorted(([, a], [, b]) => b.length - a.length);
  return Object.fromEntries(mostFirst.map(([tool, own]) => [tool, poolTool(own, totals)]));
}

/** How often which tool followed which in a session, the most frequent first. */
export function poolTransitions(samples: readonly SessionSample[]): readonly Transition[] {
  const pairs = samples.flatMap(({ calls }) =>
    calls.slice(1).map(({ tool: to }, index) => ({ from: calls[index]?.tool ?? '', to })),
  );
  const counted = [...groupBy(pairs, ({ from, to }) => JSON.stringify([from, to])).values()];
  return counted
    .flatMap((group) => group.slice(0, 1).map((pair) => ({ ...pair, count: group.length })))
    .toSorted((a, b) => b.count - a.count);
}

/** Tokens of what came back from calls, one number for each that gave something. */
export function outputTokensOf(calls: readonly CallSample[]): readonly number[] {
  return calls.flatMap(({ output }) => output?.tokens ?? []);
}

/** A part of a whole; `null` of nothing. */
export function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function poolTool(
  calls: readonly CallSample[],
  totals: { readonly calls: number; readonly outputTokens: number },
): ToolStatistics {
  const outputs = calls.filter(({ output }) => output !== undefined);
  const tokens = outputTokensOf(outputs);
  const rateOf = (isCounted: (call: CallSample) => boolean) =>
    shareOf(outputs.filter(isCounted).length, outputs.length);
  return {
    calls: calls.length,
    outputs: outputs.length,
    callShare: shareOf(calls.length, totals.calls) ?? 0,
    outputShare: shareOf(sum(tokens), totals.outputTokens) ?? 0,
    errorRate: rateOf(({ isError }) => isError),
    duplicateRate: rateOf(({ isDuplicate }) => isDuplicate),
    outputTokens: distribute(tokens),
    argumentTokens: distribute(calls.map(({ input }) => input.tokens)),
  };
}
