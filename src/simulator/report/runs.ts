import pico from 'picocolors';
import { groupBy } from '../lib/collections.ts';
import type { Metric } from '../metrics/metric.ts';
import { METRIC_NAMES, type MetricName, metrics, titleOf } from '../metrics/metrics.ts';
import { type CountedState, countsAs, modeOf, type RunRecord } from '../metrics/record.ts';
import { type Block, renderMarkdown, renderTerminal, type Text, untrusted } from './document.ts';
import { html } from './html/page-of-runs.ts';
import {
  describeFailures,
  describeLost,
  describeMisses,
  describeSavings,
  type PolicyTotal,
  totalPolicies,
  unreadList,
  withBestKnown,
} from './kept.ts';
import { codeSpan, jsonText, shownText, toCsvLine } from './markup.ts';
import { formatValue } from './numbers.ts';
import { namePaths } from './origin.ts';
import { fitProse, widthOf } from './prose.ts';
import { describeEvidence, provenanceFacts } from './provenance.ts';
import type { Format, RenderOptions, Report, Terminal, UnreadInput } from './report.ts';
import { renderSawtooth } from './sawtooth.ts';
import {
  alignTable,
  type Column,
  describeLeftOut,
  fitColumns,
  numberColumns,
} from './text-table.ts';
import { concludePolicies } from './verdict.ts';
import { verdictBlock } from './verdict-lines.ts';

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
  render: (report, { hasCharts, eventsOf, ...terminal }) =>
    renderTerminal(
      [...runsDocument(report), ...(hasCharts ? toCharts(report.runs, eventsOf) : [])],
      terminal,
    ),
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
  'impossible',
  'baseline',
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
  render: (report) => renderMarkdown(runsDocument(report)),
};

/** The formats of a report by name, the default first. */
export const formats = { table, json, csv, markdown, html } satisfies Record<string, Format>;

function runsDocument(report: Report): readonly Block[] {
  const { unread, provenance } = report;
  const runs = withBestKnown(report.runs, (run) =>
    run.state === 'completed' ? run.session : undefined,
  );
  const totals = totalPolicies(runs);
  const facts = provenanceFacts(provenance);
  const told = [
    ...facts.map(({ label, value }) => `${label}: ${value}.`),
    describeEvidence(provenance),
  ];
  return [
    { type: 'heading', level: 1, text: 'Compaction report' },
    verdictBlock(concludePolicies(report.runs)),
    { type: 'heading', level: 2, text: 'Runs' },
    ...runsBlocks(runs),
    ...totalsBlocks(totals),
    { type: 'list', title: 'Not completed', items: incompleteLines(runs), only: 'terminal' },
    { type: 'lines', lines: describeFailures(runs), areItems: true },
    { type: 'lines', lines: describeSavings(runs), isWrapped: true },
    { ...unreadList(unread), level: 2 },
    {
      type: 'lines',
      lines: [...describeMisses(totals), ...describeLost(totals)],
      isWrapped: true,
      only: 'terminal',
    },
    {
      type: 'lines',
      lines: [told.join(' ')],
      isWrapped: true,
      color: 'dim',
      only: 'terminal',
    },
    {
      type: 'list',
      title: 'Provenance',
      items: facts.map(({ label, value }) => [`${label}: `, untrusted(value)]),
      level: 2,
      only: 'markdown',
    },
    { type: 'lines', lines: [describeEvidence(provenance, codeSpan)], only: 'markdown' },
  ];
}

/** The runs: on a terminal with totals below them, in Markdown with the reasons of their states. */
function runsBlocks(runs: readonly RunRecord[]): readonly Block[] {
  if (runs.length === 0) return [{ type: 'lines', lines: ['No session was run.'] }];
  return [
    { type: 'chart', draw: (terminal) => drawRuns(runs, terminal) },
    { type: 'table', columns: COLUMNS, rows: runs.map(toRow), only: 'markdown' },
  ];
}

function toRow(run: RunRecord): readonly Text[] {
  const numbers = numberColumns.map((column) => column.of(run.metrics));
  const why = run.impossible ?? run.reason;
  const reason = why === undefined ? [] : [': ', untrusted(why)];
  return [untrusted(run.session), untrusted(run.policy), ...numbers, [countsAs(run), ...reason]];
}

/** Every metric of each policy, for Markdown; the terminal has the key numbers below the runs. */
function totalsBlocks(totals: readonly PolicyTotal[]): readonly Block[] {
  if (totals.length === 0) return [];
  const titles = ['Metric', ...totals.map(({ policy }) => untrusted(policy))];
  const completed = totals.map((total) => `${total.completedRuns} of ${total.runs}`);
  return [
    { type: 'heading', level: 2, text: 'Totals' },
    { type: 'lines', lines: [SUMS], only: 'markdown' },
    {
      type: 'table',
      columns: titles.map((title) => ({ title })),
      rows: [
        ['Completed runs', ...completed],
        ...METRIC_NAMES.map((name) => toTotalRow(name, totals)),
      ],
      only: 'markdown',
    },
    { type: 'lines', lines: describeLost(totals), areItems: true, only: 'markdown' },
  ];
}

function toTotalRow(name: MetricName, totals: readonly PolicyTotal[]): readonly string[] {
  const { unit }: Metric = metrics[name];
  return [titleOf(name), ...totals.map((total) => formatValue(total.metrics[name], unit))];
}

/** The saw-tooth of each run. */
function toCharts(
  runs: readonly RunRecord[],
  eventsOf: RenderOptions['eventsOf'],
): readonly Block[] {
  return runs.flatMap((run) => {
    const events = eventsOf?.(run);
    if (events === undefined) return [];
    const title = shownText(`${run.session}, ${run.policy}, ${countsAs(run)}`);
    const draw = (terminal: Terminal) => {
      const { bold } = pico.createColors(terminal.colors);
      return `${bold(fitProse(title, terminal))}\n${renderSawtooth(events, terminal).trimEnd()}`;
    };
    return [{ type: 'chart', draw }];
  });
}

/** The table, and the columns that it has no room for. */
function drawRuns(runs: readonly RunRecord[], terminal: Terminal): string {
  const paint = pico.createColors(terminal.colors);
  const fitted = fitColumns({ columns: COLUMNS, rows: toRows(runs, paint, terminal) }, terminal);
  const { columns, rows } = fitted.table;
  const heads = columns.map((column) => ({ ...column, title: paint.bold(column.title) }));
  const lines = alignTable({ columns: heads, rows }, terminal).split('\n');
  const note = describeLeftOut(fitted.leftOut, terminal, 'markdown');
  const table = withRules(lines, [1, 1 + runs.length]);
  return note === '' ? table : `${table}\n\n${note}`;
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
    paintState(countsAs(run), paint),
  ];
}

function paintState(state: CountedState, paint: Colors): string {
  if (state === 'completed') return paint.green(state);
  if (state === 'impossible') return state;
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

/** Why runs did not complete, once where it holds of several policies: a copy is one under each. */
function incompleteLines(runs: readonly RunRecord[]): readonly Text[] {
  const byReason = groupBy(
    runs.filter((run) => countsAs(run) !== 'completed'),
    (run) => JSON.stringify([run.session, countsAs(run), run.impossible ?? run.reason]),
  );
  return [...byReason.values()].flatMap(describeIncomplete);
}

function describeIncomplete(alike: readonly RunRecord[]): readonly Text[] {
  const policies = alike.map(({ policy }) => policy).join(', ');
  return alike.slice(0, 1).map((run) => {
    const reason = run.impossible ?? run.reason;
    const why = reason === undefined ? '' : `, ${reason}`;
    return untrusted(`${run.session} with ${policies}: ${countsAs(run)}${why}`);
  });
}

/** Keys in the order in which they are published. */
function toDocument({ schemaVersion, provenance, runs, unread }: Report) {
  return {
    schemaVersion,
    verdict: concludePolicies(runs).verdict,
    provenance,
    runs: runs.map(toRun),
    unread: unread.map(({ file, reason }) => ({ file, reason })),
  };
}

function toRun(run: RunRecord): RunRecord {
  const { session, family, policy, model, summarizer, seed, mode } = run;
  const { state, reason, impossible, baseline, metrics, paybacks, summaryFailures } = run;
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
    ...(impossible !== undefined && { impossible }),
    ...(baseline !== undefined && { baseline }),
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
