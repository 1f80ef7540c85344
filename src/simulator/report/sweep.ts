import {
  asDetails,
  type Block,
  renderMarkdown,
  renderTerminal,
  untrusted,
  prose,
} from './document.ts';
import { renderHtml, renderSvg } from './html/render-html.ts';
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
  type SweepFormat,
  type SweepReport,
  type SweepRow,
} from './sweep-report.ts';
import { verdictBlock } from './verdict-lines.ts';

const INDENT = 2;
const HEAT_METRICS = ['costUsd', 'misses'] as const;
const WHOLE: Terminal = { colors: false, details: true };

export const sweepFormats = {
  table: (report, _rows, terminal) => [renderTerminal(toDocument(report, terminal), terminal)],
  json: renderJson,
  csv: ({ cells, stories = [], unread, provenance: { version } }, rows) => {
    const settings = cells.map((cell) => cell.settings);
    const columns = columnsOf(['session', 'cell', ...RUN_KEYS], settings, { stories, version });
    return csvLines(columns, rows, { unread, version });
  },
  markdown: (report, _rows, options) => [renderMarkdown(toDocument(report, options))],
  html: (report, rows, options) => [renderHtml(toPage(report, rows, options))],
  svg: (report) => [renderSvg(toDocument(report, WHOLE))],
} satisfies Record<string, SweepFormat>;

function* renderJson(report: SweepReport, rows: Iterable<SweepRow>) {
  const { schemaVersion, provenance, deadKnobs, knobs, cells, baselines } = report;
  const { failures, unread, stories, conclusion } = report;
  const { missing } = countRows(report);
  const lack = missing > 0 ? { missingRows: missing } : {};
  const told = { deadKnobs, knobs, cells, baselines, failures, unread, stories };
  const head = { schemaVersion, verdict: conclusion?.verdict, provenance, ...lack, ...told };
  const text = JSON.stringify(head, null, INDENT);
  yield shownLines(`${text.slice(0, text.lastIndexOf('\n'))},\n  "sessions": [`);
  let separator = '\n    ';
  for (const row of rows) {
    yield shownLines(`${separator}${JSON.stringify(row)}`);
    separator = ',\n    ';
  }
  yield '\n  ]\n}\n';
}

function toDocument(
  report: SweepReport,
  shown: Pick<Terminal, 'top' | 'details'>,
): readonly Block[] {
  const { conclusion, arms = [], cells, knobs, stories, unread } = report;
  const runs = describeRuns(report);
  const titles = knobs.length === 0 ? ['policy'] : knobs.map(({ key }) => key);
  const names = cells.map((cell) => nameCell(cell).map(untrusted));
  const about = [describeCommon(report), describeProvenance(report.provenance)].map(untrusted);
  const [failed, ...failures] = describeFailed(report).map((why) => untrusted(`Failed: ${why}`));
  const files = unread.map(describeUnread).map(untrusted);
  const lack = files.length === 0 ? [] : [` ${countOf(files.length, 'file')} unread.`];
  return [
    { type: 'heading', level: 1, text: 'Sweep' },
    ...(conclusion ? [verdictBlock(conclusion)] : []),
    { type: 'lines', lines: [runs], only: 'markdown' },
    ...(conclusion ? armBlocks(arms, conclusion, { titles: titles.map(untrusted), names }) : []),
    ...heatBlocks(report),
    { type: 'lines', lines: failed === undefined ? [] : [failed], color: 'red' },
    {
      type: 'lines',
      lines: [[runs, ...lack]],
      isWrapped: true,
      isBasis: true,
      color: 'dim',
      only: 'terminal',
    },
    ...asDetails([
      ...(conclusion ? sessionBlocks(arms, { stories, ...shown }) : []),
      prose(describeSweepSavings(report)),
      { type: 'list', level: 2, title: 'Dead knobs', items: describeDeadKnobs(report) },
      { type: 'lines', lines: failures, color: 'red' },
      { type: 'list', level: 2, title: 'Unread', items: files },
      { type: 'list', level: 2, title: 'Provenance', items: about },
    ]),
  ];
}

function toPage(
  report: SweepReport,
  rows: Iterable<SweepRow>,
  { eventsOf, viewOf }: RenderOptions,
): readonly Block[] {
  const { arms = [], cells, stories } = report;
  const drawn = [...rows].filter((row) => eventsOf?.(row) !== undefined);
  const titled = nameSessions(
    drawn.map(({ session }) => session),
    stories,
  );
  const cellNames = new Map(cells.map((cell) => [cell.id, nameCell(cell).join(' · ')]));
  const nameOf = (row: RunRecord) =>
    ('cell' in row && cellNames.get(String(row.cell))) || row.policy;
  return [
    ...toDocument(report, WHOLE),
    ...sessionSections(drawn, arms, { titled, nameOf, noTimeline: '', eventsOf, viewOf }),
  ];
}

function heatBlocks({ knobs, cells }: SweepReport) {
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
