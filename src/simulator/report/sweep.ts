import { METRIC_NAMES } from '../metrics/metrics.ts';
import { modeOf } from '../metrics/record.ts';
import type { SettingValue } from '../scenario/settings.ts';
import {
  type Block,
  renderMarkdown,
  renderTerminal,
  type Text,
  textOf,
  untrusted,
} from './document.ts';
import { toPageOfSweep } from './html/page-of-sweep.ts';
import { renderPage } from './html/render-page.ts';
import { armBlocks, sessionBlocks } from './arm-table.ts';
import { describeUnread } from './kept.ts';
import { shownLines, toCsvLine } from './markup.ts';
import type { Terminal, UnreadInput } from './report.ts';
import {
  countRows,
  describeCommon,
  describeDeadKnobs,
  describeFailed,
  describeProvenance,
  describeRuns,
  describeSweepSavings,
  nameCell,
  nameTitles,
  type SweepFormat,
  type SweepReport,
  type SweepRow,
} from './sweep-report.ts';
import { verdictBlock } from './verdict-lines.ts';

type Cell = string | number | null;

/** The cells for a terminal. */
export const table: SweepFormat = {
  extension: '.txt',
  describes: 'The key numbers of each cell, for a terminal.',
  *render(report, _rows, terminal) {
    yield renderTerminal(sweepDocument(report, terminal), terminal);
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
    const { schemaVersion, provenance, deadKnobs, knobs, cells, baselines } = report;
    const { failures, unread, stories, conclusion } = report;
    const { missing } = countRows(report);
    const lack = missing > 0 ? { missingRows: missing } : {};
    const told = { deadKnobs, knobs, cells, baselines, failures, unread, stories };
    const head = { schemaVersion, verdict: conclusion?.verdict, provenance, ...lack, ...told };
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
  'impossible',
  'baseline',
] as const;

/** One row a session and cell, for spreadsheets and data frames. */
const csv: SweepFormat = {
  extension: '.csv',
  describes: 'One row for each session in each cell, settings and metrics as columns.',
  *render(report, rows) {
    const names = settingNames(report);
    const { version } = report.provenance;
    const ids = new Map(report.stories?.map(({ session, sessionId }) => [session, sessionId]));
    const columns = [...KEY_COLUMNS, ...names.map((name) => `set_${name}`), ...METRIC_NAMES];
    yield toCsvLine([...columns, 'sessionId', 'version']);
    for (const row of rows) {
      yield toCsvLine([...toCells(row, names), ids.get(row.session) ?? null, version]);
    }
    for (const unread of report.unread) {
      yield toCsvLine([...toUnreadCells(unread, names), null, version]);
    }
  },
};

/** A report to be read, commented on and kept. */
const markdown: SweepFormat = {
  extension: '.md',
  describes:
    'A report to read: the key numbers of each cell, what was lost, dead knobs, provenance.',
  *render(report, _rows, options) {
    yield renderMarkdown(sweepDocument(report, options));
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

/** A terminal shows how the numbers came about below them, Markdown above. */
function sweepDocument(report: SweepReport, terminal: Pick<Terminal, 'top'>): readonly Block[] {
  const runs: Block = { type: 'lines', lines: [describeRuns(report)] };
  const about = [describeCommon(report), describeProvenance(report.provenance)];
  return [
    { type: 'heading', level: 1, text: 'Sweep' },
    ...(report.conclusion === undefined ? [] : [verdictBlock(report.conclusion)]),
    { ...runs, only: 'markdown' },
    ...armTables(report, terminal),
    { type: 'lines', lines: describeSweepSavings(report), isWrapped: true },
    ...listOf('Dead knobs', describeDeadKnobs(report), { color: 'yellow' }),
    ...listOf('Failed', describeFailed(report).map(untrusted), { color: 'red', start: 'Failed: ' }),
    ...listOf('Unread', report.unread.map(describeUnread).map(untrusted), {
      color: 'red',
      start: 'Unread: ',
    }),
    { ...runs, color: 'dim', only: 'terminal' },
    { type: 'lines', lines: [about.join(' ')], color: 'dim', only: 'terminal' },
    {
      type: 'list',
      title: 'Provenance',
      items: about.map(untrusted),
      level: 2,
      only: 'markdown',
    },
  ];
}

/** The cells and the sessions. */
function armTables(report: SweepReport, { top }: Pick<Terminal, 'top'>): readonly Block[] {
  const { cells, arms = [], conclusion, stories } = report;
  if (conclusion === undefined) return [];
  const names = {
    titles: nameTitles(report).map(untrusted),
    names: cells.map((cell) => nameCell(cell).map(untrusted)),
  };
  return [...armBlocks(arms, conclusion, names), ...sessionBlocks(arms, { stories, top })];
}

/** A list in Markdown, and on a terminal a paragraph for each item. */
function listOf(
  title: string,
  items: readonly Text[],
  { color, start = '' }: { readonly color: 'red' | 'yellow'; readonly start?: string },
): readonly Block[] {
  return [
    ...items.map(
      (item): Block => ({
        type: 'lines',
        lines: [start === '' ? item : `${start}${textOf(item)}`],
        color,
        only: 'terminal',
      }),
    ),
    { type: 'list', title, items, level: 2, only: 'markdown' },
  ];
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
