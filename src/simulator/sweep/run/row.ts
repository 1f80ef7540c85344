import type { RunEvent } from '../../events.ts';
import { known } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import {
  keyOfRun,
  recordRun,
  recordUnrun,
  type RunKey,
  type RunRecord,
} from '../../metrics/record.ts';
import {
  hasUsage,
  NO_USAGE,
  RECORDED,
  type RecordedArm,
  replayRecorded,
} from '../../replay/recorded.ts';
import { quoted } from '../../lib/names.ts';
import type { Setup } from '../../setup/setup.ts';
import type { AnySummarizer, FailedAnswer } from '../../summarizer/summarizer.ts';
import { type Cell, isPolicy } from '../grid.ts';
import type { ResultRow } from '../store/read-rows.ts';
import { type Outcome } from './outcomes.ts';
import { type Met, usableOf, decisionsOf } from './meet-setup.ts';
import type { Prepared } from './prepare.ts';
import type { CellsById, SessionRef, TaskRun } from './task.ts';
import type { Policy } from '../../../engine/index.ts';
import { createEnv } from '../../env.ts';
import { HarnessError } from '../../lib/errors.ts';
import { prepareBounds } from '../../metrics/fold.ts';
import { ADAPTER_NAME, type AdapterPlace, OWN_SUMMARIES } from '../../replay/foreign/compactor.ts';
import { runForeign } from '../../replay/foreign/run-foreign.ts';
import { type AsyncRunOptions, collectRun } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import { watchView } from '../../report/saved/view-log.ts';
import type { OpenCompactor } from '../adapter/command-compactor.ts';

export interface AdapterArm extends AdapterPlace {
  open(): OpenCompactor;
}

export type RunnableArm = Policy | RecordedArm | AdapterArm;

export interface ArmOptions extends Omit<AsyncRunOptions, 'policy'> {
  readonly arm: RunnableArm;
  readonly onBound?: ((event: RunEvent) => void) | undefined;
  readonly hasBounds?: boolean | undefined;
  readonly setup?: Setup | undefined;
  readonly views?: { readonly hasTexts: boolean } | undefined;
}

type AdapterRunOptions = Pick<AsyncRunOptions, 'model' | 'modelChanges' | 'seed' | 'faults'>;

export interface RunOfCell {
  readonly cell: Met<Cell>;
  readonly run: TaskRun;
  readonly setup?: Setup | undefined;
}

interface Mix {
  high: number;
  low: number;
}

/** After any other event, other limits might have changed the run. */
const QUIET: ReadonlySet<RunEvent['type']> = new Set([
  'run-start',
  'turn-start',
  'step-end',
  'prune-end',
  'reference',
  'eviction',
  'stale-kept',
  'standing',
  'turn-end',
  'step-dropped',
]);

/** Of so many, a guard counts the next compaction as one that filled up again. */
const REFILLED_STEPS = 2;

export const NO_KEY: RunKey = { session: '', policy: '', model: '', summarizer: '', seed: 0 };

/** Refusals of a request for what it is; all else may be otherwise the next time. */
const REFUSES_REQUEST: ReadonlySet<number | undefined> = new Set([400, 413, 422]);
const REASON_LENGTH = 300;

const SEED_HIGH = 0x9e3779b9 | 0;
const SEED_LOW = 0x85ebca6b | 0;
const FACTOR_HIGH = 0x2c1b3c6d;
const FACTOR_LOW = 0x297a2d39;
const ROTATION = 15;
const BITS = 32;
const DIGITS = 8;
const HEX = 16;
const MARK = { number: 1, text: 2, true: 3, false: 4, absent: 5, list: 6, object: 7, end: 8 };
const WIDE = new Float64Array(1);
const HALVES = new Uint32Array(WIDE.buffer);

export function cellOf({ cell: id }: TaskRun, cells: CellsById) {
  const cell = cells.get(id);
  if (cell === undefined) throw new RangeError(`Expected a cell with the id ${id}, got none.`);
  return cell;
}

export function unrun(state: 'failed' | 'skipped', why: string) {
  return outcomeOf(recordUnrun(NO_KEY, state, why), '');
}

export function toFinished(session: SessionRef, at: RunOfCell, outcome: Outcome) {
  const { cell, run } = at;
  // Its keys stand in the order in which they are published.
  const row: ResultRow = {
    session: session.name,
    ...known({ family: session.family }),
    sessionHash: session.hash,
    cell: cell.id,
    policy: cell.policy.name,
    model: cell.model.id,
    summarizer: cell.summarizer,
    settings: cell.settings,
    seed: run.seed,
    ...known({ mode: cell.mode }),
    ...outcome,
  };
  return { place: run.place, line: JSON.stringify(row) };
}

export async function measureRun(
  prepared: Extract<Prepared, { readonly state: 'ready' }>,
  options: ArmOptions,
) {
  if (options.arm.name === RECORDED && !hasUsage(prepared.trace))
    return { outcome: unrun('skipped', NO_USAGE), isQuiet: false };
  const { see, told } = watchRuns();
  const { events, record } = await runArm(prepared, NO_KEY, { ...options, onBound: see });
  for (const event of events) see(event);
  return { outcome: outcomeOf(record, digestEvents(events)), ...told() };
}

/** Hash of what happened in a run, whatever that is called. It guards against chance, not against intent. */
export function digestEvents(events: Iterable<RunEvent>) {
  const mix: Mix = { high: SEED_HIGH, low: SEED_LOW };
  for (const event of events) {
    if (event.type !== 'run-start') addValue(mix, event);
  }
  return [mix.high, mix.low]
    .map((word) => (word >>> 0).toString(HEX).padStart(DIGITS, '0'))
    .join('');
}

export async function runArm(
  { trace, baseline }: Extract<Prepared, { readonly state: 'ready' }>,
  key: RunKey,
  { arm, onBound, hasBounds = true, setup, views, ...options }: ArmOptions,
) {
  if (isPolicy(arm)) {
    const run = { ...options, policy: arm };
    const watch = views && watchView(trace, { render: arm.render, ...views });
    const events = await collectRun(trace, {
      ...run,
      ...known({ onTransition: watch?.onTransition }),
    });
    const own = prepareBounds(trace, run, onBound);
    const runBounds = hasBounds ? own : own && { ...own, bounds: () => [] };
    const record = recordRun(key, events, { baseline, trace, runBounds });
    return { events, record, ...known({ view: watch?.tell(events) }) };
  }
  const events: RunEvent[] = [];
  if (isAdapter(arm)) {
    await collectAdapter(events, trace, { ...options, arm });
    return { events, record: recordRun(key, events, { baseline, trace }) };
  }
  for (const event of replayRecorded(trace, options)) events.push(event);
  const fit = setup && fitOf(trace, setup);
  const usableTokens = setup && usableOf(setup);
  return {
    events,
    record: {
      ...recordRun(key, events, { baseline, trace, usableTokens, setup }),
      ...known({ fit }),
    },
  };
}

export function keyOfArm(
  session: Pick<RunKey, 'session' | 'family'>,
  { arm, ...options }: Pick<ArmOptions, 'arm' | 'model' | 'summarizer' | 'seed' | 'mode'>,
) {
  const names = isPolicy(arm)
    ? { policy: arm.name, summarizer: options.summarizer.name }
    : isAdapter(arm)
      ? { policy: ADAPTER_NAME, summarizer: OWN_SUMMARIES }
      : { policy: RECORDED, summarizer: RECORDED };
  return keyOfRun(session, names, options);
}

export async function collectAdapter(
  events: RunEvent[],
  trace: Trace,
  options: AdapterRunOptions & { readonly arm: Pick<AdapterArm, 'open'> },
) {
  const { arm, model, modelChanges, seed, faults = [] } = options;
  const { compact: compactor, end } = arm.open();
  const run = { compactor, name: ADAPTER_NAME, model, modelChanges, seed, faults };
  try {
    const env = createEnv(seed);
    for await (const event of runForeign(trace, { ...run, env })) events.push(event);
  } finally {
    end();
  }
}

/** A summarizer that rejects where nobody answered, which says nothing of a policy. */
export function requireAnswers(summarizer: AnySummarizer): AnySummarizer {
  if (!summarizer.isAsync) return summarizer;
  return {
    ...summarizer,
    summarise: async (request, tools) => {
      const answer = await summarizer.summarise(request, tools);
      if (answer.state === 'finished' || refusesRequest(answer)) return answer;
      const { name } = summarizer;
      throw new HarnessError(
        'UNREADABLE',
        `Expected an answer from ${quoted(name)}, got ${quoted(answer.reason, REASON_LENGTH)}.`,
      );
    },
  };
}

/** Returns true if the request was refused for its content, and will be again. */
export function refusesRequest({ isOverflow, error }: FailedAnswer): boolean {
  return isOverflow || REFUSES_REQUEST.has(error?.statusCode);
}

export function fitOf(trace: Trace, setup: Setup) {
  const decisions = decisionsOf(trace, setup);
  return decisions
    ?.filter(({ kind }) => kind === 'compaction')
    .map(({ recordedAfterStep, predictedAfterStep }) => ({
      recorded: recordedAfterStep,
      predicted: predictedAfterStep,
    }));
}

/** Sees the events of a run and of those that it is held against, for which numbers of its cell they depend on. */
export function watchRuns() {
  let [isQuiet, isCalm, steps] = [true, true, Infinity];
  const see = (event: RunEvent) => {
    const { type } = event;
    const isWhole = type !== 'run-end' || event.state === 'completed';
    const isFailure =
      type === 'summary-rejected' || (type === 'summary-end' && event.state === 'failed');
    if (type === 'run-start' || type === 'pivot') steps = type === 'pivot' ? 0 : Infinity;
    if (type === 'step-end') steps += 1;
    isQuiet &&= isWhole && (type === 'run-end' || QUIET.has(type));
    isCalm &&= isWhole && !isFailure && !(type === 'overflow' && steps <= REFILLED_STEPS);
  };
  return { see, told: () => ({ isQuiet, isCalm }) };
}

function outcomeOf(
  { state, reason, impossible, baseline, fit, findings, metrics }: RunRecord,
  eventDigest: string,
) {
  return { state, ...known({ reason, impossible, baseline, fit, findings }), metrics, eventDigest };
}

/** Keys are mixed in as they come: events of one type are built in one place. */
function addValue(mix: Mix, value: unknown) {
  if (typeof value === 'number') addNumber(mix, value);
  else if (typeof value === 'string') addText(mix, value);
  else if (typeof value === 'boolean') addWord(mix, value ? MARK.true : MARK.false);
  else if (Array.isArray(value)) addList(mix, value);
  else if (isObject(value)) addObject(mix, value);
  else addWord(mix, MARK.absent);
}

function addNumber(mix: Mix, value: number) {
  if ((value | 0) === value) {
    addWord(mix, MARK.number);
    addWord(mix, value);
    return;
  }
  WIDE[0] = value;
  addWord(mix, MARK.number);
  addWord(mix, HALVES[0] ?? 0);
  addWord(mix, HALVES[1] ?? 0);
}

function addWord(mix: Mix, word: number) {
  const low = Math.imul(mix.low ^ word, FACTOR_LOW);
  const high = Math.imul(mix.high ^ rotate(low), FACTOR_HIGH);
  mix.low = (rotate(low) + high) | 0;
  mix.high = (high ^ (low >>> ROTATION)) | 0;
}

function rotate(word: number) {
  return (word << ROTATION) | (word >>> (BITS - ROTATION));
}

function addText(mix: Mix, text: string) {
  addWord(mix, MARK.text);
  addWord(mix, text.length);
  for (let index = 0; index < text.length; index++) addWord(mix, text.charCodeAt(index));
}

function addList(mix: Mix, values: readonly unknown[]) {
  addWord(mix, MARK.list);
  for (const value of values) addValue(mix, value);
  addWord(mix, MARK.end);
}

/** Absent and `undefined` fields are the same. Events are plain objects with own fields only. */
function addObject(mix: Mix, fields: Readonly<Record<string, unknown>>) {
  addWord(mix, MARK.object);
  for (const key in fields) {
    const field = fields[key];
    if (field === undefined) continue;
    addText(mix, key);
    addValue(mix, field);
  }
  addWord(mix, MARK.end);
}

function isAdapter(arm: RecordedArm | AdapterArm): arm is AdapterArm {
  return arm.name === ADAPTER_NAME;
}
