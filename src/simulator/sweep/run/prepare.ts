import { join } from 'node:path';
import { policies } from '../../../engine/index.ts';
import { keepIn } from '../../lib/collections.ts';
import { messageOf } from '../../lib/errors.ts';
import { isObject } from '../../lib/json.ts';
import { type Keep, openKeep } from '../../lib/keep.ts';
import { foldRun } from '../../metrics/fold.ts';
import type { Baseline } from '../../metrics/metric-rows.ts';
import { type BareTrace, fromBare, toBare, withoutTexts } from '../../replay/bare-trace.ts';
import { type CompileOptions, compileSession } from '../../replay/compile.ts';
import type { CountText } from '../../replay/count.ts';
import { hasUsage, replayRecorded, type RecordedOptions } from '../../replay/recorded.ts';
import { type RunOptions, runTrace } from '../../replay/run-trace.ts';
import type { SimulateOptions } from '../../replay/simulate.ts';
import type { Trace } from '../../replay/trace.ts';
import { createOpener } from '../../session/load.ts';
import type { Session } from '../../session/session.ts';
import { type Content, contentFor, findSummarizer } from '../../summarizer/summarizers.ts';
import {
  type Counters,
  createCountCache,
  createCounters,
  createTokenizer,
} from '../../tokens/tokenizer.ts';
import { tokenizerOf } from '../../tokens/encodings.ts';
import { createOutcomes, type KeptRun, type Outcomes } from './outcomes.ts';
import { hashSession, type SessionRef } from './task.ts';

export type Prepared =
  | {
      readonly state: 'ready';
      readonly trace: Trace;
      /** Absent where nothing that can exist is one. */
      readonly baseline: Baseline | undefined;
    }
  | { readonly state: 'failed'; readonly reason: string };

/** A session as runs against different models need it, each trace and each baseline made once. */
export interface PreparedSession {
  against(models: Pick<SimulateOptions, 'model' | 'modelChanges'>, content: Content): Prepared;
  readonly outcomes: Outcomes;
}

type ControlOptions = Omit<RunOptions, 'policy' | 'summarizer'>;
type CountFor = (modelId: string) => CountText;

/** The trace of a session without texts; it is taken over by whoever runs it. */
export type BareFor = (ref: SessionRef, modelId: string, whole?: Trace) => BareTrace;

/** Models whose traces are kept: a session's own in the place of `null`. */
export interface TraceKeeping {
  readonly cacheFolder: string;
  readonly models: readonly (string | null)[];
}

export const NEVER_ASKED = findSummarizer('scripted:fail');

const ANY_SEED = 1;
const TRACES = 'traces';

export function prepareRuns(toTrace: () => Trace, options: ControlOptions): Prepared {
  try {
    const trace = toTrace();
    return { state: 'ready', trace, baseline: findBaseline(trace, options) };
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  }
}

/** The baseline of savings: as recorded where there is usage, else never compacting if that fits. */
export function findBaseline(
  trace: Trace,
  options: ControlOptions & RecordedOptions,
): Baseline | undefined {
  if (hasUsage(trace)) return { name: 'recorded', totals: foldRun(replayRecorded(trace, options)) };
  const control = { ...options, policy: policies.none, summarizer: NEVER_ASKED, isBlind: true };
  const totals = foldRun(runTrace(trace, control));
  return totals.isImpossible ? undefined : { name: 'none', totals };
}

export function compileOptionsFor(modelId: string, count: CountText): CompileOptions {
  const { name, evidence } = tokenizerOf(modelId);
  return { tokenizer: name, tokenizerEvidence: evidence, count };
}

export async function compileFor(
  model: string,
  session: Session,
  counters: Counters = createCounters(),
) {
  return compileSession(session, compileOptionsFor(model, await counters.of(model)));
}

/** A trace as runs need it: on its sizes alone where a summarizer reads no texts. */
export function traceFor(summarizer: string, trace: Trace): Trace {
  return contentFor(summarizer) === 'texts' ? trace : withoutTexts(trace, trace.count);
}

/** A key of models that have the same traces: their tokenizer, and how surely it is theirs. */
export function tokenizerKey(modelId: string) {
  const { name, evidence } = tokenizerOf(modelId);
  return `${name} ${evidence}`;
}

export function createCounts(counters: Counters) {
  const counts = new Map<string, CountText>();
  const load = async (modelIds: ReadonlySet<string>) => {
    for (const id of modelIds) {
      const { name } = tokenizerOf(id);
      if (!counts.has(name)) counts.set(name, await counters.of(id));
    }
  };
  const countFor = (id: string) => {
    const { name } = tokenizerOf(id);
    const count = counts.get(name);
    if (count === undefined) throw new RangeError(`Expected a loaded tokenizer, got ${name}.`);
    return count;
  };
  return { load, countFor };
}

export async function loadCounts(
  counters: Counters,
  modelIds: ReadonlySet<string>,
): Promise<CountFor> {
  const { load, countFor } = createCounts(counters);
  await load(modelIds);
  return countFor;
}

export function prepareSession(session: Session, countFor: CountFor): PreparedSession {
  const texts = (id: string) => compileWith(session, id, countFor);
  return prepareTraces(texts, (id, whole = texts(id)) => withoutTexts(whole, countFor(id)));
}

/** Keeps the traces of sessions while these are at hand, so that runs on sizes alone read no file again. */
export function createTraceKeeper({ cacheFolder, models }: TraceKeeping) {
  const traces = openTraces(cacheFolder);
  const counts = new Map<string, CountText>();
  const countFor = (id: string) => {
    const { name } = tokenizerOf(id);
    return keepIn(counts, name, () => createCountCache(createTokenizer(name)).count);
  };
  let isKept = true;
  return (session: Session, hash: string): void => {
    for (const id of models.map((model) => model ?? session.model ?? '')) {
      const key = traceKey(hash, id);
      if (!isKept || traces.has(key)) continue;
      try {
        traces.put(key, toBare(compileWith(session, id, countFor)));
        isKept = traces.has(key);
      } catch (error) {
        // Its runs fail for the same reason, and say so.
        if (!(error instanceof Error)) throw error;
      }
    }
  };
}

export function openTraces(cacheFolder: string | undefined): Keep {
  return openKeep(cacheFolder && join(cacheFolder, TRACES), { isOne: isObject });
}

export function createPrepare(
  countFor: CountFor,
  {
    traces,
    runs,
    given,
    hasBounds,
  }: { traces: Keep; runs: Keep; given: BareFor | undefined; hasBounds: boolean | undefined },
) {
  const files = createOpener();
  const open = (ref: SessionRef) => {
    const opened = files.open(ref);
    if (opened.state === 'unread') throw new Error(opened.reason);
    if (hashSession(opened.session) === ref.hash) return opened.session;
    // Whoever mends the file finds it read again.
    files.forget();
    throw new Error('the file does not hold what the sweep was planned with');
  };
  const readBare: BareFor = (ref, id, whole) => {
    const key = traceKey(ref.hash, id);
    const kept = traces.get(key);
    if (kept !== undefined) return kept as BareTrace;
    const bare = toBare(whole ?? compileWith(open(ref), id, countFor));
    traces.put(key, bare);
    return bare;
  };
  const bareFor = given ?? readBare;
  const outcomesOf = ({ hash, setup }: SessionRef) => {
    const key = JSON.stringify([hash, setup]);
    const shelf = {
      read: () => (runs.get(key) ?? []) as readonly KeptRun[],
      write: (made: readonly KeptRun[]) => runs.put(key, made),
    };
    return createOutcomes(shelf, hasBounds);
  };
  let last: { readonly key: string; readonly prepared: PreparedSession } | undefined;
  const prepare = (ref: SessionRef) => {
    const key = JSON.stringify([ref.file, ref.index, ref.name, ref.hash]);
    if (last?.key === key) return last.prepared;
    const prepared = prepareTraces(
      (id) => compileWith({ ...open(ref), name: ref.name }, id, countFor),
      (id, whole) => fromBare(bareFor(ref, id, whole), ref.name, countFor(id)),
      outcomesOf(ref),
    );
    last = { key, prepared };
    return prepared;
  };
  return { prepare, bareFor };
}

function prepareTraces(
  texts: (modelId: string) => Trace,
  sizes: (modelId: string, whole: Trace | undefined) => Trace,
  outcomes = createOutcomes(),
): PreparedSession {
  const traces = new Map<string, Trace>();
  const prepared = new Map<string, Prepared>();
  const traceOf = (id: string, content: Content) => {
    const key = tokenizerKey(id);
    return keepIn(traces, `${content} ${key}`, () =>
      content === 'texts' ? texts(id) : sizes(id, traces.get(`texts ${key}`)),
    );
  };
  return {
    against: ({ model, modelChanges }, content) => {
      // Windows that are only declared change nothing of a baseline.
      const key = JSON.stringify([content, { ...model, limits: undefined }, modelChanges]);
      const options = { model, modelChanges, seed: ANY_SEED };
      return keepIn(prepared, key, () => prepareRuns(() => traceOf(model.id, content), options));
    },
    outcomes,
  };
}

function traceKey(hash: string, modelId: string) {
  return JSON.stringify([hash, tokenizerKey(modelId)]);
}

function compileWith(session: Session, modelId: string, countFor: CountFor) {
  return compileSession(session, compileOptionsFor(modelId, countFor(modelId)));
}
