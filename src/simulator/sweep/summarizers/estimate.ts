import type { MeanDifference } from '../../metrics/statistics/mean-difference.ts';
import { pairedMeanDifference } from '../../metrics/statistics/mean-difference.ts';
import type { MeanEstimate } from '../../report/summarizers/summarizers-report.ts';
import type { SummaryRow } from '../../report/summarizers/summary-row.ts';

/** A number of a row; `null` where it is unknown. */
export type OfRow = (row: SummaryRow) => number | null;

/** How often a sample is drawn again where nothing is decided by it. */
const DESCRIPTIVE_RESAMPLES = 2_000;

/** The mean of each session over its repetitions, without those in which it is unknown. */
export function sessionMeans(rows: readonly SummaryRow[], of: OfRow): ReadonlyMap<string, number> {
  const values = new Map<string, number[]>();
  for (const row of rows) {
    const value = of(row);
    if (value === null) continue;
    const own = values.get(row.scenario);
    if (own === undefined) values.set(row.scenario, [value]);
    else own.push(value);
  }
  return new Map([...values].map(([scenario, own]) => [scenario, exactMean(own)]));
}

/** Of equal values it is that value to the last digit. */
function exactMean([first = 0, ...rest]: readonly number[]): number {
  const beyond = rest.reduce((total, value) => total + (value - first), 0);
  return first + beyond / (rest.length + 1);
}

/** The mean over sessions with its interval. */
export function estimateMean(
  means: ReadonlyMap<string, number>,
  seed: number,
  resamples: number = DESCRIPTIVE_RESAMPLES,
): MeanEstimate {
  const values = [...means.values()];
  const [first] = values;
  // Resamples of what is always the same are all the same.
  if (first !== undefined && values.length > 1 && values.every((value) => value === first)) {
    return { mean: first, low: first, high: first, sessions: values.length };
  }
  return toEstimate(
    pairedMeanDifference(
      [...means].map(([cluster, b]) => ({ a: 0, b, cluster })),
      { seed, resamples },
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
