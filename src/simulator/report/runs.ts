import pico from 'picocolors';
import type { RunState } from '../events.ts';
import { groupBy } from '../lib/collections.ts';
import type { Metric } from '../metrics/metric.ts';
import { METRIC_NAMES, type MetricName, metrics, titleOf } from '../metrics/metrics.ts';
import { modeOf, type RunRecord } from '../metrics/record.ts';
import { html } from './html/page-of-runs.ts';
import {
  describeFailures,
  describeLost,
  describeMisses,
  describeUnread,
  type PolicyTotal,
  totalPolicies,
} from './kept.ts';
import {
  codeSpan,
  joinMarkdown,
  joinSections,
  jsonText,
  listSection,
  markdownList,
  markdownTable,
  shownText,
  toCsvLine,
} from './markup.ts';
import { formatValue } from './numbers.ts';
import { namePaths } from './origin.ts';
import { fitProse, widthOf, wrapProse } from './prose.ts';
import { describeEvidence, type Fact, provenanceFacts } from './provenance.ts';
import type { Format, Provenance, RenderOptions, Report, Terminal, UnreadInput } from './report.ts';
import { renderSawtooth } from './sawtooth.ts';
import {
  alignTable,
  type Column,
  describeLeftOut,
  fitColumns,
  numberColumns,
} from './text-table.ts';

/** The name of a format. */
export type FormatName = keyof typeof formats;

type Colors = ReturnType<typeof pico.createColors>;

type Cell = string | number | null;
type KeyColumn = Exclude<keyof RunRecord, 'metrics' | 'paybacks' | 'summaryFailures'>;

const COLUMNS: readonly Column[] = [
  { title: 'Session' },
  { title: 'Policy', holds: 'names' },
  ...numberColumns,
  { title: 'State', rank: 0, holds: 'names' },
];

const LEAST_SESSION_WIDTH = 12;

/** The same on a terminal without room: a share of it, but as much as tells anything. */
const SESSION_SHARE = 1 / 5;

/** Longest session name in the table where it is like no other; the end of a path tells more than its start. */
const SESSION_WIDTH = 32;

const TOTAL = 'Total of completed runs';
const SHORT_TOTAL = 'Total';

/** The report for a terminal. */
export const table: Format = {
  extension: '.txt',
  describes: 'The key numbers of each run, for a terminal.',
  render: (report, { hasCharts, eventsOf, ...terminal }) => {
    const paint = pico.createColors(terminal.colors);
    const charts = hasCharts ? toCharts(report.runs, eventsOf, { ...terminal, paint }) : [];
    const runs = renderRuns(report.runs, paint, terminal);
    return joinSections([...runs, ...toSections(report, paint, terminal), ...charts]);
  },
};

/** The whole report as one JSON document, for programs. */
export const json: Format = {
  extension: '.json',
  describes: 'Everything, for programs: provenance, every metric of every run, unreadable inputs.',
  render: (report) => jsonText(toDocument(report)),
};

const KEY_COLUMNS: readonly KeyColumn[] = [
  'session',
  'policy',
  'model',
  'summarizer',
  'seed',
  'mode',
  'state',
  'reason',
];

/** One row a run, for spreadsheets and data frames. */
export const csv: Format = {
  extension: '.csv',
  describes: 'One row per run with every metric; an empty cell means unknown.',
  render: (report) =>
    [[...KEY_COLUMNS, ...METRIC_NAMES], ...toRowsOfCsv(report)].map(toCsvLine).join(''),
};

const SUMS =
  'Sums over completed runs; for contexts, the largest. Policies that completed different sessions cannot be compared.';

/** A report to be read, commented on and kept. */
export const markdown: Format = {
  extension: '.md',
  describes: 'A report to read: runs, totals per policy, unreadable inputs, provenance.',
  render: (report) => joinMarkdown(toSectionsOfMarkdown(report)),
};

/** The formats of a report by name, the default first. */
export const formats = { table, json, csv, markdown, html } satisfies Record<string, Format>;

/** The saw-tooth of each run. */
function toCharts(
  runs: readonly RunRecord[],
  eventsOf: RenderOptions['eventsOf'],
  { paint, ...terminal }: Terminal & { readonly paint: Colors },
): readonly string[] {
  return runs.flatMap((run) => {
    const events = eventsOf?.(run);
    if (events === undefined) return [];
    const title = shownText(`${run.session}, ${run.policy}, ${run.state}`);
    const chart = renderSawtooth(events, terminal).trimEnd();
    return [`${paint.bold(fitProse(title, terminal))}\n${chart}`];
  });
}

/** The table, and what it has no room for. */
function renderRuns(
  runs: readonly RunRecord[],
  paint: Colors,
  terminal: Terminal,
): readonly string[] {
  if (runs.length === 0) return ['No session was run.'];
  const fitted = fitColumns({ columns: COLUMNS, rows: toRows(runs, paint, terminal) }, terminal);
  const { columns, rows } = fitted.table;
  const heads = columns.map((column) => ({ ...column, title: paint.bold(column.title) }));
  const lines = alignTable({ columns: heads, rows }, terminal).split('\n');
  const note = describeLeftOut(fitted.leftOut, terminal, 'markdown');
  return [withRules(lines, [1, 1 + runs.length]), note];
}

function toRows(
  runs: readonly RunRecord[],
  paint: Colors,
  { terminalColumns = Infinity }: Terminal,
): readonly (readonly string[])[] {
  const width = Math.max(LEAST_SESSION_WIDTH, Math.floor(terminalColumns * SESSION_SHARE));
  const names = namePaths(
    runs.map(({ session }) => session),
    Math.min(SESSION_WIDTH, width),
  );
  const total = width < TOTAL.length ? SHORT_TOTAL : TOTAL;
  return [
    ...runs.map((run) => [names.get(run.session) ?? '', ...runRow(run, paint)]),
    ...totalPolicies(runs).map((sums) =>
      [total, ...totalRow(sums)].map((cell) => paint.bold(cell)),
    ),
  ];
}

function runRow(run: RunRecord, paint: Colors): string[] {
  return [
    shownText(run.policy),
    ...numberColumns.map((column) => column.of(run.metrics)),
    paintState(run.state, paint),
  ];
}

function paintState(state: RunState, paint: Colors): string {
  if (state === 'completed') return paint.green(state);
  return state === 'failed' ? paint.red(state) : paint.yellow(state);
}

function totalRow({ policy, runs, completedRuns, metrics }: PolicyTotal): readonly string[] {
  const numbers = numberColumns.map((column) => column.of(metrics));
  return [shownText(policy), ...numbers, `${completedRuns} of ${runs}`];
}

/** Lines with a rule before some of them, by their places. */
function withRules(lines: readonly string[], before: readonly number[]): string {
  const rule = '─'.repeat(lines.reduce((width, line) => Math.max(width, widthOf(line)), 0));
  return lines
    .flatMap((line, place) => (before.includes(place) ? [rule, line] : [line]))
    .join('\n');
}

function toSections(report: Report, paint: Colors, terminal: Terminal): readonly string[] {
  const lists = [
    renderIncomplete(report.runs),
    describeFailures(report.runs, shownText).join('\n'),
    listSection('Unread:', report.unread.map(describeUnread)),
  ];
  const provenance = describeProvenance(report.provenance);
  return [
    ...lists.map((list) => fitProse(list, terminal)),
    describeWhatWasLost(report, terminal),
    paint.dim(wrapProse(provenance, terminal.terminalColumns)),
  ];
}

/** Why runs did not complete, once where it holds of several policies: a copy is one under each. */
function renderIncomplete(runs: readonly RunRecord[]): string {
  const byReason = groupBy(
    runs.filter(({ state }) => state !== 'completed'),
    ({ session, state, reason }) => JSON.stringify([session, state, reason]),
  );
  return listSection('Not completed:', [...byReason.values()].flatMap(describeIncomplete));
}

function describeIncomplete(alike: readonly RunRecord[]): readonly string[] {
  const policies = alike.map(({ policy }) => policy).join(', ');
  return alike.slice(0, 1).map(({ session, state, reason }) => {
    return `${session} with ${policies}: ${state}${reason === undefined ? '' : `, ${reason}`}`;
  });
}

function describeProvenance(provenance: Provenance): string {
  const facts = provenanceFacts(provenance).map(({ label, value }) => `${label}: ${value}.`);
  return shownText([...facts, describeEvidence(provenance)].join(' '));
}

function describeWhatWasLost({ runs }: Report, { terminalColumns }: Terminal): string {
  const totals = totalPolicies(runs);
  const sentences = [...describeMisses(totals), ...describeLost(totals)];
  return wrapProse(sentences.join('\n'), terminalColumns);
}

/** Keys in the order in which they are published. */
function toDocument({ schemaVersion, provenance, runs, unread }: Report): Report {
  return {
    schemaVersion,
    provenance,
    runs: runs.map(toRun),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
}

function toRun(run: RunRecord): RunRecord {
  const { session, family, policy, model, summarizer, seed, mode } = run;
  const { state, reason, metrics, paybacks, summaryFailures } = run;
  return {
    session,
    ...(family !== undefined && { family }),
    policy,
    model,
    summarizer,
    seed,
    ...(mode && { mode }),
    state,
    ...(reason !== undefined && { reason }),
    metrics,
    ...(paybacks && { paybacks }),
    ...(summaryFailures && { summaryFailures }),
  };
}

function toRowsOfCsv({ runs, unread }: Report): readonly (readonly Cell[])[] {
  return [...runs.map(toRunRow), ...unread.map(toUnreadRow)];
}

function toRunRow(run: RunRecord): readonly Cell[] {
  const key = KEY_COLUMNS.map((column) => cellOf(run, column));
  return [...key, ...METRIC_NAMES.map((column) => run.metrics[column])];
}

function cellOf(run: RunRecord, column: KeyColumn): Cell {
  return column === 'mode' ? modeOf(run) : (run[column] ?? null);
}

function toUnreadRow({ file, reason }: UnreadInput): readonly Cell[] {
  const key: Partial<Record<KeyColumn, string>> = { session: file, state: 'unread', reason };
  return [...KEY_COLUMNS.map((column) => key[column] ?? null), ...METRIC_NAMES.map(() => null)];
}

function toSectionsOfMarkdown({
  runs,
  unread,
  provenance,
}: Report): readonly (readonly string[])[] {
  const inputs = unread.map((input) => codeSpan(describeUnread(input)));
  return [
    ['# Compaction report'],
    ['## Runs'],
    renderRunsOfMarkdown(runs),
    ...renderTotals(totalPolicies(runs)),
    describeFailures(runs, codeSpan).map(toItem),
    markdownList('Unread', inputs, '##'),
    markdownList('Provenance', provenanceFacts(provenance).map(describeFact), '##'),
    [describeEvidence(provenance, codeSpan)],
  ];
}

function renderRunsOfMarkdown(runs: readonly RunRecord[]): readonly string[] {
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

function toTotalRow(name: MetricName, totals: readonly PolicyTotal[]): readonly string[] {
  const { unit }: Metric = metrics[name];
  return [titleOf(name), ...totals.map((total) => formatValue(total.metrics[name], unit))];
}

function toItem(sentence: string): string {
  return `- ${sentence}`;
}

function describeFact({ label, value }: Fact): string {
  return `${label}: ${codeSpan(value)}`;
}
