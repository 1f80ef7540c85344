import { countEach, groupBy, keepIn, sum } from '../../lib/collections.ts';
import { withoutFolder } from '../../lib/files.ts';
import { compareTexts } from '../../lib/text.ts';
import { nameBlamed } from '../../metrics/blame.ts';
import { countsAs } from '../../metrics/record.ts';
import type { Catalog } from '../../provider/catalog.ts';
import { stepPriceAt } from '../../provider/prices.ts';
import { createTouches } from '../../replay/references/calls.ts';
import { agentTitleOf, toConfigChange } from '../../report/agent-keys.ts';
import type { ToldAnswer } from '../../report/answer.ts';
import { type ArmRun, armRunOf } from '../../report/arms.ts';
import { describeSetting } from '../../report/change-block.ts';
import { diagnosisOf, worstOf } from '../../report/diagnosis.ts';
import { textOf } from '../../report/document.ts';
import { countOf } from '../../report/numbers.ts';
import type { UnreadInput } from '../../report/report.ts';
import { describeModel, describeSetups } from '../../report/setup.ts';
import { bySupport, judgeTried, type TriedChange } from '../../report/verdict.ts';
import type { AgentConfigs } from '../../scenario/agent-config.ts';
import { claimOfRecording } from '../../scenario/recording-agents.ts';
import { createOpener, type SessionPlace } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';
import { NO_STORY, storyOf } from '../../session/story.ts';
import type { SetupOf } from '../../setup/setup.ts';
import { contentFor } from '../../summarizer/summarizers.ts';
import { tokenizersOf } from '../../tokens/encodings.ts';
import { planSweep, type SweepPlan } from '../plan.ts';
import { openPool } from '../pool/pool.ts';
import { runPlan } from '../run-plan.ts';
import { countUnfit, fitsRecording } from '../run/meet-setup.ts';
import type { ResultRow } from '../store/read-rows.ts';
import { lateEdgeTokens, ownUsableTokens } from '../tune/screen-axes.ts';
import { type AgentSession, type AnswerGroup, groupSessions, type RowOf } from './answer-groups.ts';

export interface AnswerOptions {
  readonly files: readonly string[];
  /** The agent whose place a file lies in; that of its format where it lies elsewhere. */
  readonly agentOf: ReadonlyMap<string, string>;
  readonly unread: readonly UnreadInput[];
  readonly catalog: Catalog;
  readonly version: string;
  readonly setupOf: SetupOf;
  readonly configs: AgentConfigs['configs'];
  readonly unreadConfigs: AgentConfigs['unread'];
  readonly summarizer: string;
  readonly policy: string;
  readonly jobs: number;
  readonly cacheFolder?: string | undefined;
  readonly nameOf: (path: string) => string;
  /** A short name of a session for `explain`; unknown of files that were named. */
  readonly idOf: (session: string) => string | null;
  readonly signal?: AbortSignal | undefined;
  readonly onFile?: ((file: string, index: number) => void) | undefined;
  readonly onRun?: ((doneChars: number, allChars: number) => void) | undefined;
}

type Recorded = ReturnType<typeof findRecorded>[number];

type Ended = ReturnType<typeof findEnded>[number];

type Tried = ReturnType<typeof gatherTried>[number];

const VARIABLE = /^\w+ ?=/;

const SEED = 1;

export async function planAnswer(options: AnswerOptions): Promise<SweepPlan | undefined> {
  const { files, setupOf, nameOf, jobs, cacheFolder, signal, onFile } = options;
  const isSized = cacheFolder !== undefined && contentFor(options.summarizer) === 'sizes';
  const traces = isSized ? { cacheFolder, models: [null] } : undefined;
  const runs = { cells: [], seeds: [SEED], jobs, keptIn: cacheFolder, traces, signal };
  return await planSweep({ files, setupOf, nameOf, onFile, ...runs });
}

export async function findAnswer(
  plan: SweepPlan,
  options: AnswerOptions,
): Promise<ToldAnswer | undefined> {
  const { agentOf, catalog, version, summarizer, unread, unreadConfigs } = options;
  const run = plan.sessions.flatMap((session, index): readonly AgentSession[] => {
    if (session.skipped !== undefined) return [];
    const { ref, recordedBy } = session;
    const title = agentTitleOf(claimOfRecording(recordedBy)?.preset ?? '') ?? recordedBy.format;
    return [{ agent: agentOf.get(ref.file) ?? title, session, index }];
  });
  const { groups, withoutModel } = groupSessions(run, options);
  const rowOf = await runGroups(plan, groups, options);
  if (rowOf === undefined) return undefined;
  const recorded = findRecorded(groups, rowOf);
  const { failed, unfit, ...judged } = describeAll(groups, rowOf);
  const withoutPreset = groups.filter(({ base }) => base === undefined);
  return {
    answerVersion: 2,
    verdict: judged.verdict,
    recorded: sumRecorded(recorded),
    simulated: judged.simulated,
    idle: judged.idle,
    late: findLate(groups),
    ...diagnose(groups, rowOf),
    mostExpensive: findMostExpensive(recorded, options),
    settings: settingsInForce(groups, options),
    // Releases are held against the one that runs today.
    surprises: [...groupBy(groups, ({ agent }) => agent).values()].flatMap((own) => [
      ...describeSetups(own.flatMap(setupsOf), own[0]?.base?.policy),
    ]),
    setups: [...countEach(groups.flatMap(setupsOf).map(describeModel))].map(
      ([words, count]) => `${countOf(count, 'session')}: ${words}.`,
    ),
    basis: {
      origin: {
        version,
        catalog: { source: withoutFolder(catalog.source), hash: catalog.hash },
        tokenizers: tokenizersOf(groups.map((group) => group.recorded.model.id)),
        settings: {},
      },
      summarizer,
      sessions: sum(groups.map(({ sessions: { length } }) => length)),
      measured: recorded.length,
    },
    found: [...countEach(run.map(({ agent }) => agent))]
      .map(([agent, sessions]) => ({ agent, sessions }))
      .toSorted((a, b) => b.sessions - a.sessions || compareTexts(a.agent, b.agent)),
    leftOut: {
      copies: plan.sessions.length - run.length,
      withoutModel,
      withoutPreset: sum(withoutPreset.map(({ sessions: { length } }) => length)),
      failed,
      unfit,
      unread: [...unread, ...plan.unread],
      configurations: [...unreadConfigs],
    },
  };
}

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

export function cellsOf({ recorded, base, changes }: AnswerGroup) {
  return [recorded, ...(base ? [base] : []), ...changes.map(({ cell }) => cell)];
}

async function runGroups(
  plan: SweepPlan,
  groups: readonly AnswerGroup[],
  { jobs, cacheFolder, signal, onRun }: AnswerOptions,
): Promise<RowOf | undefined> {
  const cells = [...new Map(groups.flatMap(cellsOf).map((cell) => [cell.id, cell])).values()];
  const wanted = new Map(
    groups.flatMap((group) => {
      const ids = new Set(cellsOf(group).map(({ id }) => id));
      return group.sessions.map(({ index }) => [index, ids] as const);
    }),
  );
  const indexOf = (place: number) => Math.floor(place / cells.length);
  const isDone = (place: number) =>
    wanted.get(indexOf(place))?.has(cells[place % cells.length]?.id ?? '') !== true;
  const rows = new Map<string, Map<string, ResultRow>>();
  const allChars = sum([...wanted.keys()].map((index) => plan.sessions[index]?.size ?? 0));
  const context = { cacheFolder, hasBounds: false };
  const pool = openPool({ jobs, ...context });
  try {
    let doneChars = 0;
    const all = { ...plan, cells };
    for await (const { place, line } of runPlan(all, { pool, isDone, signal, ...context })) {
      const row: ResultRow = JSON.parse(line);
      keepIn(rows, row.session, () => new Map<string, ResultRow>()).set(row.cell, row);
      const index = indexOf(place);
      doneChars += (plan.sessions[index]?.size ?? 0) / (wanted.get(index)?.size ?? 1);
      onRun?.(doneChars, allChars);
    }
  } finally {
    await pool?.close();
  }
  if (signal?.aborted) return undefined;
  return ({ session }, { id }) => rows.get(session.ref.name)?.get(id);
}

function setupsOf({ sessions }: AnswerGroup) {
  return sessions.flatMap(({ session }) => session.ref.setup ?? []);
}

function findLate(groups: readonly AnswerGroup[]) {
  const all = groups.flatMap(({ agent, inUse }) => {
    const edgeTokens = inUse && lateEdgeTokens({ ...inUse, limits: inUse.model.limits });
    if (edgeTokens === undefined) return [];
    return [{ agent, edgeTokens, ...stepPriceAt(edgeTokens, inUse?.model.prices) }];
  });
  return [...groupBy(all, ({ agent }) => agent).values()].flatMap((own) =>
    own.toSorted((a, b) => (b.writeUsd ?? 0) - (a.writeUsd ?? 0)).slice(0, 1),
  );
}

function settingsInForce(groups: readonly AnswerGroup[], { configs }: AnswerOptions) {
  const agents = new Set(groups.flatMap(({ agent, base }) => (base === undefined ? [] : [agent])));
  return [...configs.values()]
    .filter(({ agent }) => agents.has(agent))
    .map(({ agent, from, keys }) => ({ agent, from: [...from], keys: [...keys] }));
}

function findRecorded(groups: readonly AnswerGroup[], rowOf: RowOf) {
  return groups.flatMap(({ recorded, sessions }) =>
    sessions.flatMap((one) => {
      const row = rowOf(one, recorded);
      return row?.state === 'completed' ? [{ session: one.session, row }] : [];
    }),
  );
}

function sumRecorded(recorded: readonly Recorded[]) {
  const costs = recorded.flatMap(({ row }) => row.metrics.costUsd ?? []);
  const compactions = recorded.map(({ row }) => row.metrics.compactions ?? 0);
  return {
    costUsd: costs.length === 0 ? null : sum(costs),
    sessions: recorded.length,
    sessionsWithCost: costs.length,
    compactions: sum(compactions),
    sessionsCompacted: compactions.filter((count) => count > 0).length,
  };
}

/** Findings of what really happened where that is known, else of what the preset would do. */
function diagnose(groups: readonly AnswerGroup[], rowOf: RowOf) {
  const rows = groups.flatMap(({ recorded, base, sessions }) =>
    sessions.flatMap((one) => {
      const own = rowOf(one, recorded);
      const row = own?.state === 'completed' ? own : base && rowOf(one, base);
      return row === undefined ? [] : [{ ...row, policy: '', ref: one.session.ref }];
    }),
  );
  const diagnosis = diagnosisOf(rows);
  const opener = createOpener();
  const blamed = worstOf(diagnosis).flatMap(({ session, finding }) => {
    const ref = rows.find((row) => row.session === session)?.ref;
    const opened = ref && opener.open(ref);
    return opened?.state === 'read' ? [...nameBlamed(opened.session, [finding])] : [];
  });
  return { diagnosis, blamed: new Map(blamed) };
}

function findMostExpensive(recorded: readonly Recorded[], { idOf }: AnswerOptions) {
  const [most] = recorded.toSorted(
    (a, b) => (b.row.metrics.costUsd ?? 0) - (a.row.metrics.costUsd ?? 0),
  );
  const { costUsd = null, compactions = null } = most?.row.metrics ?? {};
  if (most === undefined || costUsd === null) return null;
  const { session } = most.row;
  const told = tellExpensive(most.session.ref);
  return { session, id: idOf(session), ...told, costUsd, compactions: compactions ?? 0 };
}

function tellExpensive(place: SessionPlace) {
  const opened = createOpener().open(place);
  if (opened.state === 'unread') return { ...NO_STORY, readAgain: null };
  return { ...storyOf(opened.session), readAgain: findReadAgain(opened.session) };
}

function findReadAgain({ messages, recordedCompactions }: Session) {
  const start = recordedCompactions.find(({ kind }) => kind === 'full');
  if (start === undefined) return null;
  const touches = createTouches(messages);
  const readsIn = (from: number, to: number) =>
    messages
      .slice(from, to)
      .flatMap(({ parts }) => parts)
      .flatMap((part) => touches.of(part))
      .flatMap(({ path, operation }) => (operation === 'read' ? [path] : []));
  const before = new Set(readsIn(0, start.messageIndex));
  const again = readsIn(start.messageIndex, messages.length).filter((path) => before.has(path));
  const [most] = [...countEach(again)].toSorted(([, one], [, other]) => other - one);
  return most === undefined ? null : { file: most[0], times: most[1] };
}

function findEnded(group: AnswerGroup, rowOf: RowOf) {
  const { base: cell, sessions } = group;
  if (cell === undefined) return [];
  return sessions.flatMap((one) => {
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
  return [...groupBy(runs, ({ key }) => key).values()].map((some) => {
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
