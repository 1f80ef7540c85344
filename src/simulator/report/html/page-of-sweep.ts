import type { RunMode } from '../../events.ts';
import { groupBy } from '../../lib/collections.ts';
import type { SettingValue } from '../../scenario/settings.ts';
import { verdictNotes } from '../verdict-lines.ts';
import { countOf } from '../numbers.ts';
import {
  armRunOfRow,
  armsOfCells,
  describeCommon,
  describeDeadKnobs,
  describeProvenance,
  describeRuns,
  describeSweepSavings,
  nameCell,
  nameTitles,
  setInAll,
  type SweepCell,
  type SweepReport,
  type SweepRow,
} from '../sweep-report.ts';
import { type ArmRun, armRunOf } from '../arms.ts';
import { conclude } from '../verdict.ts';
import { toPageArms } from './page-arms.ts';
import { type PageData, type PageGrid, rulesOf } from './page-data.ts';
import { findDistances } from './page-of-comparison.ts';
import { detailOf, PAGE_METRICS, type Pictures, toPageRun, toValues } from './page-of-runs.ts';
import { findPeers, namesOf } from './page-parts.ts';

/** Most rows of a sweep that a page lists; beyond it shows cells only. */
const MOST_ROWS = 3_000;
/** Rows of a sweep are numbers. */
const NO_TIMELINE =
  'No timeline: a sweep keeps numbers, not events. `compaction-bench report FOLDER --timeline SESSION --out FILE.html` runs this session again and draws it.';
/** Most cells that are held against the bound with intervals. */
const MOST_COMPARED = 24;

/** Converts a sweep to a page. */
export function toPageOfSweep(
  report: SweepReport,
  rows: Iterable<SweepRow>,
  pictures: Pictures,
): PageData {
  const { provenance, cells, unread } = report;
  const some = takeAtMost(rows, MOST_ROWS);
  const sessions = [...new Set((some ?? []).map(({ session }) => session))];
  const sessionOf = new Map(sessions.map((session, index) => [session, index]));
  const cellOf = new Map(cells.map(({ id }, index) => [id, index]));
  const grid = toGrid(report);
  const arms = armsOfCells(report, armRunsOf(report, some));
  const { conclusion = conclude(arms) } = report;
  const runs = (some ?? []).map((row) =>
    toPageRun(
      row,
      { s: sessionOf.get(row.session) ?? 0, g: cellOf.get(row.cell) ?? 0 },
      detailOf(row, pictures),
    ),
  );
  return {
    title: `Sweep of ${countOf(provenance.sessions, 'session')} over ${countOf(cells.length, 'cell')}`,
    groupTitles: nameTitles(report),
    arms: toPageArms(arms, conclusion),
    groups: cells.map((cell) => toGroup(cell, provenance)),
    metrics: PAGE_METRICS,
    sessions,
    sessionNames: namesOf(sessions, report.stories),
    peers: findPeers(cells, runs),
    runs,
    ...compareCells(report, some ?? []),
    ...(grid && { grid }),
    verdict: report.conclusion === undefined ? [] : verdictNotes(conclusion),
    notes: [
      describeRuns(report),
      ...describeSweepSavings(report),
      ...describeDeadKnobs(report),
      ...notesOf(report, some),
    ],
    facts: factsOf(report),
    evidence: `${describeCommon(report)} ${describeProvenance(provenance)}`,
    noTimeline: NO_TIMELINE,
    unread,
  };
}

function toGroup(
  cell: SweepCell,
  { cells: policies }: SweepReport['provenance'],
): PageData['groups'][number] {
  return {
    names: nameCell(cell),
    runs: cell.runs,
    completedRuns: cell.completedRuns,
    values: toValues(cell.metrics),
    rules: rulesOf(policies[cell.id]?.policy ?? {}),
  };
}

/** The runs of each cell by its id; where they are too many to be listed, its sums stand for them. */
function armRunsOf(
  { cells, provenance: { mode } }: SweepReport,
  rows: readonly SweepRow[] | undefined,
): ReadonlyMap<string, readonly ArmRun[]> {
  if (rows === undefined) return new Map(cells.map((cell) => [cell.id, sumsOf(cell, mode)]));
  return new Map(
    [...groupBy(rows, ({ cell }) => cell)].map(([id, own]) => [id, own.map(armRunOfRow)]),
  );
}

function sumsOf(
  { id: session, metrics, endedEarly = {} }: SweepCell,
  mode: RunMode,
): readonly ArmRun[] {
  const early = Object.entries(endedEarly).flatMap(([state, runs]) =>
    Array.from({ length: runs }, () => ({ state: state as ArmRun['state'], metrics: {} })),
  );
  const sums = { state: 'completed' as const, metrics };
  return [sums, ...early].map((run, place) => ({
    ...armRunOf(`${session} ${place}`, { ...run, session, mode, state: 'completed' }),
    state: run.state,
  }));
}

function factsOf({ provenance, cells, knobs }: SweepReport): PageData['facts'] {
  const { version, seeds, catalog } = provenance;
  const each = (of: (cell: SweepCell) => string) => [...new Set(cells.map(of))].join(', ');
  const set = setInAll({ cells, knobs }).join(', ');
  return [
    { label: 'Made by', value: `compaction-bench ${version}` },
    { label: 'Models', value: each(({ model }) => model) },
    { label: 'Summarizers', value: each(({ summarizer }) => summarizer) },
    ...(set === '' ? [] : [{ label: 'Set', value: set }]),
    { label: 'Policies', value: each(({ policy }) => policy) },
    { label: 'Seeds', value: seeds.join(', ') },
    { label: 'Catalog', value: `${catalog.source} ${catalog.hash}` },
  ];
}

/** How far each cell is from the bound; of many cells nobody could read that. */
function compareCells({ cells }: SweepReport, rows: readonly SweepRow[]) {
  if (cells.length > MOST_COMPARED) return {};
  const byCell = cells.map(({ id }) => rows.filter(({ cell }) => cell === id));
  return { bounds: findDistances(byCell) };
}

function notesOf({ cells }: SweepReport, rows: readonly SweepRow[] | undefined): readonly string[] {
  const unlisted = `More than ${MOST_ROWS} runs are not listed one by one.`;
  const uncompared = `More than ${MOST_COMPARED} cells are not compared with intervals.`;
  return [
    ...(rows === undefined ? [unlisted] : []),
    ...(cells.length > MOST_COMPARED ? [uncompared] : []),
  ];
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
    ...(others.length > 0 && {
      rest: `where ${others.map(({ key, values }) => `${key} is ${values[0]}`).join(', ')}`,
    }),
    cells: row.values.map((a) => column.values.map((b) => find(a, b, ...rest))),
  };
}
