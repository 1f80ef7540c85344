import type { Failure, Fault } from '../fault.ts';
import { parseAmount, parseDuration } from './amounts.ts';
import type { Path, Places } from './places.ts';
import type { FaultEntry } from './schema/faults.ts';

type Key = keyof FaultEntry;

/** Where entries stand, and how many steps there are to befall; unknown for a recorded session. */
export interface FaultOptions {
  readonly path: Path;
  readonly places: Places;
  readonly steps?: number | undefined;
}

/** Keys that say where a fault is. */
const WHERE = ['step', 'summary'] as const;
/** Keys for which a request ends without an answer, at a step or a summary. */
const FAILURES = ['fail', 'timeOut', 'rateLimit', 'overflow', 'abortAfter'] as const;
const AT_STEP = [...FAILURES, 'usageTimes', 'compact', 'model'] as const;
const AT_SUMMARY = [...FAILURES, 'message'] as const;
/** Keys of what happens once, at one place. */
const ONCE = ['compact', 'model', 'message'] as const;

/** The faults that a file lists. */
export function toFaults(entries: readonly FaultEntry[], options: FaultOptions): readonly Fault[] {
  return entries.flatMap((entry, index) =>
    toFault(entry, { ...options, path: [...options.path, index] }),
  );
}

function toFault(entry: FaultEntry, options: FaultOptions): readonly Fault[] {
  const where = onlyKey(entry, WHERE, options);
  const what = onlyKey(entry, where === 'step' ? AT_STEP : AT_SUMMARY, options);
  refuseTogether(entry, [where, what], options);
  const { step = 1, summary: call = 1, times = 1 } = entry;
  refuseBeyond(entry, options);
  if (entry.usageTimes !== undefined) return usageFaults(step, times, entry.usageTimes);
  if (entry.compact !== undefined) return [{ on: 'compact', step }];
  if (entry.model !== undefined) return [{ on: 'model', step, model: entry.model }];
  if (entry.message !== undefined) return [{ on: 'message', call, text: entry.message }];
  const failure = toFailure(entry);
  return [
    where === 'step'
      ? { on: 'step', step, times, failure }
      : { on: 'summary', call, times, failure },
  ];
}

/** The one of these keys that an entry has. */
function onlyKey<Name extends Key>(
  entry: FaultEntry,
  names: readonly Name[],
  { path, places }: FaultOptions,
): Name {
  const found = names.filter((name) => entry[name] !== undefined);
  const [name] = found;
  if (name !== undefined && found.length === 1) return name;
  const got = Object.keys(entry).join(' and ');
  throw places.problem(path, `a fault with one of ${names.join(', ')}`, got);
}

/** Keys that would have no effect are refused. */
function refuseTogether(
  entry: FaultEntry,
  used: readonly Key[],
  { path, places }: FaultOptions,
): void {
  const isOnce = ONCE.some((name) => used.includes(name));
  const known: readonly Key[] = isOnce ? used : [...used, 'times'];
  const [unused] = Object.keys(entry).filter((key) => !known.includes(key as Key));
  if (unused === undefined) return;
  throw places.problem(path, `a fault with ${known.join(', ')} only`, `${unused} as well`);
}

/** Tries are of one step, usages of one step each. */
function refuseBeyond(entry: FaultEntry, { path, places, steps }: FaultOptions): void {
  const { step, times = 1, usageTimes } = entry;
  if (step === undefined || steps === undefined) return;
  const last = usageTimes === undefined ? step : step + times - 1;
  if (last <= steps) return;
  throw places.problem([...path, 'step'], `a step of the session, which has ${steps}`, `${last}`);
}

function usageFaults(first: number, times: number, factor: number): readonly Fault[] {
  return Array.from({ length: times }, (_, index) => ({
    on: 'usage',
    step: first + index,
    factor,
  }));
}

function toFailure({ fail, timeOut, rateLimit, overflow, abortAfter }: FaultEntry): Failure {
  if (timeOut !== undefined) return { type: 'time-out', afterMs: parseDuration(timeOut) };
  if (rateLimit !== undefined) return toRateLimit(rateLimit);
  if (overflow !== undefined) return toOverflow(overflow);
  if (abortAfter !== undefined) return { type: 'abort', afterTokens: parseAmount(abortAfter) };
  return { type: 'fail', ...(typeof fail === 'string' && { message: fail }) };
}

function toRateLimit(wait: true | string): Failure {
  return {
    type: 'rate-limit',
    ...(typeof wait === 'string' && { retryAfterMs: parseDuration(wait) }),
  };
}

function toOverflow(overflow: NonNullable<FaultEntry['overflow']>): Failure {
  if (overflow === true) return { type: 'overflow' };
  if (typeof overflow === 'string') return { type: 'overflow', message: overflow };
  const { status, message } = overflow;
  return {
    type: 'overflow',
    ...(status !== undefined && { statusCode: status }),
    ...(message !== undefined && { message }),
  };
}
