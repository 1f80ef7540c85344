import { groupBy, sum } from '../../lib/collections.ts';
import { countsAs } from '../../metrics/record.ts';
import { toConfigChange } from '../../report/agent-keys.ts';
import { type ArmRun, armRunOf } from '../../report/arms.ts';
import { describeSetting } from '../../report/change-block.ts';
import { textOf } from '../../report/document.ts';
import { bySupport, judgeTried, type TriedChange } from '../../report/verdict.ts';
import { countUnfit, fitsRecording } from '../run/recorded-fit.ts';
import type { ResultRow } from '../store/read-rows.ts';
import { ownUsableTokens } from '../tune/screen-axes.ts';
import type { AgentSession, AnswerGroup, RowOf } from './answer-groups.ts';
import type { Change } from './changes.ts';

interface Ended {
  readonly one: AgentSession;
  readonly group: AnswerGroup;
  readonly base: ResultRow;
  readonly recorded: ResultRow | undefined;
}

interface Tried {
  readonly agent: string;
  readonly policy: string;
  readonly changes: readonly [Change, ...Change[]];
  readonly pairings: readonly {
    readonly group: AnswerGroup;
    readonly a: ArmRun;
    readonly b: ArmRun;
  }[];
  readonly failed: number;
}

const VARIABLE = /^\w+ ?=/;

export function describeAll(groups: readonly AnswerGroup[], rowOf: RowOf) {
  const withPreset = groups.filter(({ base }) => base !== undefined);
  const ended = withPreset.flatMap((group) => findEnded(group, rowOf));
  const fits = ended.map(({ one, base, recorded }) =>
    fitsRecording({ recorded, base, setup: one.session.ref.setup }),
  );
  const tried = gatherTried(
    ended.filter((_, index) => fits[index]),
    rowOf,
  );
  const judged = judgeTried(
    tried.map(({ agent, pairings, failed }) => ({ name: agent, matched: pairings, failed })),
  );
  const verdict = tried.flatMap((one, index) => {
    const own = judged[index];
    return own === undefined ? [] : [toVerdict(one, own)];
  });
  const all = sum(withPreset.map(({ sessions }) => sessions.length));
  return {
    verdict: verdict.toSorted(bySupport),
    simulated: compareWithRecorded(ended),
    idle: findIdle(tried),
    failed: all - ended.length,
    /** Nothing is said of changes where the preset does not compact as recorded. */
    unfit: countUnfit(
      ended
        .filter((_, index) => !fits[index])
        .map(({ one, base, recorded }) => ({ recorded, base, setup: one.session.ref.setup })),
    ),
  };
}

function findEnded(group: AnswerGroup, rowOf: RowOf) {
  const { base: cell, sessions } = group;
  if (cell === undefined) return [];
  return sessions.flatMap((one) => {
    const base = rowOf(one, cell);
    if (base === undefined || countsAs(base) !== 'completed') return [];
    return [{ one, group, base, recorded: rowOf(one, group.recorded) }];
  });
}

function gatherTried(complete: readonly Ended[], rowOf: RowOf) {
  const runs = complete.flatMap(({ one, group, base }) =>
    group.changes.flatMap(({ change, cell }) => {
      const changed = rowOf(one, cell);
      const isPriced = base.metrics.costUsd !== null;
      const key = JSON.stringify([one.agent, change.setting, change.to, isPriced]);
      return changed === undefined ? [] : [{ key, agent: one.agent, group, change, base, changed }];
    }),
  );
  return [...groupBy(runs, ({ key }) => key).values()].flatMap((some) => {
    const [first, ...others] = some;
    if (first === undefined) return [];
    const pairings = some
      .filter(({ changed }) => countsAs(changed) === 'completed')
      .map(({ group, base, changed }) => ({
        group,
        a: armRunOf(base.session, base),
        b: armRunOf(changed.session, changed),
      }));
    return [
      {
        agent: first.agent,
        policy: first.base.policy,
        changes: [first.change, ...others.map(({ change }) => change)] as const,
        pairings,
        failed: some.length - pairings.length,
      },
    ];
  });
}

/** Agents whose sessions nothing acts on, with the edge that is nearest. */
function findIdle(tried: readonly Tried[]) {
  return [...groupBy(tried, ({ agent }) => agent)].flatMap(([agent, own]) => {
    const pairings = own.flatMap((one) => one.pairings);
    const runs = pairings.flatMap(({ a, b }) => [a, b]);
    const isIdle = runs.length > 0 && runs.every(({ hasActed }) => hasActed === false);
    if (!isIdle || own.some(({ failed }) => failed > 0)) return [];
    const edges = pairings.flatMap(({ group }) => usableIn(group) ?? []);
    const largestTokens = Math.max(...runs.map((run) => run.largestTokens ?? 0));
    return [{ agent, edgeTokens: edges.length === 0 ? null : Math.min(...edges), largestTokens }];
  });
}

function usableIn({ inUse }: AnswerGroup) {
  return inUse && ownUsableTokens({ policy: inUse.policy, limits: inUse.model.limits });
}

function toVerdict(tried: Tried, judged: TriedChange) {
  const { agent, policy, changes } = tried;
  const [{ setting, to: value }] = changes;
  const today = changes.flatMap(({ from }) => from ?? []);
  const words = describeSetting(setting, value, today);
  return {
    change: textOf(words.change),
    short: textOf(words.short),
    agent,
    policy,
    setting,
    value,
    isRead: changes.some(({ isRead }) => isRead),
    keys: keysFor(tried),
    ...judged,
  };
}

/** A variable has one value for all models: that of the sessions in which the change saves more. */
function keysFor({ changes: [{ setting, to }], pairings }: Tried) {
  const all = [...groupBy(pairings, ({ group }) => group)]
    .map(([group, own]) => ({
      group,
      saved: sum(own.map(({ a, b }) => amountOf(a) - amountOf(b))),
    }))
    .toSorted((one, other) => other.saved - one.saved)
    .flatMap(({ group }) => {
      if (group.inUse === undefined) return [];
      const { policy, model, release } = group.inUse;
      const usableTokens = usableIn(group) ?? null;
      const today = { ...model.limits, model: model.id, usableTokens, release };
      const { written } = toConfigChange(policy.name, { [setting]: to }, today);
      return written.map((key) => ({ ...key, model: model.id }));
    });
  // A text of another form is a variable of its own.
  const variables = groupBy(all, ({ where, text }) =>
    JSON.stringify([where, VARIABLE.exec(text)?.[0] ?? text]),
  );
  return [...variables.values()].flatMap((own) =>
    own.slice(0, 1).map(({ where, text }) => {
      const modelsOf = (isSame: boolean) => [
        ...new Set(own.flatMap((key) => ((key.text === text) === isSame ? [key.model] : []))),
      ];
      return { where, text, models: modelsOf(true), others: modelsOf(false) };
    }),
  );
}

function amountOf({ costUsd, tokens }: ArmRun) {
  return costUsd ?? tokens ?? 0;
}

function compareWithRecorded(ended: readonly Ended[]) {
  const known = ended.flatMap(({ one: { agent }, base, recorded }) => {
    const isKnown = recorded !== undefined && countsAs(recorded) === 'completed';
    return isKnown && recorded.metrics.costUsd !== null
      ? [{ agent, policy: base.policy, recorded: recorded.metrics, simulated: base.metrics }]
      : [];
  });
  return [...groupBy(known, ({ agent }) => agent)].map(([agent, some]) => {
    const sumsOf = (metric: 'costUsd' | 'compactions') => ({
      recorded: sum(some.map(({ recorded }) => recorded[metric] ?? 0)),
      simulated: sum(some.map(({ simulated }) => simulated[metric] ?? 0)),
    });
    return {
      agent,
      policy: some[0]?.policy ?? '',
      sessions: some.length,
      costUsd: sumsOf('costUsd'),
      compactions: sumsOf('compactions'),
    };
  });
}
