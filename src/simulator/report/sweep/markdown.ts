import { type MetricName, metrics } from '../../metrics/metrics.ts';
import type { Metric } from '../../metrics/metric.ts';
import { codeSpan, markdownRow, markdownRule } from '../code-span.ts';
import { formatValue } from '../numbers.ts';
import { describeUnread } from '../unread.ts';
import {
  describeDeadKnobs,
  describeProvenance,
  describeRuns,
  nameCell,
  nameTitles,
} from './sentences.ts';
import type { SweepFormat, SweepReport } from './sweep-report.ts';

const METRIC_NAMES = Object.keys(metrics) as readonly MetricName[];

/** A report to be read, commented on and kept: every metric of every cell. */
export const markdown: SweepFormat = {
  extension: '.md',
  describes: 'A report to read: every metric of each cell, dead knobs, provenance.',
  *render(report) {
    const lines = [
      '# Sweep',
      '',
      describeRuns(report),
      '',
      ...renderCells(report),
      ...section('## Dead knobs', describeDeadKnobs(report)),
      ...section('## Unread', report.unread.map(describeUnread).map(codeSpan)),
      ...section('## Provenance', [codeSpan(describeProvenance(report.provenance))]),
    ];
    yield `${lines.join('\n')}\n`;
  },
};

function renderCells(report: SweepReport): readonly string[] {
  const titles = nameTitles(report);
  const numbers = METRIC_NAMES.map((name): Metric => metrics[name]);
  return [
    markdownRow([...titles.map(codeSpan), 'Runs', ...numbers.map(({ label }) => label)]),
    markdownRule([...titles, 'Runs', ...numbers].map((_, index) => index >= titles.length)),
    ...report.cells.map((cell) =>
      markdownRow([
        ...nameCell(cell).map(codeSpan),
        `${cell.completedRuns} of ${cell.runs}`,
        ...METRIC_NAMES.map((name) => formatValue(cell.metrics[name], metrics[name].unit)),
      ]),
    ),
  ];
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : ['', title, '', ...items.map((item) => `- ${item}`)];
}
