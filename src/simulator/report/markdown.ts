import type { Metric } from '../metrics/metric.ts';
import { METRIC_NAMES, type MetricName, metrics, titleOf } from '../metrics/metrics.ts';
import type { RunRecord } from '../metrics/record.ts';
import { codeSpan, markdownRow, markdownRule } from './code-span.ts';
import { numberColumns } from './columns.ts';
import { describeLost } from './lost.ts';
import { formatValue } from './numbers.ts';
import { describeEvidence, provenanceFacts } from './provenance-facts.ts';
import type { Format, Provenance, Report, UnreadInput } from './report.ts';
import { describeFailures } from './summary-failures.ts';
import { type PolicyTotal, totalPolicies } from './totals.ts';
import { describeUnread } from './unread.ts';

/** A report to be read, commented on and kept. */
export const markdown: Format = {
  extension: '.md',
  describes: 'A report to read: runs, totals per policy, unreadable inputs, provenance.',
  render: (report) => `${toSections(report).flat().join('\n')}\n`,
};

function toSections(report: Report): readonly (readonly string[])[] {
  return [
    ['# Compaction report', ''],
    ['## Runs', '', ...renderRuns(report.runs)],
    renderTotals(totalPolicies(report.runs)),
    listed(describeFailures(report.runs, codeSpan)),
    renderUnread(report.unread),
    renderProvenance(report.provenance),
  ];
}

function renderRuns(runs: readonly RunRecord[]): readonly string[] {
  if (runs.length === 0) return ['No session was run.'];
  const titles = ['Session', 'Policy', ...numberColumns.map(({ title }) => title), 'State'];
  const isNumber = titles.map((_, index) => index > 1 && index < titles.length - 1);
  return [markdownRow(titles), markdownRule(isNumber), ...runs.map(renderRun)];
}

function renderRun(run: RunRecord): string {
  const numbers = numberColumns.map((column) => column.of(run.metrics));
  const reason = run.reason === undefined ? '' : `: ${codeSpan(run.reason)}`;
  return markdownRow([
    codeSpan(run.session),
    codeSpan(run.policy),
    ...numbers,
    `${run.state}${reason}`,
  ]);
}

/** Every metric, so that none is missing from the report. */
function renderTotals(totals: readonly PolicyTotal[]): readonly string[] {
  if (totals.length === 0) return [];
  return [
    '',
    '## Totals',
    '',
    'Sums over completed runs; for contexts, the largest. Policies that completed different sessions cannot be compared.',
    '',
    markdownRow(['Metric', ...totals.map(({ policy }) => codeSpan(policy))]),
    markdownRule([false, ...totals.map(() => true)]),
    markdownRow([
      'Completed runs',
      ...totals.map((total) => `${total.completedRuns} of ${total.runs}`),
    ]),
    ...METRIC_NAMES.map((name) => renderTotal(name, totals)),
    ...renderLost(totals),
  ];
}

function renderLost(totals: readonly PolicyTotal[]): readonly string[] {
  const sentences = describeLost(
    totals.map((total) => ({ ...total, policy: codeSpan(total.policy) })),
  );
  return listed(sentences);
}

function listed(sentences: readonly string[]): readonly string[] {
  return sentences.length === 0 ? [] : ['', ...sentences.map((sentence) => `- ${sentence}`)];
}

function renderTotal(name: MetricName, totals: readonly PolicyTotal[]): string {
  const metric: Metric = metrics[name];
  return markdownRow([
    titleOf(name),
    ...totals.map((total) => formatValue(total.metrics[name], metric.unit)),
  ]);
}

function renderUnread(unread: readonly UnreadInput[]): readonly string[] {
  if (unread.length === 0) return [];
  const items = unread.map((input) => `- ${codeSpan(describeUnread(input))}`);
  return ['', '## Unread', '', ...items];
}

function renderProvenance(provenance: Provenance): readonly string[] {
  const facts = provenanceFacts(provenance).map(
    ({ label, value }) => `- ${label}: ${codeSpan(value)}`,
  );
  return ['', '## Provenance', '', ...facts, '', describeEvidence(provenance, codeSpan)];
}
