import { join } from 'node:path';
import type { RunEvent } from '../../events.ts';
import { groupBy, keepIn } from '../../lib/collections.ts';
import { messageOf } from '../../lib/errors.ts';
import { type Keep, openKeep } from '../../lib/keep.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { type BareTrace, fromBare, toBare, withoutTexts } from '../../replay/bare-trace.ts';
import { compileSession } from '../../replay/compile.ts';
import type { CountText } from '../../replay/count.ts';
import { ADAPTER_NAME } from '../../replay/foreign/compactor.ts';
import { replayRecorded } from '../../replay/recorded.ts';
import { collectRun } from '../../replay/run-trace.ts';
import type { SimulateOptions } from '../../replay/simulate.ts';
import type { Trace } from '../../replay/trace.ts';
import type { RunView } from '../../report/saved/run-view.ts';
import { watchView } from '../../report/saved/view-log.ts';
import { createOpener } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import { type Content, contentFor, findSummarizer } from '../../summarizer/summarizers.ts';
import { type Counters, createCounters } from '../../tokens/counters.ts';
import { tokenizerOf } from '../../tokens/encodings.ts';
import { type Cell, isSimulated, type SimulatedCell } from '../grid.ts';
import type { ResultRow } from '../store/row.ts';
import {
  type AskedRun,
  compareLimits,
  createOutcomes,
  type EffectiveCell,
  type MadeRun,
  type Outcome,
  type Outcomes,
  readCell,
} from './outcomes.ts';
import { compileOptionsFor, NEVER_ASKED, type Prepared, prepareRuns } from './prepare.ts';
import { type Met, meetSetup } from './meet-setup.ts';
import { cellOf, digestEvents, measureRun, type RunOfCell, toRowLine, unrun } from './row.ts';
import { armIn } from './run-arm.ts';
import {
  byId,
  type CellsById,
  type FinishedRun,
  hashSession,
  type SessionRef,
  type SweepTask,
  type TaskRun,
} from './task.ts';

/** The context of tasks. */
export interface TaskContext {
  readonly cells: CellsById;
  /** Loads the tokenizers of models. */
  readonly load: (modelIds: ReadonlySet<string>) => Promise<void>;
  /** The session that a task names, as runs need it. Throws where it cannot be had. */
  readonly prepare: (ref: SessionRef) => PreparedSession;
  readonly findSummarizer: (name: string) => AnySummarizer;
  readonly hasBounds?: boolean | undefined;
  /** Fires when nobody waits for the rows any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A task with what came of its runs so far. */
interface Underway {
  readonly task: SweepTask;
  readonly context: TaskContext;
  readonly meet: MeetRun;
  readonly outcomes: Map<TaskRun, Outcome>;
  /** Rows that were given away. */
  finished: number;
}

/** A session that is ready to be run, or why it is not. */
type Opened =
  | { readonly state: 'open'; readonly session: PreparedSession }
  | { readonly state: 'failed'; readonly reason: string };

interface TaskContextOptions {
  /** Folder of token counts that other processes may use at the same time; none means that they are forgotten. */
  readonly cacheFolder?: string | undefined;
  /** The traces of sessions that are not to be read here; by default files are read. */
  readonly bareFor?: BareFor | undefined;
  /** Counts with what other contexts have counted, in place of the folder. */
  readonly counters?: Counters | undefined;
  /** Also the fewest losses that are known; by default so. */
  readonly hasBounds?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Finds summarizers by name; only those that need no model by default. */
  readonly find?: ((name: string) => AnySummarizer) | undefined;
}

/** A context that can be put away. */
export interface OpenTaskContext extends TaskContext {
  /** The trace of a session that a file holds. Throws where it cannot be had, or is another one. */
  readonly bareFor: BareFor;
  /** Keeps for the next process what was counted. */
  save(): void;
}

/** A session as runs against different models need it, each trace and each baseline made once. */
export interface PreparedSession {
  against(models: MetModels, content: Content): Prepared;
  /** Of its runs so far. */
  readonly outcomes: Outcomes;
}

/** The model of a run, and those that answer later. */
type MetModels = Pick<SimulateOptions, 'model' | 'modelChanges'>;

/** How the traces of a session are made, by the model that counts. */
interface Traces {
  texts(modelId: string): Trace;
  /** Of the one with texts, where that is there already. */
  sizes(modelId: string, whole: Trace | undefined): Trace;
}

/** Where sessions and their traces come from. */
interface Sources {
  readonly countWith: CountWith;
  readonly open: (ref: SessionRef) => Session;
  readonly bareFor: BareFor;
}

/** Counts tokens with the tokenizer of that name. */
type CountWith = (tokenizer: string) => CountText;

/** The trace of a session without texts, as a model with that id counts it; it is taken over by whoever runs it. */
export type BareFor = (ref: SessionRef, modelId: string, whole?: Trace) => BareTrace;

/** Returns a run's cell as the run reads it. */
export type ReadRun = (run: TaskRun) => EffectiveCell;

/** Returns a run with its cell as the session meets it. */
export type MeetRun = (run: TaskRun) => RunOfCell;

/** A row whose run was made once more, with all that a picture of it needs; or why it was not. */
export type Repeated =
  | {
      readonly state: 'same';
      readonly events: readonly RunEvent[];
      /** Absent of a recorded run, whose requests nobody knows. */
      readonly view?: RunView;
    }
  | { readonly state: 'other'; readonly reason: string };

interface RepeatOptions {
  readonly cell: Met<Cell>;
  readonly hasTexts: boolean;
}

const ANY_SEED = 1;
/** Folder of traces beside token counts. */
const TRACES = 'traces';

/** Whoever opens results starts nobody's program. */
const NOT_STARTED_AGAIN = 'the adapter that made it is not started again';

/**
 * The rows of a task in their order, with each run that is made those that it settles; a run that breaks is a row
 * with its reason. Runs that are the same are made once.
 */
export async function* runTask(
  task: SweepTask,
  context: TaskContext,
): AsyncGenerator<readonly FinishedRun[], void, void> {
  const { meet, read } = createMeeting(task.session, context.cells);
  await context.load(new Set(task.runs.map((run) => meet(run).cell.model.id)));
  const opened = tryOpen(task.session, context);
  const underway: Underway = { task, context, meet, outcomes: new Map(), finished: 0 };
  for (const run of tightestFirst(task.runs, read)) {
    const at = meet(run);
    const asked = { cell: read(run), seed: run.seed };
    const known = knownOutcome(opened, asked);
    // Settled outcomes are told before anything can break.
    if (known === undefined) yield* takeSettled(underway);
    underway.outcomes.set(run, known ?? (await makeOutcome(opened, at, { ...context, asked })));
  }
  yield* takeSettled(underway);
}

/** A context in which the tasks of these cells can be run, with every tokenizer that they need. */
export async function createTaskContext(
  cells: readonly Cell[],
  given: TaskContextOptions = {},
): Promise<OpenTaskContext> {
  const { cacheFolder, hasBounds, signal, find = findSummarizer } = given;
  const { counters = createCounters({ cacheFolder }) } = given;
  const counts = new Map<string, CountText>();
  const countWith = (name: string) => loadedCount(counts, name);
  const names = new Set(cells.filter(isSimulated).map(({ summarizer }) => summarizer));
  const summarizers = new Map([...names].map((name) => [name, find(name)]));
  const open = createSource();
  const keep = openKeep(cacheFolder && join(cacheFolder, TRACES));
  const bareFor = given.bareFor ?? createBareFor(countWith, open, keep);
  return {
    cells: byId(cells),
    hasBounds,
    load: (modelIds) => addCounts(counts, counters, modelIds),
    bareFor,
    prepare: createPrepare({ countWith, open, bareFor }),
    findSummarizer: (name) => summarizers.get(name) ?? find(name),
    signal,
    save: () => counters.save(),
  };
}

/** Prepares a session for many runs; nothing is done before it is needed. */
export function prepareSession(session: Session, countWith: CountWith): PreparedSession {
  const texts = (id: string) => compileWith(session, id, countWith);
  return prepareTraces({
    texts,
    sizes: (id, whole = texts(id)) => withoutTexts(whole, countWith(tokenizerOf(id).name)),
  });
}

/** Loads the counters of these models. */
export async function loadCounts(
  counters: Counters,
  modelIds: ReadonlySet<string>,
): Promise<CountWith> {
  const counts = new Map<string, CountText>();
  await addCounts(counts, counters, modelIds);
  return (name) => loadedCount(counts, name);
}

/** The cells of a session's runs as it meets them, each made and read once. */
export function createMeeting(
  { setup }: Pick<SessionRef, 'setup'>,
  cells: CellsById,
): { readonly meet: MeetRun; readonly read: ReadRun } {
  const met = new Map<string, Met<Cell>>();
  const effective = new Map<string, EffectiveCell>();
  const meetCell = (run: TaskRun) =>
    keepIn(met, run.cell, () => meetSetup(cellOf(run, cells), setup));
  return {
    meet: (run) => ({ cell: meetCell(run), run, setup }),
    read: (run) => keepIn(effective, run.cell, () => readCell(meetCell(run))),
  };
}

/** A key of models that have the same traces: their tokenizer, and how surely it is theirs. */
export function tokenizerKey(modelId: string): string {
  const { name, evidence } = tokenizerOf(modelId);
  return `${name} ${evidence}`;
}

/** Runs in the order in which most of them tell of later ones: alike ones together, small limits first. */
export function tightestFirst(runs: readonly TaskRun[], readRun: ReadRun): readonly TaskRun[] {
  const alike = groupBy(runs, (run) => readRun(run).key);
  return [...alike.values()].flatMap((some) =>
    some.toSorted((one, other) => compareLimits(readRun(one), readRun(other))),
  );
}

/** Makes the run of a row again. It counts only where the same happens, for that is what the row tells of. */
export async function repeatRow(
  row: ResultRow,
  session: PreparedSession,
  { cell, hasTexts }: RepeatOptions,
): Promise<Repeated> {
  if (row.eventDigest === '') return { state: 'other', reason: row.reason ?? 'it was not run' };
  if (cell.policy.name === ADAPTER_NAME) return { state: 'other', reason: NOT_STARTED_AGAIN };
  const content = contentFor(cell.summarizer);
  const prepared = session.against(cell, content);
  if (prepared.state === 'failed') return { state: 'other', reason: prepared.reason };
  if (!isSimulated(cell)) {
    return asInRow(row, [...replayRecorded(prepared.trace, { ...cell, seed: row.seed })]);
  }
  const told = await watchAgain(prepared.trace, cell, { seed: row.seed, hasTexts });
  const repeated = asInRow(row, told.events);
  if (repeated.state === 'other') return repeated;
  const whole = hasTexts ? session.against(cell, 'texts') : prepared;
  if (whole === prepared || whole.state === 'failed') return { state: 'same', ...told };
  return { state: 'same', ...(await watchAgain(whole.trace, cell, { seed: row.seed, hasTexts })) };
}

async function watchAgain(
  trace: Trace,
  { policy, model, modelChanges, summaryModel, summarizer: name, mode }: Met<SimulatedCell>,
  { seed, hasTexts }: { readonly seed: number; readonly hasTexts: boolean },
) {
  const { onTransition, tell } = watchView(trace, { render: policy.render, hasTexts });
  const of = { policy, model, modelChanges, summaryModel, mode, seed };
  const events = await collectRun(trace, {
    ...of,
    summarizer: findSummarizer(name),
    onTransition,
  });
  return { events, view: tell(events) };
}

async function addCounts(
  counts: Map<string, CountText>,
  counters: Counters,
  modelIds: ReadonlySet<string>,
): Promise<void> {
  for (const id of modelIds) {
    const { name } = tokenizerOf(id);
    if (!counts.has(name)) counts.set(name, await counters.of(id));
  }
}

function loadedCount(counts: ReadonlyMap<string, CountText>, name: string): CountText {
  const count = counts.get(name);
  if (count === undefined) throw new RangeError(`Expected a loaded tokenizer, got ${name}.`);
  return count;
}

/** Prepares a session by the traces that its models have of it, one for each tokenizer. */
function prepareTraces(made: Traces): PreparedSession {
  const traces = new Map<string, Trace>();
  const prepared = new Map<string, Prepared>();
  const traceFor = ({ id }: ModelProfile, content: Content) => {
    const key = tokenizerKey(id);
    return keepIn(traces, `${content} ${key}`, () =>
      content === 'texts' ? made.texts(id) : made.sizes(id, traces.get(`texts ${key}`)),
    );
  };
  return {
    against: ({ model, modelChanges }, content) =>
      keepIn(prepared, `${content} ${keyOf({ model, modelChanges })}`, () =>
        prepareRuns(() => traceFor(model, content), { model, modelChanges, seed: ANY_SEED }),
      ),
    outcomes: createOutcomes(),
  };
}

function compileWith(session: Session, modelId: string, countWith: CountWith): Trace {
  const count = countWith(tokenizerOf(modelId).name);
  return compileSession(session, compileOptionsFor(modelId, count));
}

function asInRow({ eventDigest }: ResultRow, events: readonly RunEvent[]): Repeated {
  return digestEvents(events) === eventDigest
    ? { state: 'same', events }
    : { state: 'other', reason: 'this release does not do the same' };
}

function tryOpen(ref: SessionRef, context: TaskContext): Opened {
  try {
    return { state: 'open', session: context.prepare(ref) };
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  }
}

/** The outcome of an earlier run that this one cannot differ from; absent where this one is to be made. */
function knownOutcome(opened: Opened, asked: AskedRun): Outcome | undefined {
  if (opened.state === 'failed') return unrun('failed', opened.reason);
  return opened.session.outcomes.find(asked);
}

/** The rows up to the first whose run is not made, in one piece; nothing where there is none. */
function* takeSettled(underway: Underway): Generator<readonly FinishedRun[], void, void> {
  const { task, meet, outcomes, finished } = underway;
  const rows: FinishedRun[] = [];
  for (const run of task.runs.slice(finished)) {
    const outcome = outcomes.get(run);
    if (outcome === undefined) break;
    rows.push({ place: run.place, line: toRowLine(task.session, meet(run), outcome) });
  }
  underway.finished += rows.length;
  if (rows.length > 0) yield rows;
}

async function makeOutcome(
  opened: Opened,
  at: RunOfCell,
  context: TaskContext & { readonly asked: AskedRun },
): Promise<Outcome> {
  if (opened.state === 'failed') return unrun('failed', opened.reason);
  const { session } = opened;
  const made = await runCell(session, at, context);
  session.outcomes.add(context.asked, made);
  return made.outcome;
}

async function runCell(
  session: PreparedSession,
  { cell, run, setup }: RunOfCell,
  context: TaskContext,
): Promise<MadeRun> {
  try {
    const prepared = session.against(cell, contentFor(cell.summarizer));
    if (prepared.state === 'failed') return broken(prepared.reason);
    const { policy, model, modelChanges, summaryModel, summarizer: name, mode } = cell;
    const { signal, hasBounds } = context;
    const hasPolicy = isSimulated(cell);
    const summarizer = hasPolicy ? context.findSummarizer(name) : NEVER_ASKED;
    const arm = armIn(policy, undefined);
    const models = { model, modelChanges, summaryModel };
    const surroundings = { ...models, summarizer, seed: run.seed, mode, signal };
    return await measureRun(prepared, { ...surroundings, arm, setup, hasBounds });
  } catch (error) {
    return broken(messageOf(error));
  }
}

function broken(reason: string): MadeRun {
  return { outcome: unrun('failed', reason), isQuiet: false };
}

/**
 * Opens sessions of files. Throws at what a session's hash does not say: its cells may be run at different times, and an
 * agent may still write it.
 */
function createSource(): (ref: SessionRef) => Session {
  const files = createOpener();
  return (ref) => {
    const opened = files.open(ref);
    if (opened.state === 'unread') throw new Error(opened.reason);
    if (hashSession(opened.session) === ref.hash) return opened.session;
    // Whoever mends the file finds it read again.
    files.forget();
    throw new Error('the file does not hold what the sweep was planned with');
  };
}

/** Prepares sessions; the last one stays, for its next task. Where no text is asked for, its file need not be read. */
function createPrepare({ countWith, open, bareFor }: Sources): TaskContext['prepare'] {
  const prepare = (ref: SessionRef) =>
    prepareTraces({
      texts: (id) => compileWith({ ...open(ref), name: ref.name }, id, countWith),
      sizes: (id, whole) =>
        fromBare(bareFor(ref, id, whole), ref.name, countWith(tokenizerOf(id).name)),
    });
  let last: { readonly key: string; readonly prepared: PreparedSession } | undefined;
  return (ref) => {
    const key = keyOfSession(ref);
    if (last?.key !== key) last = { key, prepared: prepare(ref) };
    return last.prepared;
  };
}

/** Traces without texts: of a keep, where files need not be read. */
function createBareFor(
  countWith: CountWith,
  open: (ref: SessionRef) => Session,
  keep: Keep,
): BareFor {
  return (ref, id, whole) => {
    const key = JSON.stringify([ref.hash, tokenizerKey(id)]);
    const kept = keep.get(key);
    if (kept !== undefined) return kept as BareTrace;
    const bare = toBare(whole ?? compileWith(open(ref), id, countWith));
    keep.put(key, bare);
    return bare;
  };
}

function keyOfSession({ file, index, name, hash }: SessionRef): string {
  return JSON.stringify([file, index, name, hash]);
}

/** Windows that are only declared change nothing of a baseline. */
function keyOf({ model, modelChanges }: MetModels): string {
  return JSON.stringify([{ ...model, limits: undefined }, modelChanges]);
}
