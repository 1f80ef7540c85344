import * as z from 'zod';
import type { Limits, Policy } from '../../engine/index.ts';
import type { RunMode } from '../events.ts';
import { groupBy, sum } from '../lib/collections.ts';
import { listed } from '../lib/text.ts';
import { metrics, titleOf } from '../metrics/metrics.ts';
import type { RunRecord } from '../metrics/record.ts';
import { ADAPTER_NAME } from '../replay/foreign/compactor.ts';
import { RECORDED } from '../replay/recorded.ts';
import type { SettingValues } from '../scenario/settings.ts';
import { armBlocks, sessionBlocks } from './arm-table.ts';
import { type Arm, type ArmRun, armRunOf } from './arms.ts';
import {
  ALL_DETAILS,
  asDetails,
  type Block,
  linesOf,
  listOf,
  prose,
  renderMarkdown,
  renderTerminal,
  untrusted,
} from './document.ts';
import { renderHtml, renderSvg } from './html/render-html.ts';
import { sessionSections } from './html/timelines.ts';
import type { Terminal } from './layout.ts';
import { shownLines } from './markup.ts';
import { countOf, formatCount, formatValue } from './numbers.ts';
import {
  commonSettings,
  countedBy,
  describeBaselines,
  describeRecordedModels,
  describeUnread,
  OF_UNMEASURED,
  pairsOf,
} from './origin.ts';
import { describeMode, type RenderOptions } from './report.ts';
import { columnsOf, csvLines, RUN_KEYS } from './row-table.ts';
import {
  CatalogShape,
  type Checked,
  completeMetrics,
  RecordedShape,
  RecordShape,
  SettingShape,
  SettingsShape,
  StoriesShape,
  TokenizersShape,
  UnreadShape,
  number,
  flag,
  strings,
  string,
} from './saved/shapes.ts';
import { nameSessions } from './session-names.ts';
import { verdictBlock } from './verdict-lines.ts';
import { conclude, type Conclusion } from './verdict.ts';

const Knob = z.object({
  key: string,
  values: z.array(SettingShape),
  /** `none` where a run might read it, `unread` where none can, `unknown` where no two runs could be compared. */
  effect: z.enum(['some', 'none', 'unread', 'unknown']),
});

const Cell = z.object({
  id: string,
  settings: SettingsShape,
  policy: string,
  model: string,
  summarizer: string,
  /** All others are held against it. */
  isToday: flag,
  values: z.array(SettingShape),
  runs: number,
  completedRuns: number,
  /** Those that broke, or broke a law. */
  failedRuns: number,
  endedEarly: z.record(string, number).optional(),
  metrics: RecordShape.shape.metrics.transform(completeMetrics),
  /** Index of the first cell with the same events in all runs. */
  sameAs: number.exactOptional(),
});

export const SweepSchema = z.object({
  schemaVersion: z.int(),
  provenance: z.object({
    version: string,
    sweep: string,
    /** `WHOLE` where it is in one piece. */
    shard: string,
    sessions: number,
    skippedSessions: number,
    sharingSessions: number.default(0),
    recorded: RecordedShape.optional(),
    seeds: z.array(number),
    catalog: CatalogShape,
    tokenizers: TokenizersShape,
  }),
  deadKnobs: strings,
  knobs: z.array(Knob),
  cells: z.array(Cell),
  /** Sessions with each baseline of savings; absent of sweeps that do not tell. */
  baselines: z.object({ recorded: number, none: number, unknown: number }).optional(),
  failures: z
    .array(z.object({ reason: string, times: number, session: string, cell: string }))
    .optional(),
  unread: UnreadShape,
  /** Of the sessions that are run; absent of sweeps that do not tell. */
  stories: StoriesShape.optional(),
  sessions: z.array(RecordShape.extend({ cell: string, settings: SettingsShape })),
});

type Saved = Checked<typeof SweepSchema>;

export interface SweepReport extends Omit<Saved, 'provenance' | 'sessions'> {
  readonly provenance: SweepProvenance;
  /** Each cell against the baseline; absent of sweeps that do not tell. */
  readonly conclusion?: Conclusion | undefined;
  readonly arms?: readonly Arm[] | undefined;
}

export type KnobEffect = Saved['knobs'][number]['effect'];

export type SweepCell = Saved['cells'][number];

/** The basis of a sweep's numbers, with what formats read besides. */
type SweepProvenance = Saved['provenance'] & {
  readonly mode: RunMode;
  /** By id of the cell, as resolved: everything looked up and applied. */
  readonly cells: Readonly<Record<string, { readonly policy: Policy; readonly limits: Limits }>>;
};

export interface SweepRow extends RunRecord {
  readonly cell: string;
  readonly settings: SettingValues;
}

/** A format of a sweep's report, in pieces: its rows may be more than memory holds. */
export type SweepFormat = (
  report: SweepReport,
  rows: Iterable<SweepRow>,
  options: RenderOptions,
) => Iterable<string>;

/** The shard of a sweep in one piece. */
export const WHOLE = '1/1';

const MOST_REASONS = 5;

const WHY: Readonly<Partial<Record<KnobEffect, string>>> = {
  unread:
    'gave the same runs: under these policies and models nothing reads it, so its cells were run once and setting it tunes nothing.',
  none: 'gave the same events in every run: it could matter, but never did in these sessions.',
};

const MODES: Readonly<Record<RunMode, string>> = {
  'open-loop': 'Open loop: every recorded step is replayed, whatever is lost.',
  'closed-loop': describeMode('closed-loop'),
};

const INDENT = 2;
const HEAT_METRICS = ['costUsd', 'misses'] as const;

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
  svg: (report) => [renderSvg(toDocument(report, ALL_DETAILS))],
} satisfies Record<string, SweepFormat>;

/** A row as a verdict needs it; trials of a session belong together, whatever the model. */
export function armRunOfRow(row: Omit<SweepRow, 'cell' | 'settings'>): ArmRun {
  return armRunOf(JSON.stringify([row.session, row.seed]), row);
}

/** Cells as arms against each other, given their runs by their ids. */
export function concludeCells(
  { cells, knobs }: Pick<SweepReport, 'cells' | 'knobs'>,
  runs: ReadonlyMap<string, readonly ArmRun[]>,
): Pick<SweepReport, 'arms' | 'conclusion'> {
  const arms = cells.map((cell) => {
    const settings = knobs.map(({ key }, place) => `${key}=${cell.values[place] ?? ''}`);
    const name = isOnGrid(cell) && knobs.length > 0 ? settings.join(' ') : cell.policy;
    return { name, runs: runs.get(cell.id) ?? [] };
  });
  const baseline = cells.find(({ isToday }) => isToday)?.policy;
  const simulated = arms.filter(({ name }) => name !== RECORDED);
  const conclusion = conclude(baseline === undefined ? arms : simulated, { baseline });
  return { arms, conclusion };
}

export function countRows({ cells, provenance }: Pick<SweepReport, 'cells' | 'provenance'>) {
  const present = sum(cells.map(({ runs }) => runs));
  const total = provenance.sessions * cells.length * provenance.seeds.length;
  return { present, missing: Math.max(0, total - present) };
}

function describeDeadKnobs({ knobs }: SweepReport) {
  return knobs.flatMap(({ key, values, effect }) => {
    const why = WHY[effect];
    const shown = listed(values.map(String), 'and');
    return why === undefined ? [] : [`${key} is a dead knob: ${shown} ${why}`];
  });
}

function describeRuns(report: SweepReport) {
  const { cells, provenance } = report;
  const { sessions, skippedSessions, sharingSessions, seeds } = provenance;
  const are = skippedSessions === 1 ? 'a copy, which is' : 'copies, which are';
  const copies = skippedSessions === 0 ? '' : `, ${skippedSessions} of them ${are} not run`;
  const begin = sharingSessions === 1 ? 'it begins' : 'they begin';
  const forks =
    sharingSessions === 0
      ? ''
      : `, ${sharingSessions} of them not independent: ${begin} with messages of another session`;
  const trials = seeds.length === 1 ? '' : `, ${seeds.length} trials`;
  const counts = `${countOf(sessions, 'session')}${copies}${forks}, ${countOf(cells.length, 'cell')}${trials}`;
  const { present, missing } = countRows(report);
  const lack = `Not finished: ${formatCount(present)} of ${countOf(present + missing, 'row')}. `;
  return `${counts}. ${missing === 0 ? '' : lack}${describeEnds(cells)}`.trimEnd();
}

/** Why runs failed: the most frequent reasons, each with where it came first. */
function describeFailed({ cells, failures = [] }: SweepReport) {
  const told = failures.slice(0, MOST_REASONS).map(({ reason, times, session, cell }) => {
    const own = cells.find(({ id }) => id === cell);
    const where = own === undefined ? session : `${session} at ${nameCell(own).join(', ')}`;
    return `${formatCount(times)} × ${reason}${times === 1 ? ` (${where})` : ` (first ${where})`}`;
  });
  const others = failures.length - told.length;
  return others > 0 ? [...told, `and ${countOf(others, 'other reason')}, see JSON`] : told;
}

function describeSweepSavings({ baselines, cells }: SweepReport) {
  if (baselines === undefined) return [];
  const recorded = cells.find(({ policy }) => policy === RECORDED);
  return describeBaselines(baselines, recorded?.metrics.unrecordedRequests ?? 0);
}

function describeCommon({ cells: all, knobs }: SweepReport) {
  const cells = all.filter(isOnGrid);
  if (cells.length === 0) return '';
  const alike = (['policy', 'model', 'summarizer'] as const).flatMap((what) => {
    const [name, ...others] = new Set(cells.map((cell) => cell[what]));
    return others.length === 0 ? [`${what} ${name}`] : [];
  });
  const varied = new Set(knobs.map(({ key }) => key));
  const common = Object.entries(commonSettings(cells.map(({ settings }) => settings)));
  const set = pairsOf(Object.fromEntries(common.filter(([key]) => !varied.has(key))));
  return `In all cells: ${[...alike, ...set].join(', ')}.`;
}

function describeProvenance(provenance: SweepProvenance) {
  const { version, sweep, shard, mode, seeds, catalog, tokenizers, recorded } = provenance;
  const counted = countedBy(tokenizers);
  const part = shard === WHOLE ? '' : ` Shard ${shard} only.`;
  return [
    `Sweep ${sweep}, version ${version}, seeds ${seeds.join(', ')}, catalog ${catalog.source} ${catalog.hash}; tokens of ${counted.join(', ')}.`,
    OF_UNMEASURED,
    ...describeRecordedModels(recorded, { against: Object.keys(tokenizers) }),
    `${MODES[mode]}${part}`,
  ].join(' ');
}

/** A cell by what was varied; by its policy where nothing was. */
function nameCell({ values, policy }: SweepCell) {
  return values.length === 0 ? [policy] : values.map(String);
}

/** Varied settings do not change recordings, adapters and today's. */
function isOnGrid({ policy, isToday }: Pick<SweepCell, 'policy' | 'isToday'>) {
  return policy !== RECORDED && policy !== ADAPTER_NAME && !isToday;
}

function describeEnds(cells: readonly SweepCell[]) {
  const ended = cells.flatMap(({ endedEarly = {} }) =>
    Object.entries(endedEarly).filter(([state]) => state !== 'skipped'),
  );
  const byState = [...groupBy(ended, ([state]) => state)]
    .map(([reason, own]) => ({ reason, times: sum(own.map(([, times]) => times)) }))
    .toSorted((a, b) => b.times - a.times);
  if (byState.length === 0) return '';
  const states = byState.map(({ reason, times }) => `${formatCount(times)} ${reason}`);
  const made = sum(cells.map(({ runs, endedEarly }) => runs - (endedEarly?.['skipped'] ?? 0)));
  return `Not all of ${countOf(made, 'run')} completed: ${states.join(', ')}. `;
}

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
    linesOf([runs], { only: 'markdown' }),
    ...(conclusion ? armBlocks(arms, conclusion, { titles: titles.map(untrusted), names }) : []),
    ...heatBlocks(report),
    linesOf(failed === undefined ? [] : [failed], { color: 'red' }),
    prose([[runs, ...lack]], { isBasis: true, color: 'dim', only: 'terminal' }),
    ...asDetails([
      ...(conclusion ? sessionBlocks(arms, { stories, ...shown }) : []),
      prose(describeSweepSavings(report)),
      listOf('Dead knobs', describeDeadKnobs(report), { level: 2 }),
      linesOf(failures, { color: 'red' }),
      listOf('Unread', files, { level: 2 }),
      listOf('Provenance', about, { level: 2 }),
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
  const titled = nameSessions(drawn, stories);
  const cellNames = new Map(cells.map((cell) => [cell.id, nameCell(cell).join(' · ')]));
  const nameOf = (row: RunRecord) =>
    ('cell' in row && cellNames.get(String(row.cell))) || row.policy;
  return [
    ...toDocument(report, ALL_DETAILS),
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
