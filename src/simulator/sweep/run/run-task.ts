import { join } from 'node:path';
import type { RunEvent } from '../../events.ts';
import { groupBy, keepIn, perKey } from '../../lib/collections.ts';
import { HarnessError, messageOf, badOption } from '../../lib/errors.ts';
import { isList } from '../../lib/json.ts';
import { openKeep } from '../../lib/keep.ts';
import { ADAPTER_NAME, type AdapterPlace } from '../../replay/foreign/compactor.ts';
import type { RunView } from '../../report/plots.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import { contentFor, findSummarizer } from '../../summarizer/summarizers.ts';
import { type Counters, createCounters } from '../../tokens/tokenizer.ts';
import { type Cell, isSimulated, isPolicy } from '../grid.ts';
import type { ResultRow } from '../store/read-rows.ts';
import { type Met, meetingKey, meetSetup } from './meet-setup.ts';
import { type EffectiveCell, type Outcome, outcomeKey, readCell } from './outcomes.ts';
import {
  type BareFor,
  createCounts,
  createPrepare,
  NEVER_ASKED,
  openTraces,
  type PreparedSession,
} from './prepare.ts';
import {
  type AdapterArm,
  cellOf,
  digestEvents,
  measureRun,
  NO_KEY,
  requireAnswers,
  runArm,
  type RunOfCell,
  toFinished,
  unrun,
} from './row.ts';
import {
  byId,
  type CellsById,
  type FinishedRun,
  type SessionRef,
  type SweepTask,
  type TaskRun,
} from './task.ts';
import { RECORDED, type RecordedArm } from '../../replay/recorded.ts';
import type { Policy } from '../../../engine/index.ts';

export interface TaskContext {
  readonly cells: CellsById;
  readonly load: (modelIds: ReadonlySet<string>) => Promise<void>;
  readonly prepare: (ref: SessionRef) => PreparedSession;
  readonly findSummarizer: (name: string) => AnySummarizer;
  readonly hasBounds?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface OpenTaskContext extends TaskContext {
  readonly bareFor: BareFor;
}

export interface LiveCells {
  isLive(cell: Pick<Cell, 'summarizer'>): boolean;
  /** Throws `HarnessError` where what asking needs is not there, such as a key. */
  find(name: string): AnySummarizer;
  readonly tasksAtOnce: number;
  readonly firstSeed: number;
  readonly adapter?: AdapterArm | undefined;
}

type Meeting = { readonly cell: Met<Cell>; readonly effective: EffectiveCell };
export type ReadRun = (run: TaskRun) => EffectiveCell;

/** A row whose run was made once more, with all that a picture of it needs; or why it was not. */
export type Repeated =
  | {
      readonly state: 'same';
      readonly events: readonly RunEvent[];
      readonly view?: RunView;
    }
  | { readonly state: 'other'; readonly reason: string };

/** Whoever opens results starts nobody's program. */
const NOT_STARTED_AGAIN = 'the adapter that made it is not started again';

const meetingsOf = perKey<CellsById, Map<string, Map<string, Meeting>>>(() => new Map());

export async function* runTask(
  task: SweepTask,
  context: TaskContext,
): AsyncGenerator<readonly FinishedRun[], void, void> {
  const { meet, read } = createMeeting(task.session, context.cells);
  const session = tryPrepare(task, context);
  const outcomes = new Map<TaskRun, Outcome>();
  let finished = 0;
  function* takeSettled() {
    const rows: FinishedRun[] = [];
    for (const run of task.runs.slice(finished)) {
      const outcome = outcomes.get(run);
      if (outcome === undefined) break;
      rows.push(toFinished(task.session, meet(run), outcome));
    }
    finished += rows.length;
    if (rows.length > 0) yield rows;
  }
  try {
    for (const run of tightestFirst(task.runs, read)) {
      const asked = { cell: read(run), seed: run.seed };
      let outcome =
        typeof session === 'string' ? unrun('failed', session) : session.outcomes.find(asked);
      if (outcome === undefined && typeof session !== 'string') {
        // Settled outcomes are told before anything can break.
        yield* takeSettled();
        const made = await tryCell(session, meet(run), context);
        session.outcomes.add(asked, made);
        outcome = made.outcome;
      }
      if (outcome) outcomes.set(run, outcome);
    }
    yield* takeSettled();
  } finally {
    if (typeof session !== 'string') session.outcomes.save();
  }
}

export async function createTaskContext(
  cells: readonly Cell[],
  given: Pick<TaskContext, 'hasBounds' | 'signal'> & {
    cacheFolder?: string | undefined;
    bareFor?: BareFor | undefined;
    counters?: Counters | undefined;
    find?: ((name: string) => AnySummarizer) | undefined;
  } = {},
): Promise<OpenTaskContext> {
  const { cacheFolder, hasBounds, signal, find = findSummarizer } = given;
  const { counters = createCounters() } = given;
  const { load, countFor } = createCounts(counters);
  const names = new Set(cells.filter(isSimulated).map(({ summarizer }) => summarizer));
  const summarizers = new Map([...names].map((name) => [name, find(name)]));
  return {
    cells: byId(cells),
    hasBounds,
    load,
    ...createPrepare(countFor, {
      traces: openTraces(cacheFolder),
      runs: openKeep(cacheFolder && join(cacheFolder, 'runs'), { isOne: isList }),
      given: given.bareFor,
      hasBounds,
    }),
    findSummarizer: (name) => summarizers.get(name) ?? find(name),
    signal,
  };
}

/** The rows of a task whose runs wait for answers, as they come. */
export function startLiveTask(
  task: SweepTask,
  context: TaskContext & Pick<LiveCells, 'firstSeed' | 'adapter'>,
) {
  const { meet } = createMeeting(task.session, context.cells);
  const session = context
    .load(new Set(task.runs.map((run) => meet(run).cell.model.id)))
    .then(() => tryPrepare(task, context));
  const outcomes = new Map<string, Promise<Outcome>>();
  let before: Promise<unknown> = Promise.resolve();
  const start = (at: RunOfCell) => {
    if (isSimulated(at.cell)) return session.then((one) => tryLive(one, at, context));
    // Somebody's program is given the machine for itself.
    const own = before.then(async () => tryLive(await session, at, context));
    before = own.catch(() => {});
    return own;
  };
  return task.runs.map(async (run) => {
    const at = meet(run);
    const key = `${outcomeKey(at.cell)} ${run.seed}`;
    return toFinished(task.session, at, await keepIn(outcomes, key, () => start(at)));
  });
}

/** Which repetition of the same run a trial is, from 1. */
export function repeatOf(seed: number, { firstSeed }: Pick<LiveCells, 'firstSeed'>) {
  return seed - firstSeed + 1;
}

export function createMeeting({ setup }: Pick<SessionRef, 'setup'>, cells: CellsById) {
  const met = keepIn(meetingsOf(cells), meetingKey(setup), () => new Map<string, Meeting>());
  const meetCell = (run: TaskRun) =>
    keepIn(met, run.cell, () => {
      const cell = meetSetup(cellOf(run, cells), setup);
      return { cell, effective: readCell(cell) };
    });
  const meet = (run: TaskRun): RunOfCell => ({ cell: meetCell(run).cell, run, setup });
  const read: ReadRun = (run) => meetCell(run).effective;
  return { meet, read };
}

/** Runs in the order in which most of them tell of later ones. */
export function tightestFirst(runs: readonly TaskRun[], readRun: ReadRun) {
  const alike = groupBy(runs, (run) => readRun(run).calmKey);
  return [...alike.values()].flatMap((some) =>
    some.toSorted((one, other) => compareLimits(readRun(one), readRun(other))),
  );
}

/** Makes the run of a row again; it counts only where the same happens. */
export async function repeatRow(
  row: ResultRow,
  session: PreparedSession,
  { cell, hasTexts }: { readonly cell: Met<Cell>; readonly hasTexts: boolean },
): Promise<Repeated> {
  if (row.eventDigest === '') return { state: 'other', reason: row.reason ?? 'it was not run' };
  if (cell.policy.name === ADAPTER_NAME) return { state: 'other', reason: NOT_STARTED_AGAIN };
  const prepared = session.against(cell, contentFor(cell.summarizer));
  if (prepared.state === 'failed') return { state: 'other', reason: prepared.reason };
  const views = isSimulated(cell) ? { hasTexts } : undefined;
  const options = {
    ...optionsOf(cell, { findSummarizer }),
    seed: row.seed,
    views,
    hasBounds: false,
  };
  const run = async (ready: typeof prepared) => {
    const { record: _, ...told } = await runArm(ready, NO_KEY, options);
    return told;
  };
  const told = await run(prepared);
  if (digestEvents(told.events) !== row.eventDigest)
    return { state: 'other', reason: 'this release does not do the same' };
  const whole = hasTexts && isSimulated(cell) ? session.against(cell, 'texts') : prepared;
  if (whole === prepared || whole.state === 'failed') return { state: 'same', ...told };
  return { state: 'same', ...(await run(whole)) };
}

function tryPrepare({ session }: SweepTask, { prepare }: TaskContext) {
  try {
    return prepare(session);
  } catch (error) {
    return messageOf(error);
  }
}

async function tryCell(session: PreparedSession, at: RunOfCell, context: TaskContext) {
  await context.load(new Set([at.cell.model.id]));
  try {
    return await runCell(session, at, context);
  } catch (error) {
    return broken(messageOf(error));
  }
}

async function runCell(
  session: PreparedSession,
  { cell, run, setup }: RunOfCell,
  {
    hasBounds,
    signal,
    repeat,
    ...sources
  }: Pick<TaskContext, 'findSummarizer' | 'hasBounds' | 'signal'> & {
    readonly adapter?: AdapterArm | undefined;
    readonly repeat?: number;
  },
) {
  const prepared = session.against(cell, contentFor(cell.summarizer));
  if (prepared.state === 'failed') return broken(prepared.reason);
  const trial = { seed: run.seed, repeat, signal, hasBounds, setup };
  return await measureRun(prepared, { ...optionsOf(cell, sources), ...trial });
}

function optionsOf(
  cell: Met<Cell>,
  {
    findSummarizer: find,
    adapter,
  }: Pick<TaskContext, 'findSummarizer'> & { readonly adapter?: AdapterArm | undefined },
) {
  const { policy, model, modelChanges, summaryModel, mode, summarizer } = cell;
  const arm = armIn(policy, adapter);
  const answers = isSimulated(cell) ? find(summarizer) : NEVER_ASKED;
  return { arm, model, modelChanges, summaryModel, mode, summarizer: answers };
}

async function tryLive(
  session: PreparedSession | string,
  at: RunOfCell,
  context: Parameters<typeof startLiveTask>[1],
) {
  if (typeof session === 'string') return unrun('failed', session);
  const asked = {
    ...context,
    findSummarizer: (name: string) => requireAnswers(context.findSummarizer(name)),
    repeat: repeatOf(at.run.seed, context),
  };
  try {
    return (await runCell(session, at, asked)).outcome;
  } catch (error) {
    // A fault of an adapter is a result; a summarizer that cannot be asked is none.
    const isUnasked = error instanceof HarnessError && isSimulated(at.cell);
    if (context.signal?.aborted || isUnasked) throw error;
    return unrun('failed', messageOf(error));
  }
}

function broken(reason: string) {
  return { outcome: unrun('failed', reason), isQuiet: false };
}

/** Smaller limits first, for what they let pass tells of the larger ones. */
function compareLimits(one: EffectiveCell, other: EffectiveCell) {
  const index = one.limits.findIndex((limit, place) => limit !== other.limits[place]);
  return index < 0 ? 0 : (one.limits[index] ?? 0) - (other.limits[index] ?? 0);
}

function armIn(place: Policy | RecordedArm | AdapterPlace, adapter: AdapterArm | undefined) {
  if (isPolicy(place) || place.name === RECORDED) return place;
  if (adapter !== undefined) return adapter;
  throw badOption("Expected an adapter for a run of one, got none: only '--adapter' starts it.");
}
