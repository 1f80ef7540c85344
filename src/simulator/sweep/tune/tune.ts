import { canonicalJson } from '../../../engine/index.ts';
import { groupBy } from '../../lib/collections.ts';
import { countOf } from '../../report/numbers.ts';
import {
  type Advice,
  ADVICE_STATES,
  type Candidate,
  changedSettings,
  isBetter,
  isWorse,
  type NamedSettings,
  type Objective,
  type ObjectiveOutcome,
  type Tried,
  type TuneReport,
  type TuneVerdict,
} from '../../report/tune-report.ts';
import type { SettingName } from '../../scenario/settings.ts';
import {
  type Constraint,
  describeConstraint,
  findOutside,
  findObstacle,
  isSound,
  meanPoints,
  type Observation,
  type Split,
  splitSessions,
  type TableCell,
  toTable,
  type TuneCell,
  type TuneTable,
} from './tune-table.ts';
import {
  almostDominates,
  describeFront,
  describePoints,
  describeToday,
  dominates,
  EPSILON,
  findFirst,
  findMembers,
  type Landscape,
  settingsOf,
  paretoFront,
  findKnee,
} from './front.ts';
import {
  estimateChange,
  isSpend,
  judgeDifference,
  pairMeans,
} from '../../metrics/statistics/mean-difference.ts';
import { judgeTogether } from '../../metrics/statistics/verdict.ts';
import { armRunOf } from '../../report/arms.ts';
import { bySupport, isWorthTrying, judgeTried, pickBest } from '../../report/verdict.ts';

interface AdviceSources {
  readonly table: TuneTable;
  readonly split: Split;
  readonly options: {
    readonly objectives: readonly Objective[];
    readonly constraints: readonly Constraint[];
    readonly seed: number;
  };
}

type Outcomes = readonly ObjectiveOutcome[];

type Verdicts = Pick<TuneReport, 'verdict' | 'others'>;

/** Of a front without a knee, so many members are compared with today's settings. */
const MOST_COMPARED = 3;

const MOST_OTHERS = 12;

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

const MOST_REASONS = 3;

export function tune(observations: readonly Observation[], options: TuneOptions) {
  const { cells, today, constraints, objectives } = options;
  const table = toTable(cells, observations, {
    today,
    outside: findOutside(today.settings, constraints),
    objectives: objectives.map(({ metric }) => metric),
  });
  if (table.sessions.length > 0)
    return { state: 'tuned' as const, tuned: tuneTable(table, observations, options) };
  const reasons = [...new Set(table.leftOut.map(({ reason }) => reason))];
  const others = reasons.length - MOST_REASONS;
  const told = [
    ...reasons.slice(0, MOST_REASONS),
    ...(reasons.length === 0 ? ['there is no session'] : []),
    ...(others > 0 ? [`and ${countOf(others, 'other reason')}`] : []),
  ];
  return { state: 'inconclusive' as const, reason: told.join('; ') };
}

/** The advice on a member that does not dominate today's: a trade-off where another objective's means are against it. */
export function adviseTrade(outcomes: Outcomes) {
  const state = advise(outcomes);
  const isAgainst =
    (state === 'change' && outcomes.some((outcome) => gainOf(outcome) < -EPSILON)) ||
    (state === 'keep' && outcomes.some((outcome) => gainOf(outcome) > EPSILON));
  return isAgainst ? 'trade-off' : state;
}

export function toLandscape(facts: Omit<Landscape, 'front' | 'knee'>): Landscape {
  const front = paretoFront(facts.points);
  return { ...facts, front, knee: findKnee(front, facts.points) };
}

function tuneTable(
  table: TuneTable,
  observations: readonly Observation[],
  options: TuneOptions,
): Tuned {
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

function describeAdvice(
  landscape: Landscape,
  sources: AdviceSources,
): Verdicts & Pick<TuneReport, 'advice'> {
  const { table, split, options } = sources;
  const todays = landscape.today.settings;
  const today = table.cells.find(({ isToday }) => isToday);
  const brokenByToday = today === undefined ? [] : findBroken(today, sources);
  const isForced = brokenByToday.length > 0;
  const common = { isHeldOut: split.heldOut.length > 0, brokenByToday };
  if (landscape.cells.length === 0 || today === undefined) {
    const advice = { state: 'nothing feasible', ...common, compared: [], settings: {} } as const;
    return { advice, ...verdictOnNothing('worse') };
  }
  const chosen = findCandidates(landscape);
  const judged = judgeAll(
    chosen.map(({ cell }) => (cell.isToday ? [] : compareCells(cell, today, sources))),
  );
  const compared = chosen.map(({ cell, isKnee, isTrade }, index): Candidate => {
    const broken = findBroken(cell, sources);
    const outcomes = judged[index] ?? [];
    const own = cell.isToday ? 'keep' : isTrade ? adviseTrade(outcomes) : advise(outcomes);
    const ifBroken = isForced ? 'nothing feasible' : 'keep';
    const state = broken.length > 0 ? ifBroken : isForced ? 'change' : own;
    return { settings: settingsOf(cell, landscape), isKnee, state, outcomes, broken };
  });
  const [decisive] = ADVICE_STATES.flatMap(
    (own) => compared.find((one) => one.state === own) ?? [],
  );
  const state = decisive?.state ?? (isForced ? 'nothing feasible' : 'keep');
  const cell = decisive && chosen[compared.indexOf(decisive)]?.cell;
  // A verdict is about the cell advised in its simplest form, else the best besides today's.
  const advised = cell && !cell.isToday ? neededCell(cell, landscape, sources) : undefined;
  const subject = advised ?? bestOther(landscape);
  const outcomes =
    advised && decisive
      ? decisive.outcomes
      : (judgeAll([subject ? compareCells(subject, today, sources) : []])[0] ?? []);
  const facts = { advice: state, cell: subject, today, isForced, outcomes };
  const { verdict, others } = describeVerdicts(facts, landscape, sources);
  // Advice never contradicts the verdict on cost: nothing is to be written that is not shown to be better.
  const isOpen = state === 'within noise' || state === 'too few';
  const isShown = verdict.state === 'better';
  const agreed =
    state === 'change' && !isShown ? 'within noise' : isOpen && isShown ? 'change' : state;
  const told = isForced || !isSpend(options.objectives[0]?.metric) ? state : agreed;
  const own = cell === undefined ? todays : settingsOf(advised ?? cell, landscape);
  const changed = changedSettings(own, todays);
  const all = cell === undefined ? {} : changedSettings(settingsOf(cell, landscape), todays);
  const needless = Object.keys(all).filter((name) => !Object.hasOwn(changed, name));
  const settings = told === 'change' ? { ...todays, ...verdict.change } : own;
  const idle = needless.length > 0 && { needless };
  const advice = { state: told, ...common, compared, settings, ...idle };
  return { advice, verdict, others };
}

function advise(outcomes: Outcomes) {
  const worse = outcomes.some(isWorse);
  if (outcomes.some(isBetter)) return worse ? 'trade-off' : 'change';
  if (worse) return 'keep';
  return outcomes.every(({ verdict }) => verdict === 'too few') ? 'too few' : 'within noise';
}

function gainOf({ objective, today, tuned }: ObjectiveOutcome) {
  const gain = objective.better === 'lower' ? today - tuned : tuned - today;
  return gain === 0 ? 0 : gain / Math.abs(today);
}

function findBroken(cell: TableCell, { table, options }: AdviceSources) {
  const { sessions } = table;
  const obstacle = findObstacle(cell, sessions, { sessions, constraints: options.constraints });
  return obstacle === undefined ? [] : [obstacle];
}

function findCandidates(landscape: Landscape) {
  const { cells, points, knee } = landscape;
  if (knee !== undefined)
    return cells.slice(knee, knee + 1).map((cell) => ({ cell, isKnee: true, isTrade: false }));
  const today = points[cells.findIndex(({ isToday }) => isToday)];
  return findMembers(landscape)
    .flatMap((index) => {
      const isTrade = today !== undefined && !dominates(points[index] ?? [], today);
      return cells.slice(index, index + 1).map((cell) => ({ cell, isKnee: false, isTrade }));
    })
    .filter(({ cell }) => !cell.isToday)
    .slice(0, MOST_COMPARED);
}

/** As sure as their number asks for; of what is worse, as if it stood alone. */
function judgeAll(lists: readonly Outcomes[]) {
  const judged = [...judgeTogether(lists.flat(), isWorse)];
  return lists.map(({ length }) => judged.splice(0, length));
}

function compareCells(
  tuned: TableCell,
  today: TableCell,
  { split, options: { objectives, seed } }: AdviceSources,
) {
  const families = split.heldOut.length > 0 ? split.heldOut : split.tuning;
  return objectives.flatMap((objective): Outcomes => {
    const { metric } = objective;
    // A refused or shortened run came to less than the whole session would have.
    const amountOf = ({ observations }: TableCell, session: string) => {
      const run = observations.get(session);
      return run !== undefined && isSound(run) ? (run.values[metric] ?? null) : null;
    };
    const pairs = families.flatMap((family, index) =>
      family.flatMap((session) => {
        const [a = null, b = null] = [today, tuned].map((cell) => amountOf(cell, session));
        return a === null || b === null ? [] : [{ a, b, cluster: String(index) }];
      }),
    );
    const change = estimateChange(metric, pairs, { seed });
    if (change === undefined) return [];
    const means = pairMeans(pairs);
    const counts = {
      sessions: pairs.length,
      families: new Set(pairs.map(({ cluster }) => cluster)).size,
    };
    const verdict = judgeDifference(metric, pairs, change.estimate.interval);
    return [{ objective, ...counts, today: means.a, tuned: means.b, ...change, verdict }];
  });
}

function bestOther({ cells, points }: Landscape) {
  const others = [...cells.keys()].filter((index) => cells[index]?.isToday !== true);
  return cells[findFirst(others, points) ?? -1];
}

function neededCell(cell: TableCell, landscape: Landscape, sources: AdviceSources) {
  const { cells, points, today } = landscape;
  const own = points[cells.indexOf(cell)] ?? [];
  const changesOf = (one: TableCell) =>
    Object.keys(changedSettings(settingsOf(one, landscape), today.settings)).length;
  const alike = cells.filter(
    (other, index) => !other.isToday && almostDominates(points[index] ?? [], own),
  );
  const [simplest = cell] = alike.toSorted((one, other) => changesOf(one) - changesOf(other));
  const isSimpler = changesOf(simplest) < changesOf(cell);
  return isSimpler && findBroken(simplest, sources).length === 0 ? simplest : cell;
}

function verdictOnNothing(state: TuneVerdict['state']) {
  const [nothing] = judgeTried([{ name: '', matched: [], failed: 0 }]);
  if (nothing === undefined) throw new TypeError('Expected a verdict for each candidate.');
  return { verdict: { ...nothing, state, change: {} }, others: [] };
}

/** Judges every cell that was tried against today's: the more there are, the surer each has to be. */
function describeVerdicts(
  facts: {
    readonly advice: Advice['state'];
    readonly cell: TableCell | undefined;
    readonly today: TableCell;
    readonly isForced: boolean;
    readonly outcomes: Outcomes;
  },
  landscape: Landscape,
  { table, split, options }: AdviceSources,
) {
  const { advice, cell, today, isForced } = facts;
  const isOfSpend = isSpend(options.objectives[0]?.metric);
  const tried = table.cells.filter((one) => one !== today);
  const candidates = tried.map((one) => toCandidate(one, today, split));
  const judged = judgeTried(candidates).map((one, index): TuneVerdict => {
    const settings = tried[index]?.settings ?? {};
    return { ...one, change: changedSettings(settings, landscape.today.settings) };
  });
  const subject = cell && judged[tried.indexOf(cell)];
  if (subject === undefined) return verdictOnNothing('no difference that matters');
  // Where that cell is not worth trying, another may be: all are judged together.
  const mayChoose =
    isOfSpend && !isForced && advice !== 'nothing feasible' && !isWorthTrying(subject);
  const feasible = judged.filter((_, index) => landscape.cells.some((one) => one === tried[index]));
  const own = (mayChoose ? pickBest(feasible) : undefined) ?? subject;
  const isByObjectives = !isOfSpend || (isForced && advice === 'change');
  const asAdvised = isByObjectives ? stateOf(facts.outcomes, advice) : own.state;
  const state = advice === 'nothing feasible' ? 'worse' : asAdvised;
  const { sessionsNeeded, ...rest } = own;
  const needed = state === own.state && sessionsNeeded !== undefined && { sessionsNeeded };
  const others = judged.filter((one) => one !== own).toSorted(bySupport);
  return { verdict: { ...rest, state, ...needed }, others: others.slice(0, MOST_OTHERS) };
}

/** Of objectives other than cost the first decides where it is certain, then what is worse. */
function stateOf(outcomes: Outcomes, advice: Advice['state']) {
  const [first] = outcomes;
  if (advice === 'change') return 'better';
  if (first === undefined) return 'not enough data';
  if (outcomes.every(makesNoDifference)) return 'no difference that matters';
  if (isBetter(first)) return 'better';
  if (outcomes.some(isWorse)) return 'worse';
  return outcomes.some(isBetter) ? 'better' : 'not enough data';
}

function makesNoDifference(outcome: ObjectiveOutcome) {
  const { objective, verdict } = outcome;
  if (verdict === 'equivalent') return true;
  const isSame = verdict === 'within noise' && Math.abs(gainOf(outcome)) <= EPSILON;
  return isSame && !isSpend(objective.metric);
}

function toCandidate(cell: TableCell, today: TableCell, { tuning, heldOut }: Split) {
  const pairs = [...tuning, ...heldOut].flat().flatMap((session) => {
    const [a, b] = [today.observations.get(session), cell.observations.get(session)];
    return a !== undefined && b !== undefined && isSound(a) ? [{ a, b }] : [];
  });
  const sound = pairs.filter(({ b }) => isSound(b));
  return {
    name: cell.id,
    matched: sound.map(({ a, b }) => ({ a: toRun(a), b: toRun(b) })),
    failed: pairs.length - sound.length,
  };
}

function toRun({ values, ...run }: Observation) {
  return armRunOf(run.session, { ...run, state: 'completed', metrics: values });
}
