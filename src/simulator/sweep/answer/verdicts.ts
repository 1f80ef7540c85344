import { countEach, groupBy, sum } from '../../lib/collections.ts';
import { toConfigChange } from '../../report/agent-keys.ts';
import type { Answer, AnswerState, AnswerVerdict } from '../../report/answer-schema.ts';
import { showTokens } from '../../report/answer-verdict.ts';
import { formatPercent } from '../../report/numbers.ts';
import type { SimulatedCell } from '../grid.ts';
import type { ResultRow } from '../store/row.ts';
import { ownUsableTokens } from '../tune/screen-axes.ts';
import type { AgentSession, AnswerGroup, RowOf, TriedChange } from './answer-groups.ts';
import type { Change } from './changes.ts';
import { decideAll, type Pairing } from './decide.ts';

/** The judgement of all changes. */
interface Verdicts {
  /** The best supported first. */
  readonly verdict: readonly AnswerVerdict[];
  readonly simulated: Answer['simulated'];
  /** Sessions that do not end as their agents are set today. */
  readonly failed: number;
}

/** A change on the sessions of one agent, whatever their models are. */
interface Tried {
  readonly agent: string;
  readonly policy: string;
  readonly changes: readonly Change[];
  /** The agent's preset as released, on each of the models; that of most sessions first. */
  readonly released: readonly SimulatedCell[];
  readonly pairings: readonly Pairing[];
  /** Sessions that end today, and not under the change. */
  readonly failed: number;
}

/** A session that ends as its agent is set today, at a known price. */
interface Complete {
  readonly one: AgentSession;
  readonly group: AnswerGroup;
  readonly base: ResultRow;
}

/** States that show something come before those that do not. */
const STATES: readonly AnswerState[] = [
  'try it',
  'a choice',
  'not enough data',
  'no difference that matters',
  'worse',
  'no effect',
];

/** Judges every change that was tried, and the simulation of each preset beside what was recorded. */
export function describeAll(groups: readonly AnswerGroup[], rowOf: RowOf): Verdicts {
  const withPreset = groups.filter(({ base }) => base !== undefined);
  const complete = withPreset.flatMap((group) => findComplete(group, rowOf));
  const all = sum(withPreset.map(({ sessions }) => sessions.length));
  const tried = gatherTried(complete, rowOf);
  const decisions = decideAll(tried.map(({ pairings }) => pairings));
  const verdict = tried.flatMap((one, index) => {
    const decision = decisions[index];
    return decision === undefined ? [] : [toVerdict(one, decision)];
  });
  return {
    verdict: verdict.toSorted(bySupport),
    simulated: compareWithRecorded(complete, rowOf),
    failed: all - complete.length,
  };
}

function findComplete(group: AnswerGroup, rowOf: RowOf): readonly Complete[] {
  const { base: cell, sessions } = group;
  if (cell === undefined) return [];
  return sessions.flatMap((one) => {
    const base = rowOf(one, cell);
    return base !== undefined && isCounted(base) ? [{ one, group, base }] : [];
  });
}

function isCounted({ state, impossible, metrics }: ResultRow): boolean {
  return state === 'completed' && impossible === undefined && metrics.costUsd !== null;
}

function gatherTried(complete: readonly Complete[], rowOf: RowOf): readonly Tried[] {
  const runs = complete.flatMap(({ one, group, base }) =>
    group.changes.flatMap(({ change, cell }: TriedChange) => {
      const changed = rowOf(one, cell);
      const key = JSON.stringify([one.agent, change.setting, change.to]);
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
        released: [...countEach(some.map(({ group }) => group))]
          .toSorted(([, one], [, other]) => other - one)
          .flatMap(([group]) => group.released ?? []),
        pairings: ended,
        failed: some.length - ended.length,
      },
    ];
  });
}

function toVerdict(
  { agent, policy, changes, released, failed }: Tried,
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
    keys: keysFor(first, released),
    ...decision,
    failed,
    // No money makes up for a session that cannot go on.
    ...(failed > 0 && { state: 'worse' as const, sessionsNeeded: null }),
  };
}

/** Keys that the agent reads for a change, which may differ from model to model. */
function keysFor({ setting, to }: Change, released: readonly SimulatedCell[]) {
  const all = released.flatMap(({ policy, model: { id, limits } }) => {
    const usableTokens = ownUsableTokens({ policy, limits }) ?? null;
    const change = toConfigChange(
      policy.name,
      { [setting]: to },
      { ...limits, model: id, usableTokens },
    );
    return change.written.map((key) => ({ ...key, model: id }));
  });
  return [...groupBy(all, ({ where, text }) => JSON.stringify([where, text])).values()].flatMap(
    ([first, ...others]) => {
      if (first === undefined) return [];
      const { model, ...key } = first;
      return [{ ...key, models: [model, ...others.map((other) => other.model)] }];
    },
  );
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
  const [first, second] = [one, other].map(({ state, costUsd, losses }) => [
    STATES.indexOf(state),
    costUsd.high !== null && costUsd.high < costUsd.from ? 0 : 1,
    costUsd.to < costUsd.from ? 0 : 1,
    losses.to - losses.from,
    costUsd.to - costUsd.from,
  ]);
  const differing = first?.findIndex((value, index) => value !== second?.[index]) ?? -1;
  return differing === -1 ? 0 : (first?.[differing] ?? 0) - (second?.[differing] ?? 0);
}

/** Sums of the sessions whose cost was recorded, by agent. */
function compareWithRecorded(complete: readonly Complete[], rowOf: RowOf): Answer['simulated'] {
  const known = complete.flatMap(({ one, group, base }) => {
    const recorded = rowOf(one, group.recorded);
    return recorded !== undefined && isCounted(recorded) ? [{ one, base, recorded }] : [];
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
