import type { RunState } from '../events.ts';
import { type MetricName, metrics } from '../metrics/metrics.ts';
import { jsonText, shownText } from './markup.ts';
import { countOf, formatCount, formatPercent, formatValue } from './numbers.ts';
import { describeMakers, type Origin } from './origin.ts';
import { fitProse } from './prose.ts';
import type { Terminal } from './report.ts';

/** How far runs stray that differ by nothing but their seed: the floor below which no difference means anything. */
export interface FlakeReport {
  readonly origin: Origin;
  /** Runs of all scenarios, each counted once. */
  readonly runs: number;
  /** How often each was made. */
  readonly repeats: number;
  readonly varying: readonly VaryingRun[];
  /** Of metrics that vary at all. */
  readonly noise: readonly MetricNoise[];
}

/** A run whose events depend on its seed. */
export interface VaryingRun {
  readonly scenario: string;
  readonly run: string;
  readonly states: readonly RunState[];
  /** Whether it passed or failed every time. */
  readonly isVerdictStable: boolean;
}

/** How far a metric strays within one run, in its own unit. */
export interface MetricNoise {
  readonly metric: MetricName;
  readonly varyingRuns: number;
  /** Largest less smallest value, of the run where that is most. */
  readonly largestSpread: number;
  /** The same as a share of that run's mean. */
  readonly largestRelativeSpread: number;
  readonly meanDeviation: number;
}

/** The version of the shape of the JSON document. */
const FLAKE_VERSION = 1;

/** How a noise floor is written down, by name; the default first. */
export const flakeFormats = {
  table: (report, terminal) => fitProse(`${toLines(report).join('\n')}\n`, terminal),
  json: (report) => jsonText({ flakeVersion: FLAKE_VERSION, ...report }),
} satisfies Record<string, (report: FlakeReport, terminal: Terminal) => string>;

function toLines(report: FlakeReport): readonly string[] {
  return [...findingLines(report), '', shownText(describeMakers(report.origin))];
}

function findingLines({ runs, repeats, varying, noise }: FlakeReport): readonly string[] {
  const made = `${countOf(runs, 'run')}, ${countOf(repeats, 'seed')} each`;
  if (varying.length === 0) return [`${made}: every run has the same events with every seed.`];
  return [
    `${made}: ${formatCount(varying.length)} depend on their seed.`,
    '',
    ...varying.map(toLine),
    '',
    'By chance alone, within one run:',
    ...noise.map(toNoiseLine),
  ];
}

function toLine({ scenario, run, states, isVerdictStable }: VaryingRun): string {
  const verdict = isVerdictStable ? 'the same verdict' : 'passes and fails';
  return `${isVerdictStable ? '~' : '✗'} ${shownText(scenario)}: ${shownText(run)}: ${verdict}, ${states.join(' or ')}`;
}

function toNoiseLine({ metric, varyingRuns, ...noise }: MetricNoise): string {
  const { label, unit } = metrics[metric];
  const share = formatPercent(noise.largestRelativeSpread, 2);
  const spread = formatValue(noise.largestSpread, unit);
  return `  ${label} (${metric}): up to ${spread} apart, ${share}, in ${countOf(varyingRuns, 'run')}`;
}
