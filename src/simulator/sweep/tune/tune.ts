import { canonicalJson } from '../../../engine/index.ts';
import { groupBy } from '../../lib/collections.ts';
import { countOf } from '../../report/numbers.ts';
import type { NamedSettings, Objective, Tried, TuneReport } from '../../report/tune-report.ts';
import type { SettingName } from '../../scenario/settings.ts';
import { describeAdvice } from './advice.ts';
import { type Constraint, describeConstraint, findOutside } from './constraint.ts';
import {
  describeFront,
  describePoints,
  describeToday,
  EPSILON,
  findMembers,
  settingsOf,
  toLandscape,
} from './front.ts';
import {
  findObstacle,
  meanPoints,
  type Observation,
  splitSessions,
  toTable,
  type TuneCell,
  type TuneTable,
} from './tune-table.ts';

export interface TuneOptions {
  readonly cells: readonly TuneCell[];
  readonly today: { readonly id: string; readonly settings: NamedSettings };
  readonly control?: string | undefined;
  readonly varied: readonly SettingName[];
  readonly tried?: readonly Tried[] | undefined;
  readonly objectives: readonly Objective[];
  readonly constraints: readonly Constraint[];
  readonly heldOutShare: number;
  readonly seed: number;
}

export type Tuned = Omit<
  TuneReport,
  'policy' | 'model' | 'summarizer' | 'mode' | 'origin' | 'trigger' | 'unread'
>;

type TuneOutcome =
  | { readonly state: 'tuned'; readonly tuned: Tuned }
  | { readonly state: 'inconclusive'; readonly reason: string };

const MOST_REASONS = 3;

export function tune(observations: readonly Observation[], options: TuneOptions): TuneOutcome {
  const { cells, today, constraints, objectives } = options;
  const table = toTable(cells, observations, {
    today,
    outside: findOutside(today.settings, constraints),
    objectives: objectives.map(({ metric }) => metric),
  });
  if (table.sessions.length > 0)
    return { state: 'tuned', tuned: tuneTable(table, observations, options) };
  const reasons = [...new Set(table.leftOut.map(({ reason }) => reason))];
  const others = reasons.length - MOST_REASONS;
  const told = [
    ...reasons.slice(0, MOST_REASONS),
    ...(reasons.length === 0 ? ['there is no session'] : []),
    ...(others > 0 ? [`and ${countOf(others, 'other reason')}`] : []),
  ];
  return { state: 'inconclusive', reason: told.join('; ') };
}

function tuneTable(table: TuneTable, observations: readonly Observation[], options: TuneOptions) {
  const { objectives, constraints, heldOutShare, seed } = options;
  const split = splitSessions(sizesOf(table, observations, options), { share: heldOutShare, seed });
  const { tuning, heldOut } = split;
  const { sessions } = table;
  const obstacles = table.cells.map((cell) =>
    findObstacle(cell, tuning.flat(), { sessions, constraints }),
  );
  const feasible = table.cells.filter((_, index) => obstacles[index] === undefined);
  const points = meanPoints(feasible, tuning, objectives);
  const landscape = toLandscape({ ...options, cells: feasible, points });
  const { advice, verdict, others } = describeAdvice(landscape, { table, split, options });
  const todays = table.cells.filter(({ isToday }) => isToday);
  return {
    verdict,
    others,
    seed,
    objectives,
    constraints: constraints.map(describeConstraint),
    sessions: {
      tuning: tuning.flat().length,
      heldOut: heldOut.flat().length,
      families: { tuning: tuning.length, heldOut: heldOut.length },
      names: { tuning: tuning.flat(), heldOut: heldOut.flat() },
      leftOut: table.leftOut,
      askedShare: heldOutShare,
    },
    cells: {
      all: options.cells.length,
      distinct: table.cells.length,
      infeasible: table.cells.flatMap((cell, index) => {
        const reason = obstacles[index];
        return reason === undefined ? [] : [{ settings: settingsOf(cell, options), reason }];
      }),
      feasible: describePoints(landscape),
    },
    today: describeToday(landscape, todays, tuning),
    front: describeFront(landscape, tuning),
    unlisted: { members: landscape.front.length - findMembers(landscape).length, within: EPSILON },
    tried: options.tried ?? options.varied.map((name) => toTried(name, table, options)),
    advice,
  };
}

function toTried(setting: SettingName, table: TuneTable, { cells, today }: TuneOptions): Tried {
  const standsFor = new Map(table.cells.flatMap(({ id, same }) => same.map((one) => [one, id])));
  const spelt = cells.map((cell) =>
    cell.id === today.id ? { ...cell, settings: today.settings } : cell,
  );
  const alike = groupBy(spelt, ({ settings: { [setting]: own, ...others } }) =>
    own === undefined ? undefined : canonicalJson(others),
  );
  const groups = [...alike.values()].filter(
    (group) => new Set(group.map(({ settings }) => settings[setting])).size > 1,
  );
  const hasEffect = groups.some(
    (group) => new Set(group.map(({ id }) => standsFor.get(id))).size > 1,
  );
  return { setting, matters: groups.length === 0 || hasEffect, isVaried: true, leastCost: null };
}

/** Sizes by the control, so that whatever is set today the same sessions are held out. */
function sizesOf(
  { cells: [first], sessions }: TuneTable,
  observations: readonly Observation[],
  { control }: TuneOptions,
) {
  const ofControl = observations.filter(({ cell }) => cell === control);
  const controls = new Map(ofControl.map((one) => [one.session, one]));
  return sessions.map((session) => {
    const own = first?.observations.get(session);
    const size = (controls.get(session) ?? own)?.values['inputTokens'] ?? 0;
    return { session, family: own?.family, size };
  });
}
