import type { Bench } from 'tinybench';

/** The middle of some values; 0 where there is none. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** How long the task of that name took, in milliseconds. */
export function medianMs(bench: Bench, name: string): number {
  const result = bench.getTask(name)?.result;
  if (result === undefined || !('latency' in result)) throw new Error(`No time for "${name}".`);
  return result.latency.p50;
}
