import { alignRows } from '../../simulator/report/align-rows.ts';
import { jsonText } from '../../simulator/report/json-text.ts';
import { formatCount, UNKNOWN } from '../../simulator/report/numbers.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import type { Nearness, Pair } from '../../simulator/scenario/workload/nearness.ts';
import type { Workload } from '../../simulator/scenario/workload/workload.ts';

/** How near generated sessions come to their workload. */
export interface GenerateReport {
  readonly workload: Pick<Workload, 'name' | 'describes' | 'source'>;
  readonly sessions: number;
  readonly seed: number;
  readonly figures: readonly Nearness[];
}

const DISTANCE_DIGITS = 3;
/** Below this, a tenth matters. */
const SMALL = 100;
const TITLES = ['Figure', 'n', 'of', 'Distance', 'Chance', 'p50', 'of', 'p90', 'of'];

/** How a report can be printed, by name. */
export const generateRenderers = {
  table: renderTable,
  json: jsonText,
} satisfies Record<string, (report: GenerateReport) => string>;

function renderTable({ workload, sessions, seed, figures }: GenerateReport): string {
  const rows = [TITLES, ...figures.map(toRow)];
  const far = figures.filter(({ distance, chanceDistance }) => distance > chanceDistance);
  const lines = [
    alignRows(rows),
    '',
    `${sessions} sessions, seed ${seed}, like ${shownText(workload.name)}: ${shownText(workload.describes)}.`,
    `"of" is the workload. Distance: largest difference in cumulative share (Kolmogorov-Smirnov) at its known quantiles.`,
    `Farther than chance (one in twenty), of ${figures.length} figures: ${far.length === 0 ? 'none' : far.map(({ figure }) => shownText(figure)).join(', ')}.`,
  ];
  return `${lines.join('\n')}\n`;
}

function toRow({ figure, n, workloadN, p50, p90, ...distances }: Nearness): readonly string[] {
  return [
    shownText(figure),
    formatCount(n),
    formatCount(workloadN),
    distances.distance.toFixed(DISTANCE_DIGITS),
    distances.chanceDistance.toFixed(DISTANCE_DIGITS),
    ...toCells(p50),
    ...toCells(p90),
  ];
}

function toCells({ generated, workload }: Pair): readonly string[] {
  return [formatNumber(generated), workload === null ? UNKNOWN : formatNumber(workload)];
}

function formatNumber(value: number): string {
  return value < SMALL ? value.toFixed(1) : formatCount(Math.round(value));
}
