import { countEach, groupBy, keepIn, sum } from '../../lib/collections.ts';
import { withoutFolder } from '../../lib/files.ts';
import { compareTexts } from '../../lib/text.ts';
import type { Catalog } from '../../provider/catalog.ts';
import { nameBlamed } from '../../metrics/blame.ts';
import { createTouches } from '../../replay/references/touches.ts';
import { agentTitleOf } from '../../report/agent-keys.ts';
import type { ToldAnswer } from '../../report/answer.ts';
import { diagnosisOf, worstOf } from '../../report/diagnosis.ts';
import { countOf } from '../../report/numbers.ts';
import type { UnreadInput } from '../../report/report.ts';
import { describeModel, describeSetups } from '../../report/setup.ts';
import type { AgentConfigs } from '../../scenario/agent-config.ts';
import { claimOfRecording } from '../../scenario/recording-agents.ts';
import { createOpener, type SessionPlace } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';
import { NO_STORY, storyOf } from '../../session/story.ts';
import type { SetupOf } from '../../setup/setup.ts';
import { tokenizersOf } from '../../tokens/encodings.ts';
import { type PlannedSession, planSweep, type SweepPlan } from '../plan.ts';
import { openPool } from '../pool/pool.ts';
import { runPlan } from '../run-plan.ts';
import type { ResultRow } from '../store/read-rows.ts';
import {
  type AgentSession,
  type AnswerGroup,
  cellsOf,
  groupSessions,
  type RowOf,
} from './answer-groups.ts';
import { stepPriceAt } from '../../provider/prices.ts';
import { contentFor } from '../../summarizer/summarizers.ts';
import { lateEdgeTokens } from '../tune/screen-axes.ts';
import { describeAll } from './verdicts.ts';

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

interface Recorded {
  readonly session: PlannedSession;
  readonly row: ResultRow;
}

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
    return [{ agent: agentOf.get(session.ref.file) ?? agentNameOf(session), session, index }];
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

function agentNameOf({ recordedBy }: PlannedSession) {
  return agentTitleOf(claimOfRecording(recordedBy)?.preset ?? '') ?? recordedBy.format;
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
