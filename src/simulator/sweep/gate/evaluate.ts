import {
  type LoopState,
  type Message,
  type ModelContent,
  type Move,
  render,
  type RenderPolicy,
  type SummaryRequest,
  viewOf,
} from '../../../engine/index.ts';
import type { RunEvent } from '../../events.ts';
import { messageOf } from '../../lib/errors.ts';
import { quoted } from '../../lib/names.ts';
import type { RunRecord } from '../../metrics/record.ts';
import { type AsyncRunOptions, collectInto } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { ExpectationFailure } from '../../report/check-report.ts';
import type {
  Comparison,
  EventExpectation,
  FieldMatch,
  Placed,
  TextMatch,
} from '../../scenario/file/amounts.ts';
import type { Expectation } from '../../scenario/scenario.ts';

type Ending = Pick<RunRecord, 'state' | 'reason' | 'metrics'>;

/** A run as a person would watch it. */
export interface Observation {
  /** In order; those before it where the run broke off. */
  readonly events: readonly RunEvent[];
  /** Why the run broke off; absent where it ended by itself. */
  readonly broken?: string;
  /** Every text that the next request would hold besides system prompt and tools. */
  readonly seen: () => readonly string[];
  /** The texts of each summary request, also of those that were refused or got no answer. */
  readonly summaryTexts: () => readonly (readonly string[])[];
}

/** Longest text of an expectation or a run that a failure repeats, in characters. */
const SHOWN_LENGTH = 200;

/** Returns the unmet expectations of a run, in the order of its file. */
export function evaluate(
  expect: Expectation,
  ending: Ending,
  observation: Observation,
): readonly ExpectationFailure[] {
  const { events } = observation;
  const failures = [
    ...evaluateState(expect, ending),
    ...evaluateReason(expect, ending),
    ...evaluateMetrics(expect, ending),
    ...evaluateEvents(expect.events, events),
    ...evaluateOrder(expect.eventsInOrder, events),
    ...evaluateLaws(expect, events),
    ...evaluateTexts(expect, observation),
  ];
  return failures.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

/** Returns true if a number is as expected; an unknown one only equals unknown. */
export function isAsExpected(compare: Comparison, value: number | undefined): boolean {
  if (compare.op === 'unknown') return value === undefined;
  if (value === undefined) return false;
  switch (compare.op) {
    case '=':
      return value === compare.value;
    case '!=':
      return value !== compare.value;
    case '<':
      return value < compare.value;
    case '<=':
      return value <= compare.value;
    case '>':
      return value > compare.value;
    case '>=':
      return value >= compare.value;
    case 'in':
      return compare.from <= value && value <= compare.to;
  }
}

/** A comparison as files have it. */
export function describeComparison(compare: Comparison): string {
  if (compare.op === 'unknown') return 'unknown';
  if (compare.op === 'in') return `in ${compare.from}..${compare.to}`;
  return `${compare.op} ${compare.value}`;
}

/** Returns true if a text is as expected; an absent one never is. */
export function isMatch(match: TextMatch, text: string | undefined): boolean {
  if (text === undefined) return false;
  if (match.op === 'is') return text === match.text;
  return match.op === 'contains' ? text.includes(match.text) : match.pattern.test(text);
}

/** Returns true if a field of an event is as expected. */
export function isFieldAsExpected(match: FieldMatch, value: unknown): boolean {
  switch (match.type) {
    case 'number':
      return isAsExpected(match.compare, typeof value === 'number' ? value : undefined);
    case 'text':
      return isMatch(match.match, typeof value === 'string' ? value : undefined);
    case 'switch':
      return value === match.value;
  }
}

/** The expectation of a field, in words that follow its name. */
export function describeField(match: FieldMatch): string {
  switch (match.type) {
    case 'number':
      return describeComparison(match.compare);
    case 'text':
      return match.match.op === 'is' ? shownValue(match.match.text) : describeMatch(match.match);
    case 'switch':
      return String(match.value);
  }
}

/** A value as failures show it: texts in quotes, and what is absent as unknown. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'unknown';
  return typeof value === 'string' ? quoted(value, SHOWN_LENGTH) : JSON.stringify(value);
}

/** Watches a run until it ends or breaks off. */
export async function observe(trace: Trace, options: AsyncRunOptions): Promise<Observation> {
  const { render: form } = options.policy;
  const events: RunEvent[] = [];
  const requests: SummaryRequest[] = [];
  let state: LoopState | undefined;
  const onTransition = ({ next }: Move) => {
    state = next.state;
    for (const command of next.commands) {
      if (command.type === 'summarise') requests.push(command.request);
    }
  };
  const broken = await collect(events, trace, { ...options, onTransition });
  return {
    events,
    ...(broken !== undefined && { broken }),
    seen: () => (state === undefined ? [] : textsOf(viewOf(state), form)),
    summaryTexts: () =>
      requests.map(({ system, messages, prompt }) => [system, ...textsOf(messages, form), prompt]),
  };
}

function evaluateState(
  { state: { value: states, at } }: Expectation,
  { state, reason }: Ending,
): readonly ExpectationFailure[] {
  if (states.includes(state)) return [];
  const got = reason === undefined ? state : `${state} (${shownValue(reason)})`;
  return [{ ...at, expected: `state ${states.join(' or ')}`, got }];
}

function evaluateReason(
  { reason: expected }: Expectation,
  { reason }: Ending,
): readonly ExpectationFailure[] {
  if (expected === undefined || isMatch(expected.value, reason)) return [];
  const got = reason === undefined ? 'none' : shownValue(reason);
  return [{ ...expected.at, expected: `a reason that ${describeMatch(expected.value)}`, got }];
}

function describeMatch(match: TextMatch): string {
  if (match.op === 'matches') return `matches ${shownValue(String(match.pattern))}`;
  return `${match.op} ${shownValue(match.text)}`;
}

function evaluateMetrics({ metrics }: Expectation, ending: Ending): readonly ExpectationFailure[] {
  const values: Readonly<Record<string, number | null>> = ending.metrics;
  return metrics.flatMap(({ metric, compare, at }) => {
    const value = values[metric] ?? undefined;
    if (isAsExpected(compare, value)) return [];
    return [
      { ...at, expected: `${metric} ${describeComparison(compare)}`, got: shownValue(value) },
    ];
  });
}

function evaluateEvents(
  expected: readonly EventExpectation[],
  events: readonly RunEvent[],
): readonly ExpectationFailure[] {
  return expected.flatMap((expectation) => {
    const count = events.filter((event) => isLike(event, expectation)).length;
    if (isAsExpected(expectation.times, count)) return [];
    const got = count === 0 ? describeAbsence(expectation, events) : countTimes(count);
    return [{ ...expectation.at, expected: describeOccurrence(expectation), got }];
  });
}

function isLike(event: RunEvent, { type, fields }: EventExpectation): boolean {
  if (event.type !== type) return false;
  const values = fieldsOf(event);
  return [...fields].every(([name, match]) => isFieldAsExpected(match, values[name]));
}

function fieldsOf(event: RunEvent): Readonly<Record<string, unknown>> {
  return { ...event };
}

/** The first event of the type tells how it differs. */
function describeAbsence(expectation: EventExpectation, events: readonly RunEvent[]): string {
  const others = events.filter(({ type }) => type === expectation.type);
  const [first] = others;
  if (first === undefined) return 'none';
  const values = fieldsOf(first);
  const facts = [...expectation.fields.keys()].map((name) => `${name} ${shownValue(values[name])}`);
  return `none of ${others.length}, the first with ${facts.join(' and ')}`;
}

function countTimes(count: number): string {
  return count === 1 ? 'one' : `${count} of them`;
}

function describeOccurrence(expectation: EventExpectation): string {
  const event = describeEvent(expectation);
  const { times } = expectation;
  if (isOp(times, '>=', 1)) return `some ${event}`;
  return isOp(times, '=', 0) ? `no ${event}` : `${event}, times ${describeComparison(times)}`;
}

function describeEvent({ type, fields }: EventExpectation): string {
  if (fields.size === 0) return type;
  const matches = [...fields].map(([name, match]) => `${name} ${describeField(match)}`);
  return `${type} with ${matches.join(' and ')}`;
}

function isOp(compare: Comparison, op: Comparison['op'], value: number): boolean {
  return compare.op === op && 'value' in compare && compare.value === value;
}

/** Unmet expectations of the order of events: the first that does not follow the one before. */
function evaluateOrder(
  expected: readonly EventExpectation[],
  events: readonly RunEvent[],
): readonly ExpectationFailure[] {
  let next = 0;
  for (const [index, expectation] of expected.entries()) {
    const found = events.findIndex(
      (event, position) => position >= next && isLike(event, expectation),
    );
    if (found === -1) {
      const before = expected.slice(0, index).map(({ type }) => type);
      const after = before.length === 0 ? '' : ` after ${before.join(', ')}`;
      const got = describeAbsence(expectation, events.slice(next));
      return [{ ...expectation.at, expected: `some ${describeEvent(expectation)}${after}`, got }];
    }
    next = found + 1;
  }
  return [];
}

function evaluateLaws(
  { invariants, violates }: Expectation,
  events: readonly RunEvent[],
): readonly ExpectationFailure[] {
  const violations = events.filter((event) => event.type === 'law-violated');
  const breaks = (law: string) => violations.filter((violation) => violation.law === law);
  return [
    ...invariants.flatMap(({ value, at }) => {
      const found = breaks(value);
      const [first] = found;
      if (first === undefined) return [];
      const count = found.length === 1 ? 'one violation' : `${found.length} violations, the first`;
      const got = `${count}: ${shownValue(first.message)}`;
      return [{ ...at, expected: `law ${value} to hold`, got }];
    }),
    ...violates.flatMap(({ value, at }) =>
      breaks(value).length > 0
        ? []
        : [{ ...at, expected: `law ${value} to be broken`, got: 'no violation' }],
    ),
  ];
}

/** Unmet expectations of the texts that the model and the summarizer were shown. */
function evaluateTexts(
  { sees, misses, summarizerSees, summarizerMisses }: Expectation,
  observation: Observation,
): readonly ExpectationFailure[] {
  const seen = sees.length + misses.length === 0 ? [] : observation.seen();
  const asked = observation.summaryTexts;
  return [
    ...failing(sees, 'the model to see', (text) => (has(seen, text) ? undefined : 'it gone')),
    ...failing(misses, 'the model not to see', (text) => (has(seen, text) ? 'it' : undefined)),
    ...failing(summarizerSees, 'every summary request to hold', (text) => gapIn(asked(), text)),
    ...failing(summarizerMisses, 'no summary request to hold', (text) => leakIn(asked(), text)),
  ];
}

/** The texts of which `gotOf` tells something, which is then what is wrong. */
function failing(
  texts: readonly Placed<string>[],
  expected: string,
  gotOf: (text: string) => string | undefined,
): readonly ExpectationFailure[] {
  return texts.flatMap(({ value, at }) => {
    const got = gotOf(value);
    return got === undefined ? [] : [{ ...at, expected: `${expected} ${shownValue(value)}`, got }];
  });
}

function has(texts: readonly string[], wanted: string): boolean {
  return texts.some((text) => text.includes(wanted));
}

function gapIn(requests: readonly (readonly string[])[], text: string): string | undefined {
  if (requests.length === 0) return 'no summary request';
  const without = requests.filter((request) => !has(request, text)).length;
  return without === 0 ? undefined : `${without} of ${requests.length} without it`;
}

function leakIn(requests: readonly (readonly string[])[], text: string): string | undefined {
  const withIt = requests.filter((request) => has(request, text)).length;
  return withIt === 0 ? undefined : `${withIt} of ${requests.length} with it`;
}

/** Gives why the events broke off, if they did. */
async function collect(
  events: RunEvent[],
  trace: Trace,
  options: AsyncRunOptions,
): Promise<string | undefined> {
  try {
    await collectInto(events, trace, options);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function textsOf(messages: readonly Message[], form: RenderPolicy): readonly string[] {
  return render(messages, form).flatMap(({ content }) => content.flatMap(textOf));
}

function textOf(content: ModelContent): readonly string[] {
  switch (content.type) {
    case 'text':
    case 'reasoning':
      return [content.text];
    case 'tool-call':
      return [content.tool, JSON.stringify(content.input) ?? ''];
    case 'tool-result':
      return [content.output];
    case 'file':
      return content.filename === undefined ? [] : [content.filename];
  }
}
