import { asDetails, type Block, renderMarkdown, renderTerminal, untrusted } from './document.ts';
import { renderSvg } from './html/draw-chart.ts';
import { renderHtml } from './html/render-html.ts';
import { sessionSections } from './html/timelines.ts';
import { armBlocks, sessionBlocks } from './arm-table.ts';
import { metrics, titleOf } from '../metrics/metrics.ts';
import type { RunRecord } from '../metrics/record.ts';
import { countOf, formatValue } from './numbers.ts';
import { describeUnread } from './run-notes.ts';
import { shownLines } from './markup.ts';
import type { RenderOptions, Terminal } from './report.ts';
import { nameSessions } from './session-names.ts';
import { columnsOf, csvLines, RUN_KEYS } from './row-table.ts';
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

/** The cells for a terminal. */
export const table: SweepFormat = {
  extension: '.txt',
  describes: 'The key numbers of each cell, for a terminal.',
  *render(report, _rows, terminal) {
    yield renderTerminal(sweepDocument(report, terminal), terminal);
  },
};

const INDENT = 2;
/** Numbers of cells that a page shows over two settings. */
const HEAT_METRICS = ['costUsd', 'misses'] as const;
/** A page shows all that there is. */
const WHOLE: Terminal = { colors: false, details: true };

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

/** One row a session and cell, for spreadsheets and data frames. */
const csv: SweepFormat = {
  extension: '.csv',
  describes: 'One row for each session in each cell, settings and metrics as columns.',
  *render({ cells, stories = [], unread, provenance: { version } }, rows) {
    const settings = cells.map((cell) => cell.settings);
    const columns = columnsOf(['session', 'cell', ...RUN_KEYS], settings, { stories, version });
    yield* csvLines(columns, rows, { unread, version });
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
    yield renderHtml(pageDocument(report, rows, options));
  },
};

/** Cost against losses of the cells as a picture. */
const svg: SweepFormat = {
  extension: '.svg',
  describes: 'The first chart of the page as a picture: cost against losses of each cell.',
  *render(report) {
    yield renderSvg(sweepDocument(report, WHOLE));
  },
};

/** Formats of a sweep's report, the one for a terminal first. */
export const sweepFormats = { table, json, csv, markdown, html, svg } satisfies Record<
  string,
  SweepFormat
>;

/** A terminal shows how the numbers came about below them, Markdown above. */
function sweepDocument(
  report: SweepReport,
  shown: Pick<Terminal, 'top' | 'details'>,
): readonly Block[] {
  const { conclusion, arms = [], stories, unread } = report;
  const runs: Block = { type: 'lines', lines: [describeRuns(report)] };
  const about = [describeCommon(report), describeProvenance(report.provenance)].map(untrusted);
  const [failed, ...failures] = describeFailed(report).map((why) => untrusted(`Failed: ${why}`));
  const files = unread.map(describeUnread).map(untrusted);
  const lack = files.length === 0 ? [] : [` ${countOf(files.length, 'file')} unread.`];
  const sessions = conclusion === undefined ? [] : sessionBlocks(arms, { stories, ...shown });
  return [
    { type: 'heading', level: 1, text: 'Sweep' },
    ...(conclusion === undefined ? [] : [verdictBlock(conclusion)]),
    { ...runs, only: 'markdown' },
    ...cellBlocks(report),
    ...heatBlocks(report),
    { type: 'lines', lines: failed === undefined ? [] : [failed], color: 'red' },
    {
      type: 'lines',
      lines: [[describeRuns(report), ...lack]],
      isWrapped: true,
      isBasis: true,
      color: 'dim',
      only: 'terminal',
    },
    ...asDetails([
      ...sessions,
      { type: 'lines', lines: describeSweepSavings(report), isWrapped: true },
      { type: 'list', level: 2, title: 'Dead knobs', items: describeDeadKnobs(report) },
      { type: 'lines', lines: failures, color: 'red' },
      { type: 'list', level: 2, title: 'Unread', items: files },
      { type: 'list', level: 2, title: 'Provenance', items: about },
    ]),
  ];
}

/** The same for a page: how the varied settings act together, and a section for each session that is drawn. */
function pageDocument(
  report: SweepReport,
  rows: Iterable<SweepRow>,
  { eventsOf, viewOf }: RenderOptions,
): readonly Block[] {
  const { arms = [], cells, stories } = report;
  const drawn = [...rows].filter((row) => eventsOf?.(row) !== undefined);
  const names = nameSessions(
    drawn.map(({ session }) => session),
    stories,
  );
  const cellNames = new Map(cells.map((cell) => [cell.id, nameCell(cell).join(' · ')]));
  const nameOf = (row: RunRecord) =>
    ('cell' in row && cellNames.get(String(row.cell))) || row.policy;
  return [
    ...sweepDocument(report, WHOLE),
    ...sessionSections(drawn, arms, { names, nameOf, noTimeline: '', eventsOf, viewOf }),
  ];
}

/** Tables over the first two settings that were varied, where others have their first value. */
function heatBlocks({ knobs, cells }: SweepReport): readonly Block[] {
  const [row, column, ...others] = knobs;
  if (row === undefined || column === undefined) return [];
  const rest = others.map(({ values }) => values[0]);
  const cellAt = (...wanted: readonly unknown[]) =>
    cells.find(({ values }) => wanted.every((value, place) => values[place] === value));
  const where = others.map(({ key, values }) => ` where ${key} is ${values[0]}`).join(',');
  return HEAT_METRICS.map((name): Block => {
    const { unit } = metrics[name];
    const grid = row.values.map((a) =>
      column.values.map((b) => cellAt(a, b, ...rest)?.metrics[name] ?? null),
    );
    const known = grid.flat().filter((value) => value !== null);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const shadeOf = (value: number | null) =>
      value === null || high === low ? null : (value - low) / (high - low);
    return {
      type: 'table',
      only: 'page',
      lead: untrusted(`${titleOf(name)} by ${row.key} (down) and ${column.key} (across)${where}`),
      columns: [
        { title: untrusted(row.key) },
        ...column.values.map((value) => ({ title: untrusted(String(value)) })),
      ],
      rows: grid.map((values, place) => [
        untrusted(String(row.values[place])),
        ...values.map((value) => formatValue(value, unit)),
      ]),
      shades: grid.map((values) => values.map(shadeOf)),
    };
  });
}

function cellBlocks(report: SweepReport): readonly Block[] {
  const { cells, arms = [], conclusion } = report;
  if (conclusion === undefined) return [];
  return armBlocks(arms, conclusion, {
    titles: nameTitles(report).map(untrusted),
    names: cells.map((cell) => nameCell(cell).map(untrusted)),
  });
}

function* renderRows(rows: Iterable<SweepRow>): Generator<string, void, void> {
  let separator = '\n    ';
  for (const row of rows) {
    yield shownLines(`${separator}${JSON.stringify(row)}`);
    separator = ',\n    ';
  }
}
