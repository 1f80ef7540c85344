import type { MeanDifference } from '../../metrics/statistics/mean-difference.ts';
import { pairedMeanDifference } from '../../metrics/statistics/mean-difference.ts';
import type { MeanEstimate } from '../../report/summarizers/summarizers-report.ts';
import type { SummaryRow } from '../../report/summarizers/summary-row.ts';

/** A number of a row; `null` where it is unknown. */
export type OfRow = (row: SummaryRow) => number | null;

/** The mean of each session over its repetitions, without those in which it is unknown. */
export function sessionMeans(rows: readonly SummaryRow[], of: OfRow): ReadonlyMap<string, number> {
  const sums = new Map<string, { total: number; count: number }>();
  for (const row of rows) {
    const value = of(row);
    if (value === null) continue;
    const sum = sums.get(row.scenario) ?? { total: 0, count: 0 };
    sums.set(row.scenario, { total: sum.total + value, count: sum.count + 1 });
  }
  return new Map([...sums].map(([scenario, { total, count }]) => [scenario, total / count]));
}

/** The mean over sessions with its interval. */
export function estimateMean(means: ReadonlyMap<string, number>, seed: number): MeanEstimate {
  const values = [...means.values()];
  const [first] = values;
  // Resamples of what is always the same are all the same.
  if (first !== undefined && values.length > 1 && values.every((value) => value === first)) {
    return { mean: first, low: first, high: first, sessions: values.length };
  }
  return toEstimate(
    pairedMeanDifference(
      [...means].map(([cluster, b]) => ({ a: 0, b, cluster })),
      { seed },
    ),
    values.length,
  );
}

/** An estimate as reports have it; unknown where there is none. */
export function toEstimate(
  found: Pick<MeanDifference, 'value' | 'interval'> | undefined,
  sessions: number,
): MeanEstimate {
  return {
    mean: found?.value ?? null,
    low: found?.interval?.low ?? null,
    high: found?.interval?.high ?? null,
    sessions,
  };
}
