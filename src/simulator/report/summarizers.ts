import { FACT_KINDS } from '../session/facts.ts';
import { type ArmMetricName, armMetrics } from './arm-metrics.ts';
import { toPageOfSummarizers } from './html/page-of-summarizers.ts';
import { renderPage } from './html/render-page.ts';
import { describeUnread } from './kept.ts';
import {
  codeSpan,
  joinMarkdown,
  joinSections,
  jsonText,
  listSection,
  markdownList,
  markdownTable,
  shownLines,
  shownText,
  toCsvLine,
} from './markup.ts';
import { UNKNOWN } from './numbers.ts';
import { fillEnd, fitProse, widthOf } from './prose.ts';
import type { Terminal } from './report.ts';
import { shareCell } from './statistics-charts.ts';
import {
  ARM_COLUMNS,
  armRows,
  baseOf,
  DIFFERENCE_COLUMNS,
  differenceRows,
  failureLines,
  provenanceLines,
} from './summarizers-lines.ts';
import {
  type ArmDifference,
  type ArmProbes,
  type ArmReport,
  DECAY_NOTE,
  decayColumns,
  decayRows,
  type IntervalEstimate,
  LOSS_COLUMNS,
  lossRows,
  type MeanEstimate,
  panelLines,
  PROBE_COLUMNS,
  PROBE_KIND_COLUMNS,
  probeKindRows,
  probeRows,
  type ProbesReport,
  spreadCell,
  type SummarizersReport,
} from './summarizers-report.ts';
import { type Column, tableSections, type TextTable, titlesOf } from './text-table.ts';

type Cell = string | number | null;

/** One number: of which arm or judge, what it is called, and its estimate. */
interface Entry {
  readonly part: 'metric' | 'count' | 'kind' | 'decay' | 'difference' | 'ratio' | 'probe' | 'judge';
  readonly arm: string;
  readonly metric: string;
  readonly estimate: IntervalEstimate & Partial<Pick<MeanEstimate, 'sessions'>>;
  readonly base?: string;
  readonly verdict?: string;
}

type Owner = Pick<Entry, 'part' | 'arm'>;

const BAR_WIDTH = 24;

const COUNTS = [
  'trials',
  'pivots',
  'failed',
  'unreached',
  'cut',
  'nonCompressing',
  'empty',
] as const;
const METRICS = Object.keys(armMetrics) as readonly ArmMetricName[];

const TITLES = [
  'part',
  'arm',
  'summarizer',
  'model',
  'prompt',
  'promptHash',
  'scorerVersion',
  'bench',
  'reader',
  'metric',
  'mean',
  'low',
  'high',
  'sessions',
  'base',
  'verdict',
] as const;

/** How a comparison of summarizers is written down, by name; the default first. */
export const summarizersFormats = {
  table: renderSummarizersTable,
  json: renderSummarizersJson,
  markdown: renderSummarizersMarkdown,
  csv: renderSummarizersCsv,
  html: (report) => renderPage(toPageOfSummarizers(report)),
} satisfies Record<string, (report: SummarizersReport, terminal: Terminal) => string>;

/** The comparison for a terminal. */
function renderSummarizersTable(report: SummarizersReport, terminal: Terminal): string {
  const below = [
    linesSection('Not scored:', failureLines(report)),
    listSection('Unread:', report.unread.map(describeUnread)),
    provenanceLines(report).map(shownText).join('\n'),
  ];
  return joinSections([
    ...renderTable(ARM_COLUMNS, armRows(report), terminal),
    ...renderDifferences(report, terminal),
    ...renderDecay(report, terminal),
    ...renderProbes(report, terminal),
    kindsChart(report, shownText),
    ...below.map((text) => fitProse(text, terminal)),
  ]);
}

/** The same as a list of texts that have lines of their own. */
function linesSection(title: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  return [title, ...items.map((item) => `- ${shownLines(item).replaceAll('\n', '\n  ')}`)].join(
    '\n',
  );
}

/** Cells are from outside. */
function renderTable(columns: readonly Column[], rows: TextTable['rows'], terminal: Terminal) {
  const shown = rows.map((cells) => cells.map(shownText));
  return tableSections({ columns, rows: shown }, terminal, 'markdown');
}

function renderDifferences(report: SummarizersReport, terminal: Terminal): readonly string[] {
  const base = baseOf(report);
  if (base === undefined) return [];
  const [text, note] = renderTable(DIFFERENCE_COLUMNS, differenceRows(report), terminal);
  return [`Base: ${shownText(base)}\n${text}`, note];
}

function renderDecay(report: SummarizersReport, terminal: Terminal): readonly string[] {
  const rows = decayRows(report);
  if (rows.length === 0) return [];
  const [text, note] = renderTable(decayColumns(report), rows, terminal);
  return [`${text}\n${fitProse(DECAY_NOTE, terminal)}`, note];
}

function renderProbes({ probes }: SummarizersReport, terminal: Terminal): readonly string[] {
  if (probes === undefined) return [];
  const { arms } = probes;
  return [
    ...renderTable(PROBE_COLUMNS, probeRows(arms), terminal),
    ...renderTable(LOSS_COLUMNS, lossRows(arms), terminal),
    ...renderTable(PROBE_KIND_COLUMNS, probeKindRows(arms), terminal),
    fitProse(panelLines(probes).map(shownText).join('\n'), terminal),
  ];
}

/** Bars of what each arm kept of each kind of facts after the first pivot; empty where nothing is known. */
function kindsChart({ arms }: SummarizersReport, shown: (name: string) => string): string {
  const margin = Math.max(0, ...arms.map(({ name }) => widthOf(shown(name))));
  const groups = FACT_KINDS.flatMap((kind) => {
    const lines = arms.flatMap(({ name, kinds }) => {
      const share = kinds[kind]?.mean ?? null;
      return share === null ? [] : [`  ${fillEnd(shown(name), margin)}  ${bar(share)}`];
    });
    return lines.length === 0 ? [] : [[kind, ...lines].join('\n')];
  });
  if (groups.length === 0) return '';
  return ['Kept after the first pivot, by kind of fact', ...groups].join('\n');
}

function bar(share: number): string {
  const width = Math.round(share * BAR_WIDTH);
  return `${'█'.repeat(width).padEnd(BAR_WIDTH, '·')} ${shareCell(share)}`;
}

/** Everything, for programs. */
function renderSummarizersJson(report: SummarizersReport): string {
  return jsonText(report);
}

/** The comparison for a pull request: names from outside stand in code spans, where nothing is obeyed. */
function renderSummarizersMarkdown(report: SummarizersReport): string {
  const base = baseOf(report);
  const sections = [
    ['## Summarizers compared'],
    tableOf(ARM_COLUMNS, armRows(report)),
    base === undefined
      ? []
      : [`Base: ${codeSpan(base)}`, '', ...tableOf(DIFFERENCE_COLUMNS, differenceRows(report))],
    decayLines(report),
    ...probesSections(report),
    kindsTable(report),
    markdownList('Not scored', failureLines(report).map(toItem)),
    markdownList('Unread', report.unread.map(describeUnread).map(toItem)),
    provenanceLines(report).map((line) => `- ${codeSpan(line)}`),
  ];
  return joinMarkdown(sections);
}

/** The first column is of names from outside, or of kinds. */
function tableOf(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const isNumber = columns.map((_, index) => index > 0);
  const lines = rows.map(([name = '', ...cells]) => [codeSpan(name), ...cells]);
  return markdownTable(titlesOf(columns), lines, isNumber);
}

function decayLines(report: SummarizersReport): readonly string[] {
  const rows = decayRows(report);
  return rows.length === 0 ? [] : [...tableOf(decayColumns(report), rows), '', DECAY_NOTE];
}

function probesSections({ probes }: SummarizersReport): readonly (readonly string[])[] {
  if (probes === undefined) return [];
  const { arms } = probes;
  return [
    ['### Questions after the first pivot'],
    tableOf(PROBE_COLUMNS, probeRows(arms)),
    tableOf(LOSS_COLUMNS, lossRows(arms)),
    tableOf(PROBE_KIND_COLUMNS, probeKindRows(arms)),
    panelLines(probes).map((line) => `- ${codeSpan(line)}`),
  ];
}

function kindsTable({ arms }: SummarizersReport): readonly string[] {
  const kinds = FACT_KINDS.filter((kind) => arms.some((arm) => arm.kinds[kind] !== undefined));
  if (kinds.length === 0) return [];
  const rows = kinds.map((kind) => [
    kind,
    ...arms.map((arm) => {
      const kept = arm.kinds[kind];
      return kept === undefined ? UNKNOWN : spreadCell(kept);
    }),
  ]);
  const columns = ['Kept, by kind', ...arms.map(({ name }) => codeSpan(name))];
  return tableOf(
    columns.map((title) => ({ title })),
    rows,
  );
}

/** A code span has no line breaks. */
function toItem(text: string): string {
  return codeSpan(text.replaceAll(/\s*\n\s*/g, ' / '));
}

/** One row a number, of every part of the report; an empty cell is unknown. */
function renderSummarizersCsv(report: SummarizersReport): string {
  const { arms, provenance, probes } = report;
  const byName = new Map(arms.map((arm) => [arm.name, arm]));
  const lines = entriesOf(report).map((entry) => {
    const { part, arm, metric, estimate, base = null, verdict = null } = entry;
    const of = byName.get(arm);
    const key = of ? [of.summarizer, of.model, of.prompt, of.promptHash] : [arm, null, null, null];
    const { mean, low, high, sessions = null } = estimate;
    const { scorerVersion, bench } = provenance;
    const told: readonly Cell[] = [metric, mean, low, high, sessions, base, verdict];
    return toCsvLine([part, arm, ...key, scorerVersion, bench, probes?.reader ?? null, ...told]);
  });
  return [toCsvLine([...TITLES]), ...lines].join('');
}

function entriesOf({ arms, differences, probes }: SummarizersReport): readonly Entry[] {
  return [
    ...arms.flatMap(armEntries),
    ...differences.flatMap(differenceEntries),
    ...(probes ? probes.arms.flatMap(probeEntries) : []),
    ...(probes ? judgeEntries(probes) : []),
  ];
}

function armEntries({ name: arm, metrics, failures, mustFacts, kinds, decay }: ArmReport) {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, failures[name]]));
  const { of: mustFactsOf, dropped: mustFactsDropped } = mustFacts;
  return [
    ...entries(
      { part: 'metric', arm },
      Object.fromEntries(METRICS.map((name) => [name, metrics[name]])),
    ),
    ...countEntries(
      { part: 'count', arm },
      { ...counts, mustFacts: mustFactsOf, mustFactsDropped },
    ),
    ...entries({ part: 'kind', arm }, kinds),
    ...entries({ part: 'decay', arm }, decayEstimates(decay)),
  ];
}

function entries(
  owner: Owner,
  estimates: Readonly<Record<string, IntervalEstimate | undefined>>,
): readonly Entry[] {
  return Object.entries(estimates).flatMap(([metric, estimate]) =>
    estimate === undefined ? [] : [{ ...owner, metric, estimate }],
  );
}

function countEntries(owner: Owner, counts: Readonly<Record<string, number>>): readonly Entry[] {
  return Object.entries(counts).map(([metric, count]) => ({
    ...owner,
    metric,
    estimate: { mean: count, low: null, high: null },
  }));
}

function decayEstimates({ summary, view, survival }: ArmReport['decay']) {
  return {
    ...numbered('retention', summary.retention),
    rho: summary.rho,
    halfLife: summary.halfLife,
    ...numbered('viewRetention', view.retention),
    viewRho: view.rho,
    viewHalfLife: view.halfLife,
    ...numbered(
      'survival',
      survival.map((point) => point.survival),
    ),
  };
}

function numbered(name: string, estimates: readonly MeanEstimate[]) {
  return Object.fromEntries(estimates.map((own, index) => [`${name}.${index + 1}`, own]));
}

/** The ratio of costs stands below their difference. */
function differenceEntries({ difference, ratio, ...rest }: ArmDifference): readonly Entry[] {
  const { arm, base, metric, verdict } = rest;
  const told = { arm, metric, base, verdict };
  return [
    { part: 'difference', estimate: difference, ...told },
    ...(ratio === undefined ? [] : [{ part: 'ratio' as const, estimate: ratio, ...told }]),
  ];
}

function probeEntries(probes: ArmProbes): readonly Entry[] {
  const { arm, questions, unanswered, accuracy, retention, loss, kinds } = probes;
  const { attentionLoss, summaryValue, falseRecallRate } = probes;
  const failed = unanswered.reduce((total, { times }) => total + times, 0);
  const right = Object.entries(kinds).map(([kind, own]) => [`right.${kind}`, own] as const);
  const estimates = { ...accuracy, retention, ...loss, attentionLoss, summaryValue };
  return [
    ...countEntries({ part: 'probe', arm }, { questions, unanswered: failed }),
    ...entries({ part: 'probe', arm }, { ...estimates, falseRecallRate }),
    ...entries({ part: 'probe', arm }, Object.fromEntries(right)),
  ];
}

/** What all judges agree in has no judge of its own. */
function judgeEntries({ judges, agreement }: ProbesReport): readonly Entry[] {
  const own = judges.flatMap(({ name: arm, kappa, selfAgreement, ...judge }) => {
    const { labels, unreadable, failed } = judge;
    return [
      ...entries({ part: 'judge', arm }, { kappa, selfAgreement }),
      ...countEntries({ part: 'judge', arm }, { labels, unreadable, failed }),
    ];
  });
  if (agreement === undefined) return own;
  const { onLabels: alphaOnLabels, onSample: alphaOnSample, sampled } = agreement;
  const all = { part: 'judge', arm: 'all judges' } as const;
  return [
    ...own,
    ...entries(all, { alphaOnLabels, alphaOnSample }),
    ...countEntries(all, { sampled }),
  ];
}
