import { metrics } from '../../metrics/metrics.ts';
import { countOf, formatCount, formatValue } from '../numbers.ts';
import { formatPercent } from '../percent.ts';
import { jsonText } from '../json-text.ts';
import { describeMakers } from '../origin.ts';
import type { Terminal } from '../report.ts';
import { shownText } from '../shown-text.ts';
import { fitProse } from '../wrap-prose.ts';
import {
  FLAKE_VERSION,
  type FlakeReport,
  type MetricNoise,
  type VaryingRun,
} from './flake-report.ts';

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
