import type { Metric } from '../metrics/metric.ts';
import { METRIC_NAMES, type MetricName, metrics, titleOf } from '../metrics/metrics.ts';
import type { RunRecord } from '../metrics/record.ts';
import { codeSpan, markdownTable } from './code-span.ts';
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
  return markdownTable(titles, runs.map(toRow), isNumber);
}

function toRow(run: RunRecord): readonly string[] {
  const numbers = numberColumns.map((column) => column.of(run.metrics));
  const reason = run.reason === undefined ? '' : `: ${codeSpan(run.reason)}`;
  return [codeSpan(run.session), codeSpan(run.policy), ...numbers, `${run.state}${reason}`];
}

/** Every metric, so that none is missing from the report. */
function renderTotals(totals: readonly PolicyTotal[]): readonly string[] {
  if (totals.length === 0) return [];
  const titles = ['Metric', ...totals.map(({ policy }) => codeSpan(policy))];
  const completed = totals.map((total) => `${total.completedRuns} of ${total.runs}`);
  const rows = [
    ['Completed runs', ...completed],
    ...METRIC_NAMES.map((name) => toTotalRow(name, totals)),
  ];
  return [
    '',
    '## Totals',
    '',
    'Sums over completed runs; for contexts, the largest. Policies that completed different sessions cannot be compared.',
    '',
    ...markdownTable(
      titles,
      rows,
      titles.map((_, index) => index > 0),
    ),
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

function toTotalRow(name: MetricName, totals: readonly PolicyTotal[]): readonly string[] {
  const { unit }: Metric = metrics[name];
  return [titleOf(name), ...totals.map((total) => formatValue(total.metrics[name], unit))];
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
