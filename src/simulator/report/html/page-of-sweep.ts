import type { SettingValue } from '../../scenario/setting.ts';
import {
  describeDeadKnobs,
  describeProvenance,
  describeRuns,
  nameCell,
  nameTitles,
} from '../sweep/sentences.ts';
import type { SweepReport, SweepRow } from '../sweep/sweep-report.ts';
import { countOf } from '../numbers.ts';
import type { PageData, PageGrid } from './page-data.ts';
import { PAGE_METRICS, toPageRun, toValues } from './page-of-runs.ts';

/** Most rows of a sweep that a page lists; beyond it shows cells only. */
const MOST_ROWS = 3_000;

/** What a page shows of a sweep. */
export function toPageOfSweep(report: SweepReport, rows: Iterable<SweepRow>): PageData {
  const { provenance, cells, unread } = report;
  const { version, seeds, catalog } = provenance;
  const some = takeAtMost(rows, MOST_ROWS);
  const sessions = [...new Set((some ?? []).map(({ session }) => session))];
  const sessionOf = new Map(sessions.map((session, index) => [session, index]));
  const cellOf = new Map(cells.map(({ id }, index) => [id, index]));
  const grid = toGrid(report);
  return {
    title: `Sweep of ${countOf(provenance.sessions, 'session')} over ${countOf(cells.length, 'cell')}`,
    groupTitles: nameTitles(report),
    groups: cells.map((cell) => ({
      names: nameCell(cell),
      runs: cell.runs,
      completedRuns: cell.completedRuns,
      values: toValues(cell.metrics),
    })),
    metrics: PAGE_METRICS,
    sessions,
    runs: (some ?? []).map((row) =>
      toPageRun(row, { s: sessionOf.get(row.session) ?? 0, g: cellOf.get(row.cell) ?? 0 }),
    ),
    differences: [],
    ...(grid && { grid }),
    notes: [describeRuns(report), ...describeDeadKnobs(report), ...notesOf(some)],
    facts: [
      { label: 'Made by', value: `compaction-bench ${version}` },
      { label: 'Models', value: [...new Set(cells.map(({ model }) => model))].join(', ') },
      {
        label: 'Summarizers',
        value: [...new Set(cells.map((cell) => cell.summarizer))].join(', '),
      },
      { label: 'Seeds', value: seeds.join(', ') },
      { label: 'Catalog', value: `${catalog.source} ${catalog.hash}` },
    ],
    evidence: describeProvenance(provenance),
    unread,
  };
}

function notesOf(rows: readonly SweepRow[] | undefined): readonly string[] {
  return rows === undefined ? [`More than ${MOST_ROWS} runs are not listed one by one.`] : [];
}

/** `undefined` where there are more. */
function takeAtMost(rows: Iterable<SweepRow>, most: number): readonly SweepRow[] | undefined {
  const taken: SweepRow[] = [];
  for (const row of rows) {
    if (taken.length === most) return undefined;
    taken.push(row);
  }
  return taken;
}

/** The first two settings that were varied; others stay at their first value. */
function toGrid({ knobs, cells }: SweepReport): PageGrid | undefined {
  const [row, column, ...others] = knobs;
  if (row === undefined || column === undefined) return undefined;
  const rest = others.map(({ values }) => values[0]);
  const find = (...wanted: readonly (SettingValue | undefined)[]) => {
    const index = cells.findIndex(({ values }) =>
      wanted.every((value, at) => values[at] === value),
    );
    return index < 0 ? null : index;
  };
  return {
    rowKey: row.key,
    columnKey: column.key,
    rows: row.values.map(String),
    columns: column.values.map(String),
    cells: row.values.map((a) => column.values.map((b) => find(a, b, ...rest))),
  };
}
