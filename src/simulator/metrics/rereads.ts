/** Files that are read again after a compaction: as recorded, and as a simulated compaction predicts it. */

import type { RunEvent } from '../events.ts';
import { groupBy, sum } from '../lib/collections.ts';
import type { Content } from '../replay/references/reference.ts';
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
  /** The mean of other places; where there is none, nothing counts as `after` one. */
  readonly elsewhere: number;
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
