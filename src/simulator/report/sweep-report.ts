import * as z from 'zod';
import type { Limits, Policy } from '../../engine/index.ts';
import type { RunMode } from '../events.ts';
import { groupBy, sum } from '../lib/collections.ts';
import { listed } from '../lib/text.ts';
import type { RunRecord } from '../metrics/record.ts';
import { ADAPTER_NAME } from '../replay/foreign/compactor.ts';
import { RECORDED } from '../replay/recorded.ts';
import type { SettingValues } from '../scenario/settings.ts';
import { describeBaselines } from './run-notes.ts';
import { countOf, formatCount } from './numbers.ts';
import {
  commonSettings,
  countedBy,
  describeRecordedModels,
  OF_UNMEASURED,
  pairsOf,
} from './origin.ts';
import { describeMode, type RenderOptions } from './report.ts';
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
import { type Arm, type ArmRun, armRunOf } from './arms.ts';
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
export type SweepProvenance = Saved['provenance'] & {
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

export function describeDeadKnobs({ knobs }: SweepReport) {
  return knobs.flatMap(({ key, values, effect }) => {
    const why = WHY[effect];
    const shown = listed(values.map(String), 'and');
    return why === undefined ? [] : [`${key} is a dead knob: ${shown} ${why}`];
  });
}

export function describeRuns(report: SweepReport) {
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
export function describeFailed({ cells, failures = [] }: SweepReport) {
  const told = failures.slice(0, MOST_REASONS).map(({ reason, times, session, cell }) => {
    const own = cells.find(({ id }) => id === cell);
    const where = own === undefined ? session : `${session} at ${nameCell(own).join(', ')}`;
    return `${formatCount(times)} × ${reason}${times === 1 ? ` (${where})` : ` (first ${where})`}`;
  });
  const others = failures.length - told.length;
  return others > 0 ? [...told, `and ${countOf(others, 'other reason')}, see JSON`] : told;
}

export function describeSweepSavings({ baselines, cells }: SweepReport) {
  if (baselines === undefined) return [];
  const recorded = cells.find(({ policy }) => policy === RECORDED);
  return describeBaselines(baselines, recorded?.metrics.unrecordedRequests ?? 0);
}

export function describeCommon({ cells: all, knobs }: SweepReport) {
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

export function describeProvenance(provenance: SweepProvenance) {
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
export function nameCell({ values, policy }: SweepCell) {
  return values.length === 0 ? [policy] : values.map(String);
}

export function countRows({ cells, provenance }: Pick<SweepReport, 'cells' | 'provenance'>) {
  const present = sum(cells.map(({ runs }) => runs));
  const total = provenance.sessions * cells.length * provenance.seeds.length;
  return { present, missing: Math.max(0, total - present) };
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
