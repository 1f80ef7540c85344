import pico from 'picocolors';
import { METRIC_NAMES } from '../metrics/metrics.ts';
import { modeOf } from '../metrics/record.ts';
import type { SettingValue } from '../scenario/settings.ts';
import { toPageOfSweep } from './html/page-of-sweep.ts';
import { renderPage } from './html/render-page.ts';
import { describeUnread, lostColumns } from './kept.ts';
import {
  codeSpan,
  joinMarkdown,
  joinSections,
  markdownList,
  markdownTable,
  shownLines,
  shownText,
  toCsvLine,
} from './markup.ts';
import { fitProse } from './prose.ts';
import type { Terminal, UnreadInput } from './report.ts';
import {
  countRows,
  describeCommon,
  describeDeadKnobs,
  describeFailed,
  describeProvenance,
  describeRuns,
  hasReferences,
  nameCell,
  nameTitles,
  type SweepCell,
  type SweepFormat,
  type SweepReport,
  type SweepRow,
} from './sweep-report.ts';
import {
  type Column,
  type NumberColumn,
  numberColumns,
  tableSections,
  type TextTable,
} from './text-table.ts';

type Cell = string | number | null;

/** Told behind the cost, and before all else. */
const RUNS: Column = { title: 'Runs', rank: 1 };

/** The cells for a terminal. */
export const table: SweepFormat = {
  extension: '.txt',
  describes: 'The key numbers of each cell, for a terminal.',
  *render(report, _rows, terminal) {
    const paint = pico.createColors(terminal.colors);
    const prose = (text: string) => fitProse(shownText(text), terminal);
    yield joinSections([
      ...tableSections(toTable(report), terminal, 'markdown'),
      ...lostSections(report, terminal),
      ...describeDeadKnobs(report).map((sentence) => paint.yellow(prose(sentence))),
      ...describeFailed(report).map((reason) => paint.red(prose(`Failed: ${reason}`))),
      ...report.unread.map((unread) => paint.red(prose(`Unread: ${describeUnread(unread)}`))),
      paint.dim(prose(describeRuns(report))),
      paint.dim(prose(`${describeCommon(report)} ${describeProvenance(report.provenance)}`)),
    ]);
  },
};

const INDENT = 2;

/**
 * The whole sweep as one JSON document, for programs: cells, then a row for each session in each of them. One that is
 * not finished has the number of its `missingRows`.
 */
const json: SweepFormat = {
  extension: '.json',
  describes: 'Everything, for programs: provenance, dead knobs, every cell, every row.',
  *render(report, rows) {
    const { schemaVersion, provenance, deadKnobs, knobs, cells, failures, unread } = report;
    const { missing } = countRows(report);
    const lack = missing > 0 ? { missingRows: missing } : {};
    const head = { schemaVersion, provenance, ...lack, deadKnobs, knobs, cells, failures, unread };
    const text = JSON.stringify(head, null, INDENT);
    yield shownLines(`${text.slice(0, text.lastIndexOf('\n'))},\n  "sessions": [`);
    yield* renderRows(rows);
    yield '\n  ]\n}\n';
  },
};

const KEY_COLUMNS = [
  'session',
  'cell',
  'policy',
  'model',
  'summarizer',
  'seed',
  'mode',
  'state',
  'reason',
] as const;

/** One row a session and cell, for spreadsheets and data frames. */
const csv: SweepFormat = {
  extension: '.csv',
  describes: 'One row for each session in each cell, settings and metrics as columns.',
  *render(report, rows) {
    const names = settingNames(report);
    yield toCsvLine([...KEY_COLUMNS, ...names.map((name) => `set_${name}`), ...METRIC_NAMES]);
    for (const row of rows) yield toCsvLine(toCells(row, names));
    for (const unread of report.unread) yield toCsvLine(toUnreadCells(unread, names));
  },
};

/** A report to be read, commented on and kept. */
const markdown: SweepFormat = {
  extension: '.md',
  describes:
    'A report to read: the key numbers of each cell, what was lost, dead knobs, provenance.',
  *render(report) {
    const about = [describeCommon(report), describeProvenance(report.provenance)];
    yield joinMarkdown([
      ['# Sweep'],
      [describeRuns(report)],
      renderCells(report, numberColumns),
      ...renderLost(report),
      markdownList('Dead knobs', describeDeadKnobs(report), '##'),
      markdownList('Failed', describeFailed(report).map(codeSpan), '##'),
      markdownList('Unread', report.unread.map(describeUnread).map(codeSpan), '##'),
      markdownList('Provenance', about.map(codeSpan), '##'),
    ]);
  },
};

/** The report of a sweep as one page for a browser. */
const html: SweepFormat = {
  extension: '.html',
  describes: 'One page for a browser: cells, trade-offs, heat map, every run.',
  *render(report, rows, options) {
    yield renderPage(toPageOfSweep(report, rows, options));
  },
};

/** Formats of a sweep's report, the one for a terminal first. */
export const sweepFormats = { table, json, csv, markdown, html } satisfies Record<
  string,
  SweepFormat
>;

function toTable(report: SweepReport): TextTable {
  const columns = [...nameColumns(report), ...numberColumns, RUNS];
  return { columns, rows: report.cells.map(toRow) };
}

function nameColumns(report: SweepReport): readonly Column[] {
  return nameTitles(report).map((title) => ({ title }));
}

function toRow(cell: SweepCell): readonly string[] {
  const numbers = numberColumns.map((column) => column.of(cell.metrics));
  const names = nameCell(cell).map((name) => shownText(name));
  return [...names, ...numbers, `${cell.completedRuns} of ${cell.runs}`];
}

/** Nothing where no run needed anything again. */
function lostSections(report: SweepReport, terminal: Terminal): readonly string[] {
  if (!hasReferences(report)) return [];
  const columns = [...nameColumns(report), ...lostColumns];
  const rows = report.cells.map((cell) => [
    ...nameCell(cell).map((name) => shownText(name)),
    ...lostColumns.map((column) => column.of(cell.metrics)),
  ]);
  const [text, note] = tableSections({ columns, rows }, terminal, 'markdown');
  return [`What was lost:\n${text}`, note];
}

function renderCells(report: SweepReport, columns: readonly NumberColumn[]): readonly string[] {
  const names = nameTitles(report);
  const titles = [...names.map(codeSpan), 'Runs', ...columns.map(({ title }) => title)];
  const rows = report.cells.map((cell) => [
    ...nameCell(cell).map(codeSpan),
    `${cell.completedRuns} of ${cell.runs}`,
    ...columns.map((column) => column.of(cell.metrics)),
  ]);
  const isNumber = titles.map((_, index) => index >= names.length);
  return markdownTable(titles, rows, isNumber);
}

/** Nothing where no run needed anything again. */
function renderLost(report: SweepReport): readonly (readonly string[])[] {
  return hasReferences(report) ? [['## What was lost'], renderCells(report, lostColumns)] : [];
}

/** All settings that any cell has, in the order of their first. */
function settingNames({ cells }: SweepReport): readonly string[] {
  return [...new Set(cells.flatMap(({ settings }) => Object.keys(settings)))];
}

function toCells(row: SweepRow, names: readonly string[]): readonly Cell[] {
  const settings = new Map<string, SettingValue>(Object.entries(row.settings));
  return [
    ...KEY_COLUMNS.map((column) => (column === 'mode' ? modeOf(row) : (row[column] ?? null))),
    ...names.map((name) => toCell(settings.get(name))),
    ...METRIC_NAMES.map((column) => row.metrics[column] ?? null),
  ];
}

function toCell(value: SettingValue | undefined): Cell {
  if (typeof value === 'number') return value;
  return value === undefined ? null : String(value);
}

/** As wide as any other row, or programs do not take it for one. */
function toUnreadCells({ file, reason }: UnreadInput, names: readonly string[]): readonly Cell[] {
  const key: Readonly<Record<string, string>> = { session: file, state: 'unread', reason };
  return [
    ...KEY_COLUMNS.map((column) => key[column] ?? null),
    ...[...names, ...METRIC_NAMES].map(() => null),
  ];
}

function* renderRows(rows: Iterable<SweepRow>): Generator<string, void, void> {
  let separator = '\n    ';
  for (const row of rows) {
    yield shownLines(`${separator}${JSON.stringify(row)}`);
    separator = ',\n    ';
  }
}
