import type { RunState } from '../events.ts';
import { type MetricName, metrics } from '../metrics/metrics.ts';
import { type Block, renderTerminal, type Text, untrusted } from './document.ts';
import { jsonText } from './markup.ts';
import { countOf, formatCount, formatPercent, formatValue } from './numbers.ts';
import { describeMakers, type Origin } from './origin.ts';
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
  /** It passed every time, or failed every time. */
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

/** Renderers of a noise floor, by the names of their formats; the default first. */
export const flakeFormats = {
  table: (report, terminal) => renderTerminal(flakeDocument(report), terminal, 'json'),
  json: (report) => jsonText({ flakeVersion: FLAKE_VERSION, ...report }),
} satisfies Record<string, (report: FlakeReport, terminal: Terminal) => string>;

function flakeDocument({ runs, repeats, varying, noise, origin }: FlakeReport): readonly Block[] {
  const made = `${countOf(runs, 'run')}, ${countOf(repeats, 'seed')} each`;
  const makers: Block = { type: 'lines', lines: [untrusted(describeMakers(origin))] };
  if (varying.length === 0) {
    return [
      { type: 'lines', lines: [`${made}: every run has the same events with every seed.`] },
      makers,
    ];
  }
  return [
    { type: 'lines', lines: [`${made}: ${formatCount(varying.length)} depend on their seed.`] },
    { type: 'lines', lines: varying.map(toLine) },
    {
      type: 'lines',
      lines: ['By chance alone, within one run:', ...noise.map(toNoiseLine)],
    },
    makers,
  ];
}

function toLine({ scenario, run, states, isVerdictStable }: VaryingRun): Text {
  const verdict = isVerdictStable ? 'the same verdict' : 'passes and fails';
  const mark = isVerdictStable ? '~ ' : '✗ ';
  const outcome = `: ${verdict}, ${states.join(' or ')}`;
  return [mark, untrusted(scenario), ': ', untrusted(run), outcome];
}

function toNoiseLine({ metric, varyingRuns, ...noise }: MetricNoise): string {
  const { label, unit } = metrics[metric];
  const share = formatPercent(noise.largestRelativeSpread, 2);
  const spread = formatValue(noise.largestSpread, unit);
  return `  ${label} (${metric}): up to ${spread} apart, ${share}, in ${countOf(varyingRuns, 'run')}`;
}
