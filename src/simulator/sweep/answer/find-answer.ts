import { agentTitleOf } from '../../report/agent-keys.ts';
import { recordingRelease } from '../../scenario/recording-agents.ts';
import { countEach, groupBy, keepIn, sum } from '../../lib/collections.ts';
import { withoutFolder } from '../../lib/files.ts';
import { compareTexts } from '../../lib/text.ts';
import type { Catalog } from '../../provider/catalog.ts';
import type { Answer } from '../../report/answer-schema.ts';
import { countOf } from '../../report/numbers.ts';
import type { UnreadInput } from '../../report/report.ts';
import { describeModel, describeSetups } from '../../report/setup.ts';
import type { AgentConfigs } from '../../scenario/agent-config.ts';
import type { Setup, SetupOf } from '../../setup/setup.ts';
import { tokenizersOf } from '../../tokens/encodings.ts';
import { type PlannedSession, planSweep, type SweepPlan } from '../plan.ts';
import { openPool } from '../pool/pool.ts';
import { runPlan } from '../run-plan.ts';
import type { ResultRow } from '../store/row.ts';
import {
  type AgentSession,
  type AnswerGroup,
  type AnswerGroups,
  cellsOf,
  cellsOfGroup,
  groupSessions,
  type RowOf,
} from './answer-groups.ts';
import { tellExpensive } from './expensive.ts';
import { describeAll } from './verdicts.ts';

/** The sessions that an answer is about, and how it is found. */
export interface AnswerOptions {
  readonly files: readonly string[];
  /** The agent whose place a file lies in; that of its format where it lies elsewhere. */
  readonly agentOf: ReadonlyMap<string, string>;
  /** Inputs that could not be looked at before anything was read. */
  readonly unread: readonly UnreadInput[];
  readonly catalog: Catalog;
  /** The release of this program. */
  readonly version: string;
  /** Decides what is known about each session. */
  readonly setupOf: SetupOf;
  /** Settings of agents on this machine. */
  readonly configs: AgentConfigs['configs'];
  readonly unreadConfigs: AgentConfigs['unread'];
  readonly summarizer: string;
  /** The policy of generated sessions. */
  readonly policy: string;
  readonly jobs: number;
  readonly cacheFolder?: string | undefined;
  readonly nameOf: (path: string) => string;
  /** A short name of a session, by which `explain` finds it on this machine; unknown of files that were named. */
  readonly idOf: (session: string) => string | null;
  readonly signal?: AbortSignal | undefined;
  /** Told of each file before it is read. */
  readonly onFile?: ((file: string, index: number) => void) | undefined;
  /** Told after each run how large the sessions are that are done, of all that are run. */
  readonly onRun?: ((doneChars: number, allChars: number) => void) | undefined;
}

const SEED = 1;

/** Reads what the files hold; `undefined` if somebody wanted to stop. */
export async function planAnswer(options: AnswerOptions): Promise<SweepPlan | undefined> {
  const { files, setupOf, nameOf, jobs, cacheFolder: keptIn, signal, onFile } = options;
  return await planSweep({
    files,
    cells: [],
    seeds: [SEED],
    setupOf,
    nameOf,
    jobs,
    keptIn,
    signal,
    onFile,
  });
}

/**
 * Runs sessions as they were recorded, as their agents do today, and with changes, and judges these; `undefined` if somebody wanted
 * to stop.
 */
export async function findAnswer(
  plan: SweepPlan,
  options: AnswerOptions,
): Promise<Answer | undefined> {
  const sessions = toAgentSessions(plan, options);
  const grouped = groupSessions(
    sessions.filter(({ session }) => session.skipped === undefined),
    options,
  );
  const rowOf = await runGroups(plan, grouped.groups, options);
  return rowOf && toAnswer({ plan, sessions, grouped, rowOf }, options);
}

function toAgentSessions(
  { sessions }: SweepPlan,
  { agentOf }: AnswerOptions,
): readonly AgentSession[] {
  return sessions.map((session, index) => ({
    agent: agentOf.get(session.ref.file) ?? agentNameOf(session),
    session,
    index,
  }));
}

/** The agent of a file that was named, by its name for people where a preset stands for it. */
function agentNameOf({ recordedBy }: PlannedSession): string {
  return agentTitleOf(recordingRelease(recordedBy) ?? '') ?? recordedBy.format;
}

/** Runs each session in the cells of its group; `undefined` if somebody wanted to stop. */
async function runGroups(
  plan: SweepPlan,
  groups: readonly AnswerGroup[],
  { jobs, cacheFolder, signal, onRun }: AnswerOptions,
): Promise<RowOf | undefined> {
  const cells = cellsOf(groups);
  const wanted = wantedCells(groups);
  const isDone = (place: number) => {
    const cell = cells[place % cells.length];
    return (
      cell === undefined || wanted.get(Math.floor(place / cells.length))?.has(cell.id) !== true
    );
  };
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
      const index = Math.floor(place / cells.length);
      doneChars += (plan.sessions[index]?.size ?? 0) / (wanted.get(index)?.size ?? 1);
      onRun?.(doneChars, allChars);
    }
  } finally {
    await pool?.close();
  }
  if (signal?.aborted) return undefined;
  return ({ session }, { id }) => rows.get(session.ref.name)?.get(id);
}

/** Ids of the cells that each session is run in, by its index. */
function wantedCells(groups: readonly AnswerGroup[]): ReadonlyMap<number, ReadonlySet<string>> {
  return new Map(
    groups.flatMap((group) => {
      const ids = new Set(cellsOfGroup(group).map(({ id }) => id));
      return group.sessions.map(({ index }) => [index, ids] as const);
    }),
  );
}

function toAnswer(
  {
    plan,
    sessions,
    grouped,
    rowOf,
  }: {
    readonly plan: SweepPlan;
    readonly sessions: readonly AgentSession[];
    readonly grouped: AnswerGroups;
    readonly rowOf: RowOf;
  },
  options: AnswerOptions,
): Answer {
  const { unread, unreadConfigs } = options;
  const { groups, withoutModel } = grouped;
  const { verdict, simulated, idle, failed, unfit } = describeAll(groups, rowOf);
  const run = sessions.filter(({ session }) => session.skipped === undefined);
  const recorded = sumRecorded(groups, rowOf);
  const withoutPreset = groups.filter(({ base }) => base === undefined);
  return {
    answerVersion: 2,
    verdict: [...verdict],
    recorded,
    simulated: [...simulated],
    idle: [...idle],
    mostExpensive: findMostExpensive(groups, rowOf, options),
    settings: settingsInForce(groups, options),
    surprises: [...groupBy(groups, ({ agent }) => agent).values()].flatMap(describeAgent),
    setups: [...describeWindowsOf(groups)],
    basis: {
      origin: toOrigin(groups, options),
      summarizer: options.summarizer,
      sessions: sum(groups.map(({ sessions: { length } }) => length)),
      measured: recorded.sessions,
    },
    found: countByAgent(run),
    leftOut: {
      copies: sessions.length - run.length,
      withoutModel,
      withoutPreset: sum(withoutPreset.map(({ sessions: { length } }) => length)),
      failed,
      unfit,
      unread: [...unread, ...plan.unread],
      configurations: [...unreadConfigs],
    },
  };
}

/** Setups of an agent's sessions that a reader would not expect; releases are held against the one that runs today. */
function describeAgent(groups: readonly AnswerGroup[]): readonly string[] {
  return describeSetups(setupsIn(groups), groups[0]?.base?.policy);
}

function describeWindowsOf(groups: readonly AnswerGroup[]): readonly string[] {
  return [...countEach(setupsIn(groups).map(describeModel))].map(
    ([words, count]) => `${countOf(count, 'session')}: ${words}.`,
  );
}

function setupsIn(groups: readonly AnswerGroup[]): readonly Setup[] {
  return groups.flatMap(({ sessions }) =>
    sessions.flatMap(({ session }) => session.ref.setup ?? []),
  );
}

/** The configurations that any of the sessions were run with. */
function settingsInForce(
  groups: readonly AnswerGroup[],
  { configs }: AnswerOptions,
): Answer['settings'] {
  const agents = new Set(groups.flatMap(({ agent, base }) => (base === undefined ? [] : [agent])));
  return [...configs.values()]
    .filter(({ agent }) => agents.has(agent))
    .map(({ agent, from, keys }) => ({ agent, from: [...from], keys: [...keys] }));
}

function toOrigin(
  groups: readonly AnswerGroup[],
  { catalog: { source, hash }, version }: AnswerOptions,
): Answer['basis']['origin'] {
  const models = groups.map(({ recorded }) => recorded.model.id);
  return {
    version,
    catalog: { source: withoutFolder(source), hash },
    tokenizers: tokenizersOf(models),
    settings: {},
  };
}

function countByAgent(sessions: readonly AgentSession[]): Answer['found'] {
  const counts = new Map<string, number>();
  for (const { agent } of sessions) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return [...counts]
    .map(([agent, count]) => ({ agent, sessions: count }))
    .toSorted((a, b) => b.sessions - a.sessions || compareTexts(a.agent, b.agent));
}

/** The recorded runs that a provider's usage tells of. */
function recordedRows(groups: readonly AnswerGroup[], rowOf: RowOf) {
  return groups.flatMap(({ recorded, sessions }) =>
    sessions.flatMap((one) => {
      const row = rowOf(one, recorded);
      return row?.state === 'completed' ? [{ one, row }] : [];
    }),
  );
}

function sumRecorded(groups: readonly AnswerGroup[], rowOf: RowOf): Answer['recorded'] {
  const rows = recordedRows(groups, rowOf).map(({ row }) => row.metrics);
  const costs = rows.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]));
  const compactions = rows.map(({ compactions: count }) => count ?? 0);
  return {
    costUsd: costs.length === 0 ? null : sum(costs),
    sessions: rows.length,
    sessionsWithCost: costs.length,
    compactions: sum(compactions),
    sessionsCompacted: compactions.filter((count) => count > 0).length,
  };
}

function findMostExpensive(
  groups: readonly AnswerGroup[],
  rowOf: RowOf,
  { idOf }: AnswerOptions,
): Answer['mostExpensive'] {
  const [most] = recordedRows(groups, rowOf).toSorted(
    (a, b) => (b.row.metrics.costUsd ?? 0) - (a.row.metrics.costUsd ?? 0),
  );
  const costUsd = most?.row.metrics.costUsd;
  if (most === undefined || typeof costUsd !== 'number') return null;
  const { session } = most.one;
  return {
    session: most.row.session,
    id: idOf(most.row.session),
    ...tellExpensive(session.ref),
    costUsd,
    compactions: most.row.metrics.compactions ?? 0,
  };
}
