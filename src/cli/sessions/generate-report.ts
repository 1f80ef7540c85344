import type { HitRate, HitRates } from '../../simulator/metrics/hit-rates.ts';
import type { Estimate } from '../../simulator/metrics/statistics/interval.ts';
import { alignRows } from '../../simulator/report/align-rows.ts';
import { jsonText } from '../../simulator/report/json-text.ts';
import { countOf, formatCount, UNKNOWN } from '../../simulator/report/numbers.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import type { Nearness, Pair } from '../../simulator/scenario/workload/nearness.ts';
import type { Workload } from '../../simulator/scenario/workload/workload.ts';

/** How near generated sessions come to their workload. */
export interface GenerateReport {
  readonly workload: Pick<Workload, 'name' | 'describes' | 'source'>;
  readonly sessions: number;
  readonly seed: number;
  readonly figures: readonly Nearness[];
  /** How often they hit thresholds. */
  readonly hits: readonly HitRate[];
}

const DISTANCE_DIGITS = 3;
/** Below this, a tenth matters. */
const SMALL = 100;
const TITLES = ['Figure', 'n', 'of', 'Distance', 'Chance', 'p50', 'of', 'p90', 'of'];
const HIT_TITLES = ['Threshold hits', 'per session', 'of', 'per 1,000 steps', 'of'];
const RATE_DECIMALS = 2;

/** How a report can be printed, by name. */
export const generateRenderers = {
  table: renderTable,
  json: jsonText,
} satisfies Record<string, (report: GenerateReport) => string>;

function renderTable({ workload, sessions, seed, figures, hits }: GenerateReport): string {
  const rows = [TITLES, ...figures.map(toRow)];
  const far = figures.filter(({ distance, chanceDistance }) => distance > chanceDistance);
  const lines = [
    alignRows(rows),
    '',
    alignRows([HIT_TITLES, ...hits.map(toHitRow)]),
    '',
    `${countOf(sessions, 'session')}, seed ${seed}, like ${shownText(workload.name)}: ${shownText(workload.describes)}.`,
    `"of" is the workload. Distance: largest difference in cumulative share (Kolmogorov-Smirnov) at its known quantiles.`,
    `Farther than chance (one in twenty), of ${figures.length} figures: ${far.length === 0 ? 'none' : far.map(({ figure }) => shownText(figure)).join(', ')}.`,
    `Threshold hits: with their intervals of 95 %, where ten independent sessions or more tell. ${judgeHits(hits)}`,
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

function toHitRow({ thresholdTokens, generated, workload }: HitRate): readonly string[] {
  const cellsOf = (rate: keyof HitRates) => [
    formatRate(generated[rate]),
    workload === null ? UNKNOWN : formatRate(workload[rate]),
  ];
  return [nameOf(thresholdTokens), ...cellsOf('perSession'), ...cellsOf('perThousandSteps')];
}

function nameOf(thresholdTokens: number | null): string {
  return thresholdTokens === null
    ? 'as the agent compacts'
    : `at ${formatCount(thresholdTokens)} tokens`;
}

function formatRate({ value, interval }: Estimate): string {
  const ends = interval && [interval.low, interval.high].map((end) => end.toFixed(RATE_DECIMALS));
  return `${value.toFixed(RATE_DECIMALS)}${ends === null ? '' : ` (${ends.join(' … ')})`}`;
}

function judgeHits(hits: readonly HitRate[]): string {
  const known = hits.filter(({ isWithinNoise }) => isWithinNoise !== null);
  if (known.length === 0) return 'The workload tells too little to judge them.';
  const far = known.filter(({ isWithinNoise }) => isWithinNoise === false);
  const names = far.map(({ thresholdTokens }) => nameOf(thresholdTokens));
  return `Farther than noise, of ${known.length}: ${names.length === 0 ? 'none' : names.join(', ')}.`;
}

function toCells({ generated, workload }: Pair): readonly string[] {
  return [formatNumber(generated), workload === null ? UNKNOWN : formatNumber(workload)];
}

function formatNumber(value: number): string {
  return value < SMALL ? value.toFixed(1) : formatCount(Math.round(value));
}
