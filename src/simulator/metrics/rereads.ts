/** Files that are read again after a compaction: as recorded, and as a simulated compaction predicts it. */

import type { RunEvent } from '../events.ts';
import { groupBy, sum } from '../lib/collections.ts';
import { type Content, partOf, type Reference } from '../replay/references/reference.ts';
import { CARRIED_SHARE } from '../replay/references/watch.ts';
import type { Trace } from '../replay/trace.ts';
import { type Call, readTouches } from '../session/touches.ts';
import type { Proportion } from './statistics/interval.ts';
import { ratioOfTotals } from './statistics/judge-difference.ts';

/** Of one session. A place counts where so many calls follow it, and no recorded compaction among them. */
export interface Rereads {
  readonly calls: number;
  /** By recorded compaction, the files read before it that these calls read again. */
  readonly after: readonly number[];
  /** The mean of other places; `null` where there is none, or nothing was compacted. */
  readonly elsewhere: number | null;
  /** By simulated compaction, the files that it removed and that these calls go on from without reading them again. */
  readonly lacked: readonly number[];
}

/** Of needed contents that the recording's own compactions had removed, those that it did not read again. */
export type Carried = Readonly<Record<Content, Proportion>>;

interface Recording {
  readonly trace: Trace;
  readonly calls: readonly Call[];
  /** The files that each call reads. */
  readonly reads: readonly (readonly string[])[];
  /** The number of each step's message. */
  readonly steps: readonly number[];
  /** Calls before each compaction. */
  readonly compacted: readonly number[];
}

const AHEAD = [20, 40] as const;
/** Calls after a compaction in which needs count as carried or not. */
const CARRIED_AHEAD = 40;
const BOOTSTRAP = { seed: 1 };

/** Counts both in a session, of which `simulated` are the events of a run; nothing where neither compacts. */
export function countRereads(trace: Trace, simulated: readonly RunEvent[]) {
  const recording = readRecording(trace);
  if (recording.compacted.length + simulated.length === 0) return {};
  const run = readRun(trace, simulated);
  const rereads = AHEAD.map((ahead) => ({
    calls: ahead,
    ...observe(recording, ahead),
    lacked: lackedAfter(recording, run, ahead),
  }));
  return { rereads, carried: countCarried(recording) };
}

/** Means per compaction with intervals over sessions, which ten sessions have at least; `null` of none. */
export function poolRereads(
  sessions: readonly { readonly session: string; readonly rereads?: readonly Rereads[] }[],
) {
  return AHEAD.map((calls, index) => {
    const own = sessions.flatMap(({ session: cluster, rereads }) => {
      const counts = rereads?.[index];
      return counts === undefined ? [] : { ...counts, cluster };
    });
    const observed = own.flatMap(({ after, elsewhere, cluster }) =>
      after.flatMap((count) => (elsewhere === null ? [] : { count, elsewhere, cluster })),
    );
    const predicted = own.flatMap(({ lacked, cluster }) =>
      lacked.map((count) => ({ amount: count * (1 - CARRIED_SHARE.file), cluster })),
    );
    const after = meanOf(observed.map(({ count }) => count));
    const elsewhere = meanOf(observed.map((place) => place.elsewhere));
    const excess = observed.map((place) => ({ ...place, amount: place.count - place.elsewhere }));
    return { calls, after, elsewhere, observed: perPlace(excess), predicted: perPlace(predicted) };
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

function perPlace(places: readonly { readonly amount: number; readonly cluster: string }[]) {
  const pairs = places.map(({ amount, cluster }) => ({ a: 1, b: amount, cluster }));
  return {
    compactions: places.length,
    sessions: new Set(places.map(({ cluster }) => cluster)).size,
    ...(ratioOfTotals(pairs, BOOTSTRAP) ?? { value: null, interval: null }),
  };
}

function meanOf(values: readonly number[]) {
  return values.length === 0 ? null : sum(values) / values.length;
}

function readRecording(trace: Trace): Recording {
  const messages = trace.turns.flatMap(({ message, steps }) => [
    message,
    ...steps.map((step) => step.message),
  ]);
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
  const isFar = (place: number) => compacted.every((other) => Math.abs(other - place) >= ahead);
  const isLast = (place: number) =>
    compacted.every((other) => other <= place || other - place >= ahead);
  return {
    after: whole.filter((place) => compacted.includes(place) && isLast(place)).map(countAt),
    elsewhere: compacted.length === 0 ? null : meanOf(whole.filter(isFar).map(countAt)),
  };
}

/** The steps after which a run compacted, and the files of the recording that it lacked where the recording held them. */
function readRun({ references }: Trace, simulated: readonly RunEvent[]) {
  const { all, parts } = simulated.length === 0 ? { all: [], parts: [] } : references();
  const files = new Map<string, string>();
  for (const need of all) {
    const part = parts[partOf(need.sources[0] ?? 0)]?.part;
    if (need.use !== 'used' || need.content !== 'file' || part?.type !== 'tool') continue;
    files.set(keyOf(need), filesReadBy({ part, at: 0 })[0] ?? '');
  }
  const afterSteps: number[] = [];
  const lacked: { readonly step: number; readonly file: string }[] = [];
  let done = 0;
  for (const event of simulated) {
    if (event.type === 'step-end') done = event.step;
    if (event.type === 'pivot') afterSteps.push(done);
    if (event.type !== 'reference' || (event.missedBy ?? event.goneBy) === undefined) continue;
    const file = files.get(keyOf(event));
    if (file !== undefined) lacked.push({ step: event.step, file });
  }
  return { afterSteps, lacked };
}

function keyOf({ step, kind, document }: Pick<Reference, 'step' | 'kind' | 'document'>) {
  return `${step} ${kind} ${document}`;
}

function lackedAfter(
  { calls, steps, compacted }: Recording,
  { afterSteps, lacked }: ReturnType<typeof readRun>,
  ahead: number,
) {
  return afterSteps.flatMap((after) => {
    const place = calls.filter(({ at }) => at <= (steps[after - 1] ?? -1)).length;
    const last = calls[place + ahead - 1]?.at;
    if (last === undefined || compacted.some((other) => Math.abs(other - place) < ahead)) return [];
    const next = lacked.filter(({ step }) => step > after && (steps[step - 1] ?? 0) <= last);
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
