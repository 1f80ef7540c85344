import { groupBy, sum } from '../../lib/collections.ts';
import { countsAs } from '../../metrics/record.ts';
import { toConfigChange } from '../../report/agent-keys.ts';
import type { Answer, AnswerVerdict } from '../../report/answer-schema.ts';
import { type ArmRun, armRunOf } from '../../report/arms.ts';
import { describeSetting } from '../../report/change-block.ts';
import { textOf } from '../../report/document.ts';
import { bySupport, judgeTried, type TriedChange as Judged } from '../../report/verdict.ts';
import { type BesideRecording, countUnfit, fitsRecording } from '../run/recorded-fit.ts';
import type { ResultRow } from '../store/row.ts';
import { ownUsableTokens } from '../tune/screen-axes.ts';
import type { AgentSession, AnswerGroup, RowOf, TriedChange } from './answer-groups.ts';
import type { Change } from './changes.ts';

/** The judgement of all changes. */
interface Verdicts {
  /** The best supported first. */
  readonly verdict: readonly AnswerVerdict[];
  readonly simulated: Answer['simulated'];
  readonly idle: Answer['idle'];
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
  readonly pairings: readonly Pairing[];
  /** Sessions that end today, and not under the change. */
  readonly failed: number;
}

/** A session under the preset and under a change of it; both ended. */
interface Pairing {
  readonly a: ArmRun;
  readonly b: ArmRun;
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

/** Judges every change that was tried, and the simulation of each preset beside what was recorded. */
export function describeAll(groups: readonly AnswerGroup[], rowOf: RowOf): Verdicts {
  const withPreset = groups.filter(({ base }) => base !== undefined);
  const ended = withPreset.flatMap((group) => findEnded(group, rowOf));
  const complete = ended.filter((one) => fitsRecording(besideRecording(one, rowOf)));
  const all = sum(withPreset.map(({ sessions }) => sessions.length));
  const tried = gatherTried(complete, rowOf);
  const judged = judgeTried(
    tried.map(({ agent, pairings, failed }) => ({ name: agent, matched: pairings, failed })),
  );
  const verdict = tried.flatMap((one, index) => {
    const own = judged[index];
    return own === undefined ? [] : [toVerdict(one, own)];
  });
  return {
    verdict: verdict.toSorted(bySupport),
    simulated: compareWithRecorded(ended, rowOf),
    idle: findIdle(tried),
    failed: all - ended.length,
    unfit: countUnfit(
      ended.filter((one) => !complete.includes(one)).map((one) => besideRecording(one, rowOf)),
    ),
  };
}

function findEnded(group: AnswerGroup, rowOf: RowOf): readonly Complete[] {
  const { base: cell, sessions } = group;
  if (cell === undefined) return [];
  return sessions.flatMap((one) => {
    const base = rowOf(one, cell);
    return base !== undefined && countsAs(base) === 'completed' ? [{ one, group, base }] : [];
  });
}

function besideRecording({ one, group, base }: Complete, rowOf: RowOf): BesideRecording {
  return { recorded: rowOf(one, group.recorded), base, setup: one.session.ref.setup };
}

/** Changes in dollars and those in tokens are apart. */
function gatherTried(complete: readonly Complete[], rowOf: RowOf): readonly Tried[] {
  const runs = complete.flatMap(({ one, group, base }) =>
    group.changes.flatMap(({ change, cell }: TriedChange) => {
      const changed = rowOf(one, cell);
      const isPriced = base.metrics.costUsd !== null;
      const key = JSON.stringify([one.agent, change.setting, change.to, isPriced]);
      return changed === undefined ? [] : [{ key, one, group, change, base, changed }];
    }),
  );
  return [...groupBy(runs, ({ key }) => key).values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const ended = some
      .filter(({ changed }) => countsAs(changed) === 'completed')
      .map(({ group, base, changed }) => ({ group, a: toRun(base), b: toRun(changed) }));
    return [
      {
        agent: first.one.agent,
        policy: first.base.policy,
        changes: some.map(({ change }) => change),
        parts: [...groupBy(ended, ({ group }) => group)]
          .map(([group, pairings]) => ({ group, pairings }))
          .toSorted((one, other) => savedIn(other) - savedIn(one)),
        pairings: ended,
        failed: some.length - ended.length,
      },
    ];
  });
}

function toRun(row: ResultRow): ArmRun {
  return armRunOf(row.session, row);
}

/** Agents whose sessions nothing acts on, with the edge that is nearest. */
function findIdle(tried: readonly Tried[]): Answer['idle'] {
  return [...groupBy(tried, ({ agent }) => agent)].flatMap(([agent, own]) => {
    const runs = own.flatMap(({ pairings }) => pairings.flatMap(({ a, b }) => [a, b]));
    const isIdle = runs.length > 0 && runs.every(({ hasActed }) => hasActed === false);
    if (!isIdle || own.some(({ failed }) => failed > 0)) return [];
    const edges = own.flatMap(({ parts }) =>
      parts.flatMap(({ group: { inUse } }) =>
        inUse === undefined
          ? []
          : (ownUsableTokens({ policy: inUse.policy, limits: inUse.model.limits }) ?? []),
      ),
    );
    const largestTokens = Math.max(...runs.map((run) => run.largestTokens ?? 0));
    return [{ agent, edgeTokens: edges.length === 0 ? null : Math.min(...edges), largestTokens }];
  });
}

function toVerdict({ agent, policy, changes, parts }: Tried, judged: Judged): AnswerVerdict {
  const [first] = changes;
  if (first === undefined) throw new RangeError('Expected a change that was tried, got none.');
  const today = changes.flatMap(({ from }) => from ?? []);
  const { words, short } = describeSetting(first.setting, first.to, today);
  return {
    change: textOf(words),
    short: textOf(short),
    agent,
    policy,
    setting: first.setting,
    value: first.to,
    isRead: changes.some(({ isRead }) => isRead),
    keys: keysFor(first, parts),
    ...judged,
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
  return sum(pairings.map(({ a, b }) => amountOf(a) - amountOf(b)));
}

function amountOf({ costUsd, tokens }: ArmRun): number {
  return costUsd ?? tokens ?? 0;
}

/** Sums of the sessions whose cost was recorded, by agent. */
function compareWithRecorded(complete: readonly Complete[], rowOf: RowOf): Answer['simulated'] {
  const known = complete.flatMap(({ one, group, base }) => {
    const recorded = rowOf(one, group.recorded);
    const isKnown = recorded !== undefined && countsAs(recorded) === 'completed';
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
