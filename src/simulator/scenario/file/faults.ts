import * as z from 'zod';
import { known } from '../../lib/collections.ts';
import type { Failure, Fault } from '../scenario.ts';
import { parseAmount, parseDuration } from './amounts.ts';
import {
  Count,
  Duration,
  mapOf,
  On,
  oneOf,
  Text,
  Times,
  Tokens,
  wholeNumber,
  told,
} from './leaves.ts';
import { Model } from './model.ts';
import type { Spot } from './yaml.ts';

type Key = keyof FaultEntry;

export type FaultEntry = z.infer<typeof FaultEntry>;

const WHERE = ['step', 'summary'] as const;
const FAILURES = ['fail', 'timeOut', 'rateLimit', 'overflow', 'abortAfter'] as const;
const AT_STEP = [...FAILURES, 'usageTimes', 'compact', 'model'] as const;
const AT_SUMMARY = [...FAILURES, 'message'] as const;
const ONCE = ['compact', 'model', 'message'] as const;
const AN_OVERFLOW = 'true, a message, or a map with status and message';
const A_FAULT = 'a map with step or summary and what goes wrong there';

export const FaultEntry = mapOf(A_FAULT, {
  step: told(Count, 'The step that it affects, from 1.'),
  summary: told(Count, 'The summary request that it affects, from 1, retries included.'),
  times: told(Times, 'Tries of the step, or requests in a row; 1 where absent.'),
  fail: told(oneOf('true or a message', [On, Text]), 'An error other than an overflow.'),
  timeOut: told(Duration, 'No answer for that long.'),
  rateLimit: told(
    oneOf('true or a duration', [On, Duration]),
    'Too many requests; the client waits and asks again.',
  ),
  overflow: told(
    oneOf(AN_OVERFLOW, [
      On,
      Text,
      mapOf(AN_OVERFLOW, {
        status: wholeNumber('a status from 100 to 599', 100, 599).optional(),
        message: Text.optional(),
      }),
    ]),
    'Refused as too large, whatever its size.',
  ),
  abortAfter: told(Tokens, 'Aborted by the user after that many tokens.'),
  usageTimes: told(
    z.number('a number of at least 0').min(0, 'a number of at least 0'),
    'The usage that the step reports is multiplied by this.',
  ),
  message: told(Text, 'A prompt that arrives while that summary is written.'),
  compact: told(On, 'A compaction by hand before that step.'),
  model: told(Model.options[0], 'From that step on this model answers.'),
});

/** The faults that a file lists; `steps` are unknown for a recorded session. */
export function toFaults(
  entries: readonly FaultEntry[],
  spot: Spot,
  steps = Infinity,
): readonly Fault[] {
  return entries.flatMap((entry, index) => toFault(entry, spot.of(index), steps));
}

function toFault(entry: FaultEntry, spot: Spot, steps: number): readonly Fault[] {
  const where = onlyKey(entry, WHERE, spot);
  const what = onlyKey(entry, where === 'step' ? AT_STEP : AT_SUMMARY, spot);
  refuseTogether(entry, [where, what], spot);
  const { step = 1, summary: call = 1, times = 1 } = entry;
  const last = entry.usageTimes === undefined ? step : step + times - 1;
  if (where === 'step' && last > steps)
    throw spot.of('step').problem(`a step of the session, which has ${steps}`, `${last}`);
  if (entry.usageTimes !== undefined) {
    const factor = entry.usageTimes;
    return Array.from({ length: times }, (_, index) => ({
      on: 'usage',
      step: step + index,
      factor,
    }));
  }
  if (entry.compact !== undefined) return [{ on: 'compact', step }];
  if (entry.model !== undefined) return [{ on: 'model', step, model: entry.model }];
  if (entry.message !== undefined) return [{ on: 'message', call, text: entry.message }];
  const failed = { times, failure: toFailure(entry) };
  return [where === 'step' ? { on: 'step', step, ...failed } : { on: 'summary', call, ...failed }];
}

function onlyKey<Name extends Key>(entry: FaultEntry, names: readonly Name[], spot: Spot): Name {
  const found = names.filter((name) => entry[name] !== undefined);
  const [name] = found;
  if (name !== undefined && found.length === 1) return name;
  const got = Object.keys(entry).join(' and ');
  throw spot.problem(`a fault with one of ${names.join(', ')}`, got);
}

function refuseTogether(entry: FaultEntry, used: readonly Key[], spot: Spot) {
  const isOnce = ONCE.some((name) => used.includes(name));
  const known: readonly Key[] = isOnce ? used : [...used, 'times'];
  const [unused] = Object.keys(entry).filter((key) => !known.includes(key as Key));
  if (unused === undefined) return;
  throw spot.problem(`a fault with ${known.join(', ')} only`, `${unused} as well`);
}

function toFailure({ fail, timeOut, rateLimit: wait, overflow, abortAfter }: FaultEntry): Failure {
  if (timeOut !== undefined) return { type: 'time-out', afterMs: parseDuration(timeOut) };
  if (wait === true) return { type: 'rate-limit' };
  if (wait !== undefined) return { type: 'rate-limit', retryAfterMs: parseDuration(wait) };
  if (overflow !== undefined) {
    if (overflow === true) return { type: 'overflow' };
    const { status, message } = typeof overflow === 'string' ? { message: overflow } : overflow;
    return { type: 'overflow', ...known({ statusCode: status, message }) };
  }
  if (abortAfter !== undefined) return { type: 'abort', afterTokens: parseAmount(abortAfter) };
  return { type: 'fail', ...(typeof fail === 'string' && { message: fail }) };
}
