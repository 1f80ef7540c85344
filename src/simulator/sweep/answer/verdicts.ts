import { groupBy, sum } from '../../lib/collections.ts';
import { toConfigChange } from '../../report/agent-keys.ts';
import type { Answer, AnswerState, AnswerVerdict } from '../../report/answer-schema.ts';
import { showTokens } from '../../report/answer-verdict.ts';
import { formatPercent } from '../../report/numbers.ts';
import { isFitting } from '../run/recorded-fit.ts';
import type { ResultRow } from '../store/row.ts';
import { ownUsableTokens } from '../tune/screen-axes.ts';
import type { AgentSession, AnswerGroup, RowOf, TriedChange } from './answer-groups.ts';
import type { Change } from './changes.ts';
import { decideAll, type Pairing, spentIn, type SpendUnit, spendUnitOf } from './decide.ts';

/** The judgement of all changes. */
interface Verdicts {
  /** The best supported first. */
  readonly verdict: readonly AnswerVerdict[];
  readonly simulated: Answer['simulated'];
  /** Sessions that do not end as their agents are set today. */
  readonly failed: number;
  /** Sessions in which the preset does not compact where the recording did; nothing is said of changes there. */
  readonly unfit: Answer['leftOut']['unfit'];
}

/** A change on the sessions of one agent, whatever their models are. */
interface Tried {
  readonly agent: string;
  readonly policy: string;
  readonly changes: readonly Change[];
  /** The pairings of each model in its window, those that save most first. */
  readonly parts: readonly Part[];
  readonly unit: SpendUnit;
  readonly pairings: readonly Pairing[];
  /** Sessions that end today, and not under the change. */
  readonly failed: number;
}

/** The sessions of one model in one window. */
interface Part {
  readonly group: AnswerGroup;
  readonly pairings: readonly Pairing[];
}

/** A session that ends as its agent is set today, and that fits what was recorded. */
interface Complete {
  readonly one: AgentSession;
  readonly group: AnswerGroup;
  readonly base: ResultRow;
}

const VARIABLE = /^\w+ ?=/;

/** States that show something come before those that do not. */
const STATES: readonly AnswerState[] = [
  'try it',
  'a choice',
  'not enough data',
  'no difference that matters',
  'worse',
  'does nothing',
  'no effect',
];

/** Judges every change that was tried, and the simulation of each preset beside what was recorded. */
export function describeAll(groups: readonly AnswerGroup[], rowOf: RowOf): Verdicts {
  const withPreset = groups.filter(({ base }) => base !== undefined);
  const ended = withPreset.flatMap((group) => findEnded(group, rowOf));
  const complete = ended.filter((one) => fits(one, rowOf));
  const all = sum(withPreset.map(({ sessions }) => sessions.length));
  const tried = gatherTried(complete, rowOf);
  const decisions = decideAll(tried.map(({ pairings }) => pairings));
  const verdict = tried.flatMap((one, index) => {
    const decision = decisions[index];
    return decision === undefined ? [] : [toVerdict(one, decision)];
  });
  return {
    verdict: verdict.toSorted(bySupport),
    simulated: compareWithRecorded(ended, rowOf),
    failed: all - ended.length,
    unfit: describeUnfit(
      ended.filter((one) => !complete.includes(one)),
      rowOf,
    ),
  };
}

function findEnded(group: AnswerGroup, rowOf: RowOf): readonly Complete[] {
  const { base: cell, sessions } = group;
  if (cell === undefined) return [];
  return sessions.flatMap((one) => {
    const base = rowOf(one, cell);
    return base !== undefined && isCounted(base) ? [{ one, group, base }] : [];
  });
}

/** The preset compacts where the recording did, as often: each stretch by itself, and the whole where it is of the recorded release. */
function fits({ one, group, base }: Complete, rowOf: RowOf): boolean {
  const fit = rowOf(one, group.recorded)?.fit;
  if (fit === undefined) return true;
  const count = fit.filter(({ recorded }) => recorded !== null).length;
  const isOwn = one.session.ref.setup?.preset === base.policy;
  const isConfigured = one.session.ref.setup?.configured !== undefined;
  const hasManual = (rowOf(one, group.recorded)?.metrics.compactions ?? 0) > count;
  if (!isFitting(fit)) return false;
  return !isOwn || isConfigured || hasManual || base.metrics.compactions === count;
}

/** Recorded and simulated compactions of sessions in which the two disagree. */
function describeUnfit(unfit: readonly Complete[], rowOf: RowOf): Verdicts['unfit'] {
  const fitsOf = unfit.map(({ one, group, base }) => ({
    fit: rowOf(one, group.recorded)?.fit ?? [],
    base,
  }));
  return {
    sessions: unfit.length,
    recorded: sum(fitsOf.map(({ fit }) => fit.filter(({ recorded }) => recorded !== null).length)),
    simulated: sum(fitsOf.map(({ base }) => base.metrics.compactions ?? 0)),
  };
}

function isCounted({ state, impossible }: ResultRow): boolean {
  return state === 'completed' && impossible === undefined;
}

function gatherTried(complete: readonly Complete[], rowOf: RowOf): readonly Tried[] {
  const runs = complete.flatMap(({ one, group, base }) =>
    group.changes.flatMap(({ change, cell }: TriedChange) => {
      const changed = rowOf(one, cell);
      const key = JSON.stringify([one.agent, change.setting, change.to, spendUnitOf(base)]);
      return changed === undefined ? [] : [{ key, one, group, change, base, changed }];
    }),
  );
  return [...groupBy(runs, ({ key }) => key).values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const ended = some.filter(({ changed }) => isCounted(changed));
    return [
      {
        agent: first.one.agent,
        policy: first.base.policy,
        changes: some.map(({ change }) => change),
        parts: [...groupBy(ended, ({ group }) => group)]
          .map(([group, pairings]) => ({ group, pairings }))
          .toSorted((one, other) => savedIn(other) - savedIn(one)),
        unit: spendUnitOf(first.base),
        pairings: ended,
        failed: some.length - ended.length,
      },
    ];
  });
}

function toVerdict(
  { agent, policy, changes, parts, unit, failed }: Tried,
  decision: ReturnType<typeof decideAll>[number],
): AnswerVerdict {
  const [first] = changes;
  if (first === undefined) throw new RangeError('Expected a change that was tried, got none.');
  return {
    change: describeChange(first, changes),
    agent,
    policy,
    setting: first.setting,
    value: first.to,
    isRead: changes.some(({ isRead }) => isRead),
    keys: keysFor(first, parts),
    unit,
    ...decision,
    failed,
    // No money makes up for a session that cannot go on.
    ...(failed > 0 && { state: 'worse' as const, sessionsNeeded: null }),
  };
}

/**
 * Keys that the agent reads for a change. A variable has one value for all models: where two would want two, it is that of the
 * sessions in which the change saves more.
 */
function keysFor({ setting, to }: Change, parts: readonly Part[]): AnswerVerdict['keys'] {
  const all = parts.flatMap(({ group: { inUse } }) => {
    if (inUse === undefined) return [];
    const { policy, model, release } = inUse;
    const usableTokens = ownUsableTokens({ policy, limits: model.limits }) ?? null;
    const today = { ...model.limits, model: model.id, usableTokens, release };
    const { written } = toConfigChange(policy.name, { [setting]: to }, today);
    return written.map((key) => ({ ...key, model: model.id }));
  });
  const variables = groupBy(all, ({ where, text }) => JSON.stringify([where, variableIn(text)]));
  return [...variables.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { model: _, ...key } = first;
    const [same, others] = [true, false].map((isSame) => [
      ...new Set(
        own.filter(({ text }) => (text === key.text) === isSame).map(({ model }) => model),
      ),
    ]);
    return [{ ...key, models: same ?? [], others: others ?? [] }];
  });
}

/** The name of a variable; a text of another form is one of its own. */
function variableIn(text: string): string {
  return VARIABLE.exec(text)?.[0] ?? text;
}

function savedIn({ pairings }: Part): number {
  return sum(pairings.map(({ base, changed }) => spentIn(base) - spentIn(changed)));
}

/** A change in words; models with other windows may have other values today. */
function describeChange({ setting, to }: Change, all: readonly Change[]): string {
  if (setting === 'prune') return to === true ? 'Prune on' : 'Prune off';
  const today = all.flatMap(({ from }) => (from === undefined ? [] : [Number(from)]));
  if (setting !== 'triggerFraction') {
    return `${setting} ${showRange(today, showTokens)} → ${showTokens(Number(to))}`;
  }
  const instead = today.length === 0 ? '' : ` (now ${showRange(today, showShare)})`;
  return `Compact at ${showShare(Number(to))}${instead}`;
}

function showRange(values: readonly number[], show: (value: number) => string): string {
  const [low, high] = [show(Math.min(...values)), show(Math.max(...values))];
  return low === high ? low : `${low.replace(' %', '')}–${high}`;
}

function showShare(share: number): string {
  return formatPercent(share);
}

/**
 * The order of advice: what is shown, then what surely saves, then what saves at all; of these what loses least, then what saves most.
 * There is no sum of both: a dollar and a loss have no common measure.
 */
function bySupport(one: AnswerVerdict, other: AnswerVerdict): number {
  const [first, second] = [one, other].map(({ state, spent, losses }) => [
    STATES.indexOf(state),
    spent.high !== null && spent.high < spent.from ? 0 : 1,
    spent.to < spent.from ? 0 : 1,
    losses.to - losses.from,
    spent.to - spent.from,
  ]);
  const differing = first?.findIndex((value, index) => value !== second?.[index]) ?? -1;
  return differing === -1 ? 0 : (first?.[differing] ?? 0) - (second?.[differing] ?? 0);
}

/** Sums of the sessions whose cost was recorded, by agent. */
function compareWithRecorded(complete: readonly Complete[], rowOf: RowOf): Answer['simulated'] {
  const known = complete.flatMap(({ one, group, base }) => {
    const recorded = rowOf(one, group.recorded);
    const isKnown = recorded !== undefined && isCounted(recorded);
    return isKnown && recorded.metrics.costUsd !== null ? [{ one, base, recorded }] : [];
  });
  return [...groupBy(known, ({ one }) => one.agent)].map(([agent, some]) => {
    const sumOf = (pick: 'base' | 'recorded', metric: 'costUsd' | 'compactions') =>
      sum(some.map((each) => each[pick].metrics[metric] ?? 0));
    return {
      agent,
      policy: some[0]?.base.policy ?? '',
      sessions: some.length,
      costUsd: { recorded: sumOf('recorded', 'costUsd'), simulated: sumOf('base', 'costUsd') },
      compactions: {
        recorded: sumOf('recorded', 'compactions'),
        simulated: sumOf('base', 'compactions'),
      },
    };
  });
}
