import { sum } from '../../lib/collections.ts';
import { toJsonText } from '../files/source-file.ts';
import { contextTokensOf } from '../session.ts';
import { atLeastZero, toTokens, valueAt } from './lenient.ts';
import type { Tally } from './tally.ts';
import type { DraftMessage, DraftPart, RecordedUsage } from './transcript.ts';

type Kind = 'input' | 'output' | 'reasoning' | 'cacheRead' | 'cacheWrite';

type RecordedCount = { readonly [Each in Kind]?: number | undefined };

type CountPaths = { readonly [Each in Kind]?: string };

const WRITTEN: ReadonlySet<Kind> = new Set(['output', 'reasoning']);

/** Characters of a token where only the growth of a context is estimated. */
const CHARS_PER_TOKEN = 4;

const CHAT_COUNTS = {
  input: 'prompt_tokens',
  output: 'completion_tokens',
  reasoning: 'completion_tokens_details.reasoning_tokens',
  cacheRead: 'prompt_tokens_details.cached_tokens cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
};

/**
 * Splits a count whose input includes cached tokens and whose output includes reasoning; unknown as in `countKinds`. Larger parts
 * mean that the whole excludes them.
 */
export function splitCount(count: RecordedCount): RecordedUsage | undefined {
  const usage = countKinds(count);
  if (usage === undefined) return undefined;
  const { input, output, reasoning, cacheRead, cacheWrite } = usage;
  const fresh = input - cacheRead - cacheWrite;
  return {
    ...usage,
    input: fresh < 0 ? input : fresh,
    output: output < reasoning ? output : output - reasoning,
  };
}

/** Recorded tokens by the paths of each kind, as in `valueAt`. */
export function countsIn(recorded: unknown, paths: CountPaths): RecordedCount {
  return byKind((kind) => toTokens(valueAt(recorded, paths[kind] ?? '')));
}

/** The usage of a chat completion; absent if it has none. */
export function toChatUsage(recorded: unknown): RecordedUsage | undefined {
  return splitCount(countsIn(recorded, CHAT_COUNTS));
}

/**
 * Shares the usage of several requests out among their steps, whose output tokens may be known. Sums stay exact; each context is the one
 * before with what its step added.
 */
export function shareUsage(
  total: RecordedUsage,
  steps: readonly DraftMessage[],
  { tally, outputs }: { readonly tally: Tally; readonly outputs?: readonly number[] },
): void {
  if (steps.length > 1) tally.repair('usage shared out among requests', steps.length);
  const told = outputs ?? steps.map(({ parts }) => sum(parts.map(charsWritten)));
  const written = told.map((one) => Math.max(0, one));
  const output = shares(total.output, written);
  const contexts = contextsOf(total, steps, output);
  const kinds = byKind((kind) => shares(total[kind], WRITTEN.has(kind) ? written : contexts));
  for (const [index, step] of steps.entries()) {
    step.usage = { ...total, ...byKind((kind) => kinds[kind][index] ?? 0) };
  }
}

/** The usage of a step; unknown without an input, or if all kinds are zero, which no real request has. */
export function countKinds(recorded: RecordedCount): RecordedUsage | undefined {
  if (recorded.input === undefined) return undefined;
  const usage = byKind((kind) => atLeastZero(recorded[kind]));
  if (Object.values(usage).every((tokens) => tokens === 0)) return undefined;
  return recorded.cacheRead === undefined ? { ...usage, isCacheUnknown: true } : usage;
}

/** Characters that a model wrote in a part. */
export function charsWritten(part: DraftPart): number {
  if (part.type === 'text' || part.type === 'reasoning') return part.text.length;
  return part.type === 'tool' ? toJsonText(part.state.input).length : 0;
}

function byKind<Value>(valueOf: (kind: Kind) => Value): Record<Kind, Value> {
  return {
    input: valueOf('input'),
    output: valueOf('output'),
    reasoning: valueOf('reasoning'),
    cacheRead: valueOf('cacheRead'),
    cacheWrite: valueOf('cacheWrite'),
  };
}

function contextsOf(
  total: RecordedUsage,
  steps: readonly DraftMessage[],
  outputs: readonly number[],
): readonly number[] {
  let grown = 0;
  const growths = steps.map(({ parts }, index) => {
    const before = grown;
    grown += (outputs[index] ?? 0) + sum(parts.map(charsReturned)) / CHARS_PER_TOKEN;
    return before;
  });
  const rest = contextTokensOf(total) - sum(growths);
  return growths.map((growth) => growth + Math.max(0, rest / steps.length));
}

function shares(total: number, weights: readonly number[]): readonly number[] {
  const whole = sum(weights);
  let part = 0;
  return weights.map((weight) => {
    const start = Math.round(total * part);
    part += whole > 0 ? weight / whole : 1 / weights.length;
    return Math.round(total * part) - start;
  });
}

function charsReturned(part: DraftPart): number {
  if (part.type !== 'tool') return 0;
  const { state } = part;
  if (state.status === 'error') return state.error.length;
  return state.status === 'completed' ? state.output.length : 0;
}
