import type { RunEvent } from '../events.ts';
import { countEach, groupBy, known, sum } from '../lib/collections.ts';
import type { Decision } from '../replay/decisions.ts';
import type { Compared, PredictedStep, Surprise } from '../replay/predict.ts';
import type { Content } from '../replay/references/reference.ts';
import { CARRIED_SHARE } from '../replay/references/watch.ts';
import { messagesOf, type Trace } from '../replay/trace.ts';
import type { Session } from '../session/session.ts';
import { type Call, readTouches } from '../session/shell.ts';
import type { Proportion } from './statistics/interval.ts';
import { ratioOfTotals } from './statistics/mean-difference.ts';

/** Predicted less recorded, as a fraction of the recorded value; shares in points. */
export type FidelityErrors = Readonly<Record<FidelityMeasure, readonly number[]>>;

interface ErrorSummary {
  readonly steps: number;
  readonly medianSigned: number;
  readonly p90Signed: number;
  readonly medianAbsolute: number;
}

export type FidelityMeasure = keyof typeof fidelityMeasures;

export interface SessionFidelity extends Decided {
  readonly session: string;
  readonly format: string;
  readonly model?: string;
  readonly release?: string;
  readonly steps: number;
  readonly errors: FidelityErrors;
  readonly surprises: Readonly<Partial<Record<Surprise, number>>>;
  /** Of all steps whose cost is recorded; `null` without any. */
  readonly costs: CostTotals | null;
  /** Why nothing was compared; absent where something was. */
  readonly reason?: string;
}

/** A session beside runs of its agent's preset. */
export interface Decided {
  readonly decisions: readonly Decision[];
  /** That of its agent, with settings; absent where unknown. */
  readonly preset?: string;
  readonly rereads?: readonly Rereads[];
  readonly carried?: Carried;
}

interface CostTotals {
  readonly predictedNanoUsd: number;
  readonly recordedNanoUsd: number;
  /** Of steps that lost their cached prefix within its time to live. */
  readonly lostPredictedNanoUsd: number;
  readonly lostRecordedNanoUsd: number;
}

/** Of one session. A place counts where so many calls follow it, and no recorded compaction among them. */
interface Rereads {
  readonly calls: number;
  /** By recorded compaction, the files read before it that these calls read again. */
  readonly after: readonly number[];
  /** The mean of other places; where there is none, nothing counts as `after` one. */
  readonly elsewhere: number;
  /** By simulated compaction, the files that it removed and that these calls go on from without reading them again. */
  readonly lacked: readonly number[];
}

/** Of needed contents that the recording's own compactions had removed, those that it did not read again. */
type Carried = Readonly<Record<Content, Proportion>>;

const AHEAD = [20, 40] as const;
const CARRIED_AHEAD = 40;
const BOOTSTRAP = { seed: 1 };

type Recording = ReturnType<typeof readRecording>;

const MEDIAN = 0.5;
const P90 = 0.9;

const fidelityMeasures = {
  contextOneStep: ({ contextNext }: PredictedStep) => relative(contextNext),
  contextFreeRunning: ({ contextFree }: PredictedStep) => relative(contextFree),
  fitOneStep: ({ fitNext }: PredictedStep) => relative(fitNext),
  fitFreeRunning: ({ fitFree }: PredictedStep) => relative(fitFree),
  cacheShare: ({ cacheShare: share }: PredictedStep) => share && share.predicted - share.recorded,
  cost: ({ inputCost }: PredictedStep) => relative(inputCost),
};

/** The errors of several sessions as those of one: every step weighs the same. */
export function poolErrors(all: readonly FidelityErrors[]): FidelityErrors {
  return byMeasure((measure) => all.flatMap((errors) => errors[measure]));
}

export function summariseErrors(errors: readonly number[]): ErrorSummary | undefined {
  const bySize = errors.toSorted((some, other) => Math.abs(some) - Math.abs(other));
  const bySign = errors.toSorted((some, other) => some - other);
  const medianSigned = quantile(bySign, MEDIAN);
  const p90Signed = quantile(bySize, P90);
  const median = quantile(bySize, MEDIAN);
  if (medianSigned === undefined || p90Signed === undefined || median === undefined)
    return undefined;
  return { steps: errors.length, medianSigned, p90Signed, medianAbsolute: Math.abs(median) };
}

/** The fidelity of a session's prediction. */
export function recordFidelity(
  session: Session,
  steps: readonly PredictedStep[],
  decided: Decided = { decisions: [] },
): SessionFidelity {
  const { name, format, model, release } = session;
  const surprises = steps.flatMap(({ surprise }) => surprise ?? []);
  return {
    session: name,
    format,
    ...known({ model, release: release?.join('.') }),
    steps: steps.length,
    errors: byMeasure((measure) => steps.flatMap((step) => fidelityMeasures[measure](step) ?? [])),
    surprises: Object.fromEntries(countEach(surprises)),
    costs: totalCosts(steps),
    ...decided,
    ...known({ reason: steps.length > 0 ? undefined : reasonOf(session) }),
  };
}

export function recordUncompared(session: Session, reason: string): SessionFidelity {
  return { ...recordFidelity(session, []), reason };
}

/** The costs of several sessions together; `null` where those of none are known. */
export function addCosts(all: readonly (CostTotals | null)[]): CostTotals | null {
  const costs = all.filter((one) => one !== null);
  if (costs.length === 0) return null;
  const total = (of: keyof CostTotals) => sum(costs.map((one) => one[of]));
  return {
    predictedNanoUsd: total('predictedNanoUsd'),
    recordedNanoUsd: total('recordedNanoUsd'),
    lostPredictedNanoUsd: total('lostPredictedNanoUsd'),
    lostRecordedNanoUsd: total('lostRecordedNanoUsd'),
  };
}

/** Counts both in a session, of which `simulated` are the events of a run; nothing where neither compacts. */
export function countRereads(trace: Trace, simulated: readonly RunEvent[]) {
  const recording = readRecording(trace);
  if (recording.compacted.length + simulated.length === 0) return {};
  const rereads = AHEAD.map((ahead) => ({
    calls: ahead,
    ...observe(recording, ahead),
    lacked: lackedAfter(recording, simulated, ahead),
  }));
  return { rereads, carried: countCarried(recording) };
}

/** Means per compaction with intervals over sessions, which ten sessions have at least; `null` of none. */
export function poolRereads(
  sessions: readonly { readonly session: string; readonly rereads?: readonly Rereads[] }[],
) {
  return AHEAD.map((calls, index) => {
    const mean = (amountsOf: (one: Rereads) => readonly number[]) => {
      const pairs = sessions.flatMap(({ session: cluster, rereads = [] }) =>
        rereads
          .slice(index, index + 1)
          .flatMap(amountsOf)
          .map((b) => ({ a: 1, b, cluster })),
      );
      const { size } = new Set(pairs.map(({ cluster }) => cluster));
      const estimate = ratioOfTotals(pairs, BOOTSTRAP) ?? { value: null, interval: null };
      return { compactions: pairs.length, sessions: size, ...estimate };
    };
    return {
      calls,
      after: mean(({ after }) => after).value,
      elsewhere: mean(({ after, elsewhere }) => after.map(() => elsewhere)).value,
      observed: mean(({ after, elsewhere }) => after.map((count) => count - elsewhere)),
      predicted: mean(({ lacked }) => lacked.map((count) => count * (1 - CARRIED_SHARE.file))),
    };
  });
}

/** The counts of several sessions together. */
export function addCarried(all: readonly Carried[]): Carried {
  const total = (content: Content) => ({
    hits: sum(all.map((one) => one[content].hits)),
    of: sum(all.map((one) => one[content].of)),
  });
  return { file: total('file'), output: total('output'), said: total('said') };
}

function quantile(sorted: readonly number[], part: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];
}

function reasonOf({ messages }: Session): string {
  const hasUsage = messages.some(
    (message) => message.role === 'assistant' && message.usage !== undefined,
  );
  return hasUsage ? 'only one step has recorded usage' : 'no usage is recorded';
}

function totalCosts(steps: readonly PredictedStep[]): CostTotals | null {
  return addCosts(
    steps.flatMap(({ inputCost, surprise }) => {
      if (inputCost === undefined) return [];
      const { predicted, recorded } = inputCost;
      const lost = surprise === 'cache-lost' ? inputCost : { predicted: 0, recorded: 0 };
      return {
        predictedNanoUsd: predicted,
        recordedNanoUsd: recorded,
        lostPredictedNanoUsd: lost.predicted,
        lostRecordedNanoUsd: lost.recorded,
      };
    }),
  );
}

function byMeasure(errorsOf: (measure: FidelityMeasure) => readonly number[]): FidelityErrors {
  const measures = Object.keys(fidelityMeasures) as readonly FidelityMeasure[];
  return Object.fromEntries(
    measures.map((measure) => [measure, errorsOf(measure)]),
  ) as FidelityErrors;
}

function relative(compared: Compared | undefined): number | undefined {
  return compared && (compared.predicted - compared.recorded) / compared.recorded;
}

function readRecording(trace: Trace) {
  const messages = messagesOf(trace.turns);
  const calls = messages.flatMap(({ parts }, at) =>
    parts.flatMap((part) => (part.type === 'tool' ? [{ part, at }] : [])),
  );
  const compacted = trace.recordedCompactions
    .filter(({ kind }) => kind === 'full')
    .map(({ messageIndex }) => calls.filter(({ at }) => at < messageIndex).length);
  return {
    trace,
    calls,
    reads: calls.map(filesReadBy),
    steps: messages.flatMap(({ role }, at) => (role === 'assistant' ? [at] : [])),
    compacted: [...new Set(compacted)],
  };
}

function filesReadBy(call: Call) {
  const touches = readTouches([], [call]);
  return touches.flatMap(({ path, operation }) => (operation === 'read' ? [path] : []));
}

function observe({ reads, compacted }: Recording, ahead: number) {
  const first = new Map<string, number>();
  for (const [call, paths] of reads.entries())
    for (const path of paths) first.set(path, first.get(path) ?? call);
  const countAt = (place: number) =>
    [...new Set(reads.slice(place, place + ahead).flat())].filter(
      (path) => (first.get(path) ?? place) < place,
    ).length;
  const whole = [...reads.keys()].filter((place) => place > 0 && place + ahead <= reads.length);
  const isLast = (place: number) => !compacted.some((one) => one > place && one < place + ahead);
  const isFar = (place: number) => !compacted.some((one) => one <= place && one > place - ahead);
  const places = whole.filter(isLast);
  const others = compacted.length === 0 ? [] : places.filter(isFar).map(countAt);
  const after = places.filter((place) => others.length > 0 && compacted.includes(place));
  return { after: after.map(countAt), elsewhere: sum(others) / Math.max(1, others.length) };
}

function lackedAfter(
  { calls, reads, steps, compacted }: Recording,
  simulated: readonly RunEvent[],
  ahead: number,
) {
  const filesOf = new Map(calls.map(({ part }, index) => [part.id, reads[index]]));
  const places: { readonly call: number; readonly step: number }[] = [];
  const lacked: { readonly at: number; readonly step: number; readonly file: string }[] = [];
  const atStep = (step: number) => steps[step - 1] ?? -1;
  let step = 0;
  for (const event of simulated) {
    if (event.type === 'step-end') ({ step } = event);
    if (event.type === 'pivot')
      places.push({ step, call: calls.filter(({ at }) => at <= atStep(step)).length });
    if (event.type !== 'reference' || (event.missedBy ?? event.goneBy) === undefined) continue;
    // The name of a file stands in the call, not in what it read.
    const [file] = event.kind === 'path' ? [] : (filesOf.get(event.partId) ?? []);
    if (event.use === 'used' && file !== undefined)
      lacked.push({ at: atStep(event.step), step: event.step, file });
  }
  return places.flatMap(({ call, step: after }) => {
    const last = calls[call + ahead - 1]?.at;
    if (last === undefined || compacted.some((other) => Math.abs(other - call) < ahead)) return [];
    const next = lacked.filter((one) => one.step > after && one.at <= last);
    return new Set(next.map(({ file }) => file)).size;
  });
}

/** By the first need of each document after each compaction; before the next one. */
function countCarried({ trace, calls, steps, compacted }: Recording): Carried {
  const found = compacted.flatMap((place, index) => {
    const end = Math.min(place + CARRIED_AHEAD, compacted[index + 1] ?? Infinity, calls.length);
    const [from = -1, to = -1] = [place, end].map((call) => calls[call - 1]?.at);
    const needs = trace.references().all.filter(({ step, use }) => {
      const at = steps[step - 1] ?? 0;
      return at > from && at <= to && (use === 'carried' || use === 'caused');
    });
    const firsts = groupBy(needs, ({ document }) => document).values();
    return [...firsts].flatMap(([first]) => first ?? []);
  });
  const share = (content: Content) => {
    const own = found.filter((need) => need.content === content);
    return { hits: own.filter(({ use }) => use === 'carried').length, of: own.length };
  };
  return { file: share('file'), output: share('output'), said: share('said') };
}
