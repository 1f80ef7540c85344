import type { JudgedFigure } from '../../simulator/metrics/published/judge-published.ts';
import type { HitRate, HitRates } from '../../simulator/metrics/hit-rates.ts';
import type { Estimate } from '../../simulator/metrics/statistics/interval.ts';
import { tableSections } from '../../simulator/report/fit-columns.ts';
import { formatFixed } from '../../simulator/report/fixed.ts';
import { withEnds } from '../../simulator/report/intervals.ts';
import { jsonText } from '../../simulator/report/json-text.ts';
import { countOf, formatCount, UNKNOWN } from '../../simulator/report/numbers.ts';
import { describeOrigin, type Origin } from '../../simulator/report/origin.ts';
import type { Terminal } from '../../simulator/report/report.ts';
import { joinSections } from '../../simulator/report/sections.ts';
import { shownText } from '../../simulator/report/shown-text.ts';
import type { Column } from '../../simulator/report/text-table.ts';
import { fitProse } from '../../simulator/report/wrap-prose.ts';
import type { Nearness, Pair } from '../../simulator/scenario/workload/nearness.ts';
import type { Workload } from '../../simulator/scenario/workload/workload.ts';
import { describeJudged, toPublishedTable } from './published-table.ts';

/** How near generated sessions come to their workload. */
export interface GenerateReport {
  readonly origin: Origin;
  readonly workload: Pick<Workload, 'name' | 'describes' | 'source'>;
  readonly sessions: number;
  readonly seed: number;
  readonly figures: readonly Nearness[];
  /** How often they hit thresholds. */
  readonly hits: readonly HitRate[];
  /** Single figures that the source of the workload gives; none where it has whole distributions. */
  readonly published: readonly JudgedFigure[];
}

const DISTANCE_DIGITS = 3;
/** Below this, a tenth matters. */
const SMALL = 100;
/** A number stands beside that of its workload. */
const COLUMNS: readonly Column[] = [
  { title: 'Figure' },
  { title: 'n', rank: 5 },
  { title: 'workload n', rank: 6 },
  { title: 'Distance' },
  { title: 'Chance' },
  { title: 'p50', rank: 1 },
  { title: 'workload p50', rank: 2 },
  { title: 'p90', rank: 3 },
  { title: 'workload p90', rank: 4 },
];
const HIT_COLUMNS: readonly Column[] = [
  { title: 'Threshold hits' },
  { title: 'per session' },
  { title: 'workload per session', rank: 1 },
  { title: 'per 1,000 steps', rank: 2 },
  { title: 'workload per 1,000 steps', rank: 3 },
];
const RATE_DECIMALS = 2;

/** How a report can be printed, by name. */
export const generateRenderers = {
  table: renderTable,
  json: (report) => jsonText(report),
} satisfies Record<string, (report: GenerateReport, terminal: Terminal) => string>;

function renderTable(report: GenerateReport, terminal: Terminal): string {
  const { figures, hits, published } = report;
  return joinSections([
    ...tableSections({ columns: COLUMNS, rows: figures.map(toRow) }, terminal, 'json'),
    ...tableSections({ columns: HIT_COLUMNS, rows: hits.map(toHitRow) }, terminal, 'json'),
    ...(published.length > 0 ? tableSections(toPublishedTable(published), terminal, 'json') : []),
    fitProse(describe(report), terminal),
  ]);
}

function describe(report: GenerateReport): string {
  const { workload, sessions, seed, figures, hits, published } = report;
  const far = figures.filter(({ distance, chanceDistance }) => distance > chanceDistance);
  const lines = [
    `${countOf(sessions, 'session')}, seed ${seed}, drawn from the workload ${shownText(workload.name)} (${shownText(workload.describes)}).`,
    'Distance: largest difference in cumulative share (Kolmogorov-Smirnov) at the known quantiles of the workload; chance: what one in twenty exceeds, at most 1.',
    `Farther than chance (one in twenty), of ${figures.length} figures: ${far.length === 0 ? 'none' : far.map(({ figure }) => shownText(figure)).join(', ')}.`,
    `Threshold hits: with their intervals of 95 %, where ten independent sessions or more tell. ${judgeHits(hits)}`,
    ...describeJudged(published),
    describeOrigin(report.origin),
  ];
  return lines.join('\n');
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
    formatEstimate(generated[rate]),
    workload === null ? UNKNOWN : formatEstimate(workload[rate]),
  ];
  return [nameOf(thresholdTokens), ...cellsOf('perSession'), ...cellsOf('perThousandSteps')];
}

function nameOf(thresholdTokens: number | null): string {
  return thresholdTokens === null
    ? 'as the agent compacts'
    : `at ${formatCount(thresholdTokens)} tokens`;
}

function formatEstimate({ value, interval }: Estimate): string {
  return withEnds(formatRate(value), interval, formatRate);
}

function formatRate(rate: number): string {
  return formatFixed(rate, RATE_DECIMALS);
}

function judgeHits(hits: readonly HitRate[]): string {
  const known = hits.filter(({ isWithinNoise }) => isWithinNoise !== null);
  if (known.length === 0) return `The ${whatIsLacking(hits)} to judge them.`;
  const far = known.filter(({ isWithinNoise }) => isWithinNoise === false);
  const names = far.map(({ thresholdTokens }) => nameOf(thresholdTokens));
  return `Farther than noise, of ${known.length}: ${names.length === 0 ? 'none' : names.join(', ')}.`;
}

/** More sessions would not help where the workload itself tells of few. */
function whatIsLacking(hits: readonly HitRate[]): string {
  const isTold = hits.some(({ workload }) => (workload?.perSession.interval ?? null) !== null);
  return isTold ? 'generated sessions are too few' : 'workload tells too little';
}

function toCells({ generated, workload }: Pair): readonly string[] {
  return [formatNumber(generated), workload === null ? UNKNOWN : formatNumber(workload)];
}

function formatNumber(value: number): string {
  return value < SMALL ? value.toFixed(1) : formatCount(Math.round(value));
}
