import type { Metric } from '../metrics/metric.ts';
import { METRIC_NAMES, type MetricName, metrics, titleOf } from '../metrics/metrics.ts';
import type { RunRecord } from '../metrics/record.ts';
import { codeSpan, markdownTable } from './code-span.ts';
import { numberColumns } from './columns.ts';
import { describeLost } from './lost.ts';
import { formatValue } from './numbers.ts';
import { describeEvidence, type Fact, provenanceFacts } from './provenance-facts.ts';
import type { Format, Report } from './report.ts';
import { joinMarkdown, markdownList } from './sections.ts';
import { describeFailures } from './summary-failures.ts';
import { type PolicyTotal, totalPolicies } from './totals.ts';
import { describeUnread } from './unread.ts';

const SUMS =
  'Sums over completed runs; for contexts, the largest. Policies that completed different sessions cannot be compared.';

/** A report to be read, commented on and kept. */
export const markdown: Format = {
  extension: '.md',
  describes: 'A report to read: runs, totals per policy, unreadable inputs, provenance.',
  render: (report) => joinMarkdown(toSections(report)),
};

function toSections({ runs, unread, provenance }: Report): readonly (readonly string[])[] {
  const inputs = unread.map((input) => codeSpan(describeUnread(input)));
  return [
    ['# Compaction report'],
    ['## Runs'],
    renderRuns(runs),
    ...renderTotals(totalPolicies(runs)),
    describeFailures(runs, codeSpan).map(toItem),
    markdownList('Unread', inputs, '##'),
    markdownList('Provenance', provenanceFacts(provenance).map(describeFact), '##'),
    [describeEvidence(provenance, codeSpan)],
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
function renderTotals(totals: readonly PolicyTotal[]): readonly (readonly string[])[] {
  if (totals.length === 0) return [];
  const titles = ['Metric', ...totals.map(({ policy }) => codeSpan(policy))];
  const completed = totals.map((total) => `${total.completedRuns} of ${total.runs}`);
  const rows = [
    ['Completed runs', ...completed],
    ...METRIC_NAMES.map((name) => toTotalRow(name, totals)),
  ];
  const isNumber = titles.map((_, index) => index > 0);
  const shown = totals.map((total) => ({ ...total, policy: codeSpan(total.policy) }));
  return [
    ['## Totals'],
    [SUMS],
    markdownTable(titles, rows, isNumber),
    describeLost(shown).map(toItem),
  ];
}

function toItem(sentence: string): string {
  return `- ${sentence}`;
}

function describeFact({ label, value }: Fact): string {
  return `${label}: ${codeSpan(value)}`;
}

function toTotalRow(name: MetricName, totals: readonly PolicyTotal[]): readonly string[] {
  const { unit }: Metric = metrics[name];
  return [titleOf(name), ...totals.map((total) => formatValue(total.metrics[name], unit))];
}
