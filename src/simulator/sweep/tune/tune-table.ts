import type { RunState } from '../../events.ts';
import type { NamedSettings } from '../../report/tune/tune-report.ts';
import type { SettingValues } from '../../scenario/settings.ts';
import { groupBy } from '../../group-by.ts';
import type { Constraint } from './constraint.ts';

/** One point of the grid. */
export interface TuneCell {
  readonly id: string;
  /** Of the settings that vary, what this cell has; nothing for today's where they are no point of the grid. */
  readonly settings: SettingValues;
}

/** What a session came to in a cell. */
export interface Observation {
  readonly cell: string;
  readonly session: string;
  /** As its row names it; absent where it stands alone. */
  readonly family?: string | undefined;
  readonly state: RunState;
  readonly reason?: string | undefined;
  /** Hash of what happened. */
  readonly digest: string;
  /** Those metrics that are asked for; `null` where unknown. */
  readonly values: Readonly<Record<string, number | null>>;
}

/** Cells that differ in what happens, with what each session came to. */
export interface TuneTable {
  readonly cells: readonly TableCell[];
  readonly sessions: readonly string[];
  readonly leftOut: readonly { readonly session: string; readonly reason: string }[];
}

/** A cell with those in which the same happens. */
export interface TableCell extends TuneCell {
  readonly isToday: boolean;
  /** The range that its settings lie outside of, which only today's may. */
  readonly outside?: Constraint | undefined;
  /** Ids of all cells that this one stands for. */
  readonly same: readonly string[];
  readonly observations: ReadonlyMap<string, Observation>;
}

/** Today's cell and its settings, and what they break. */
interface TodaysCell {
  readonly today: { readonly id: string; readonly settings: NamedSettings };
  readonly outside?: Constraint | undefined;
}

/** Metric by which a refused request is known. */
export const REFUSALS = 'refusals';

/** Groups observations by cell. Sessions that no cell can do, or whose objectives are unknown, are left out. */
export function toTable(
  cells: readonly TuneCell[],
  observations: readonly Observation[],
  { objectives, ...todays }: TodaysCell & { readonly objectives: readonly string[] },
): TuneTable {
  const byCell = new Map(cells.map(({ id }) => [id, new Map<string, Observation>()]));
  for (const observation of observations) {
    byCell.get(observation.cell)?.set(observation.session, observation);
  }
  const all = [...byCell.values()];
  const names = [...new Set(observations.map(({ session }) => session))];
  const leftOut = names.flatMap((session) => {
    const reason = whyLeftOut(
      all.flatMap((own) => own.get(session) ?? []),
      objectives,
    );
    return reason === undefined ? [] : [{ session, reason }];
  });
  const absent = new Set(leftOut.map(({ session }) => session));
  const sessions = names.filter((session) => !absent.has(session));
  // Of equal cells the first stands for all: today's, or what takes the fewest changes.
  const ordered = cells.toSorted((a, b) => changes(a, todays) - changes(b, todays));
  return { cells: mergeSame(ordered, byCell, { ...todays, sessions }), sessions, leftOut };
}

/** Whether a run went to its end and nothing of it was refused. */
export function isSound({ state, values }: Observation): boolean {
  return state === 'completed' && values[REFUSALS] === 0;
}

function whyLeftOut(
  runs: readonly Observation[],
  objectives: readonly string[],
): string | undefined {
  const sound = runs.filter(isSound);
  const [first] = runs;
  if (sound.length === 0) {
    const words =
      first?.reason ?? (first?.state === 'completed' ? 'a request was refused' : first?.state);
    return `${words ?? 'not run'}, in every cell`;
  }
  const unknown = objectives.find((name) => sound.some(({ values }) => isUnknown(values[name])));
  return unknown === undefined ? undefined : `${unknown} is unknown`;
}

function isUnknown(value: number | null | undefined): boolean {
  return value === null || value === undefined;
}

function changes({ id, settings }: TuneCell, { today }: TodaysCell): number {
  if (id === today.id) return 0;
  const others = Object.entries(settings).filter(([name, value]) => today.settings[name] !== value);
  return 1 + others.length;
}

/** What may not be chosen stands for no other. */
function mergeSame(
  cells: readonly TuneCell[],
  byCell: ReadonlyMap<string, ReadonlyMap<string, Observation>>,
  { today, outside, sessions }: TodaysCell & { readonly sessions: readonly string[] },
): readonly TableCell[] {
  const groups = groupBy(cells, ({ id }) => {
    if (id === today.id && outside !== undefined) return id;
    const own = byCell.get(id);
    return sessions.map((session) => own?.get(session)?.digest ?? '').join(' ');
  });
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const same = group.map(({ id }) => id);
    const observations = byCell.get(first.id) ?? new Map<string, Observation>();
    const isToday = same.includes(today.id);
    return [{ ...first, isToday, ...(isToday && { outside }), same, observations }];
  });
}
