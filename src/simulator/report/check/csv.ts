import { METRIC_NAMES } from '../../metrics/metrics.ts';
import { toCsvLine } from '../csv-line.ts';
import type { CheckedRun, CheckedScenario, CheckFormat } from './check-report.ts';

const KEYS = ['scenario', 'run', 'policy', 'state', 'reason', 'failures'] as const;

/** One row a run, for spreadsheets and data frames. */
export const csv: CheckFormat = {
  extension: '.csv',
  describes: 'One row per run with every metric; an empty cell means unknown.',
  render: ({ scenarios }) =>
    [[...KEYS, ...METRIC_NAMES], ...scenarios.flatMap(toRows)].map(toCsvLine).join(''),
};

function toRows(scenario: CheckedScenario): readonly (readonly (string | number | null)[])[] {
  return scenario.runs.map((run) => toRow(scenario, run));
}

function toRow({ name }: CheckedScenario, run: CheckedRun): readonly (string | number | null)[] {
  const texts = [name, run.name, run.policy, run.state, run.reason ?? ''];
  return [...texts, run.failures.length, ...METRIC_NAMES.map((metric) => run.metrics[metric])];
}
