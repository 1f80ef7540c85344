import { groupBy, sum } from '../../lib/collections.ts';
import { countsAs } from '../../metrics/record.ts';
import { toConfigChange } from '../../report/agent-keys.ts';
import { type ArmRun, armRunOf } from '../../report/arms.ts';
import { describeSetting } from '../../report/change-block.ts';
import { textOf } from '../../report/document.ts';
import { bySupport, judgeTried, type TriedChange } from '../../report/verdict.ts';
import type { Setup } from '../../setup/setup.ts';
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
  readonly setup: Setup | undefined;
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
  const ended = groups.flatMap((group) => findEnded(group, rowOf));
  const tried = gatherTried(ended.filter(fitsRecording), rowOf);
  const judged = judgeTried(
    tried.map(({ agent, pairings, failed }) => ({ name: agent, matched: pairings, failed })),
  );
  const verdict = tried.flatMap((one, index) => {
    const own = judged[index];
    return own === undefined ? [] : [toVerdict(one, own)];
  });
  const begun = groups.flatMap(({ base, sessions }) => (base === undefined ? [] : sessions));
  return {
    verdict: verdict.toSorted(bySupport),
    simulated: compareWithRecorded(ended),
    idle: findIdle(tried),
    failed: begun.length - ended.length,
    /** Nothing is said of changes where the preset does not compact as recorded. */
    unfit: countUnfit(ended.filter((run) => !fitsRecording(run))),
  };
}

function findEnded(group: AnswerGroup, rowOf: RowOf) {
  const { base: cell, sessions } = group;
  if (cell === undefined) return [];
  return sessions.flatMap((one): readonly Ended[] => {
    const base = rowOf(one, cell);
    if (!isCompleted(base)) return [];
    const { setup } = one.session.ref;
    return [{ one, group, base, recorded: rowOf(one, group.recorded), setup }];
  });
}

function isCompleted(row: ResultRow | undefined): row is ResultRow {
  return row !== undefined && countsAs(row) === 'completed';
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
  return [...groupBy(runs, ({ key }) => key).values()].map((some): Tried => {
    const [{ agent, base, change }, ...others] = some;
    const pairings = some
      .filter(({ changed }) => isCompleted(changed))
      .map((one) => ({
        group: one.group,
        a: armRunOf(one.base.session, one.base),
        b: armRunOf(one.changed.session, one.changed),
      }));
    const changes = [change, ...others.map((other) => other.change)] as const;
    return { agent, policy: base.policy, changes, pairings, failed: some.length - pairings.length };
  });
}

/** Agents whose sessions nothing acts on, with the edge that is nearest. */
function findIdle(tried: readonly Tried[]) {
  return [...groupBy(tried, ({ agent }) => agent)].flatMap(([agent, own]) => {
    const pairings = own.flatMap((one) => one.pairings);
    const runs = pairings.flatMap(({ a, b }) => [a, b]);
    const isIdle = runs.every(({ hasActed }) => hasActed === false);
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
  return [...variables.values()].map((own) => {
    const [{ where, text }] = own;
    const modelsOf = (isSame: boolean) => [
      ...new Set(own.flatMap((key) => ((key.text === text) === isSame ? [key.model] : []))),
    ];
    return { where, text, models: modelsOf(true), others: modelsOf(false) };
  });
}

function amountOf({ costUsd, tokens }: ArmRun) {
  return costUsd ?? tokens ?? 0;
}

function compareWithRecorded(ended: readonly Ended[]) {
  const known = ended.flatMap(({ one: { agent }, base, recorded }) =>
    isCompleted(recorded) && recorded.metrics.costUsd !== null
      ? [{ agent, policy: base.policy, recorded: recorded.metrics, simulated: base.metrics }]
      : [],
  );
  return [...groupBy(known, ({ agent }) => agent)].map(([agent, some]) => {
    const sumsOf = (metric: 'costUsd' | 'compactions') => ({
      recorded: sum(some.map(({ recorded }) => recorded[metric] ?? 0)),
      simulated: sum(some.map(({ simulated }) => simulated[metric] ?? 0)),
    });
    const [{ policy }] = some;
    return {
      agent,
      policy,
      sessions: some.length,
      costUsd: sumsOf('costUsd'),
      compactions: sumsOf('compactions'),
    };
  });
}
