import type { RunEvent } from '../../events.ts';
import { quoted } from '../../lib/names.ts';
import type { RunRecord } from '../../metrics/record.ts';
import type { ExpectationFailure } from '../../report/check-report.ts';
import type {
  Comparison,
  EventExpectation,
  FieldMatch,
  Placed,
  TextMatch,
} from '../../scenario/file/amounts.ts';
import type { Expectation } from '../../scenario/scenario.ts';

export interface Observation {
  readonly events: readonly RunEvent[];
  readonly broken?: string;
  readonly seen: () => readonly string[];
  /** Also of those that were refused or got no answer. */
  readonly summaryTexts: () => readonly (readonly string[])[];
}

const SHOWN_LENGTH = 200;

export function findUnmet(
  expect: Expectation,
  { state, reason, metrics }: Pick<RunRecord, 'state' | 'reason' | 'metrics'>,
  { events, seen, summaryTexts }: Observation,
) {
  const values: Readonly<Record<string, number | null>> = metrics;
  const failures: ExpectationFailure[] = [];
  if (!expect.state.value.includes(state)) {
    const expected = `state ${expect.state.value.join(' or ')}`;
    const got = reason === undefined ? state : `${state} (${shownValue(reason)})`;
    failures.push({ ...expect.state.at, expected, got });
  }
  if (expect.reason !== undefined && !isMatch(expect.reason.value, reason)) {
    const expected = `a reason that ${describeMatch(expect.reason.value)}`;
    const got = reason === undefined ? 'none' : shownValue(reason);
    failures.push({ ...expect.reason.at, expected, got });
  }
  for (const { metric, compare, at } of expect.metrics) {
    const value = values[metric] ?? undefined;
    const expected = `${metric} ${describeComparison(compare)}`;
    if (!isAsExpected(compare, value)) failures.push({ ...at, expected, got: shownValue(value) });
  }
  return [
    ...failures,
    ...expect.events.flatMap((expectation) => unmetCount(expectation, events)),
    ...unmetOrder(expect.eventsInOrder, events),
    ...unmetLaws(expect, events),
    ...unmetTexts(expect, { seen, summaryTexts }),
  ].toSorted((a, b) => a.line - b.line || a.column - b.column);
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

export function shownValue(value: unknown) {
  if (value === undefined) return 'unknown';
  return typeof value === 'string' ? quoted(value, SHOWN_LENGTH) : JSON.stringify(value);
}

function describeComparison(compare: Comparison) {
  if (compare.op === 'unknown') return 'unknown';
  if (compare.op === 'in') return `in ${compare.from}..${compare.to}`;
  return `${compare.op} ${compare.value}`;
}

function isMatch(match: TextMatch, text: string | undefined) {
  if (text === undefined) return false;
  if (match.op === 'is') return text === match.text;
  return match.op === 'contains' ? text.includes(match.text) : match.pattern.test(text);
}

function describeMatch(match: TextMatch) {
  if (match.op === 'matches') return `matches ${shownValue(String(match.pattern))}`;
  return `${match.op} ${shownValue(match.text)}`;
}

function unmetCount(expectation: EventExpectation, events: readonly RunEvent[]) {
  const { at, times } = expectation;
  const count = events.filter((event) => isLike(event, expectation)).length;
  if (isAsExpected(times, count)) return [];
  const event = describeEvent(expectation);
  const words = describeComparison(times);
  const most = words === '= 0' ? `no ${event}` : `${event}, times ${words}`;
  const expected = words === '>= 1' ? `some ${event}` : most;
  if (count === 0) return [{ ...at, expected, got: describeAbsence(expectation, events) }];
  return [{ ...at, expected, got: count === 1 ? 'one' : `${count} of them` }];
}

function unmetOrder(expected: readonly EventExpectation[], events: readonly RunEvent[]) {
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

function isLike(event: RunEvent, { type, fields }: EventExpectation) {
  if (event.type !== type) return false;
  const values: Readonly<Record<string, unknown>> = { ...event };
  return [...fields].every(([name, match]) => isFieldAsExpected(match, values[name]));
}

function isFieldAsExpected(field: FieldMatch, value: unknown) {
  if (field.type === 'switch') return value === field.value;
  if (field.type === 'text') return typeof value === 'string' && isMatch(field.match, value);
  return isAsExpected(field.compare, typeof value === 'number' ? value : undefined);
}

function describeAbsence({ type, fields }: EventExpectation, events: readonly RunEvent[]) {
  const others = events.filter((event) => event.type === type);
  const [first] = others;
  if (first === undefined) return 'none';
  const values: Readonly<Record<string, unknown>> = { ...first };
  const facts = [...fields.keys()].map((name) => `${name} ${shownValue(values[name])}`);
  return `none of ${others.length}, the first with ${facts.join(' and ')}`;
}

function describeEvent({ type, fields }: EventExpectation) {
  if (fields.size === 0) return type;
  const matches = [...fields].map(([name, match]) => `${name} ${describeField(match)}`);
  return `${type} with ${matches.join(' and ')}`;
}

function describeField(field: FieldMatch) {
  if (field.type === 'number') return describeComparison(field.compare);
  if (field.type === 'switch') return String(field.value);
  return field.match.op === 'is' ? shownValue(field.match.text) : describeMatch(field.match);
}

function unmetLaws({ invariants, violates }: Expectation, events: readonly RunEvent[]) {
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
    ...violates.flatMap(({ value, at }) => {
      if (breaks(value).length > 0) return [];
      return [{ ...at, expected: `law ${value} to be broken`, got: 'no violation' }];
    }),
  ];
}

function unmetTexts(
  { sees, misses, summarizerSees, summarizerMisses }: Expectation,
  { seen, summaryTexts }: Pick<Observation, 'seen' | 'summaryTexts'>,
) {
  const view = sees.length + misses.length === 0 ? [] : seen();
  const requests = summarizerSees.length + summarizerMisses.length === 0 ? [] : summaryTexts();
  const withText = (text: string) => requests.filter((request) => has(request, text)).length;
  const all = requests.length;
  return [
    ...unmet(sees, 'the model to see', (text) => (has(view, text) ? undefined : 'it gone')),
    ...unmet(misses, 'the model not to see', (text) => (has(view, text) ? 'it' : undefined)),
    ...unmet(summarizerSees, 'every summary request to hold', (text) => {
      if (all === 0) return 'no summary request';
      const without = all - withText(text);
      return without === 0 ? undefined : `${without} of ${all} without it`;
    }),
    ...unmet(summarizerMisses, 'no summary request to hold', (text) => {
      const count = withText(text);
      return count === 0 ? undefined : `${count} of ${all} with it`;
    }),
  ];
}

function unmet(
  texts: readonly Placed<string>[],
  expected: string,
  gotOf: (text: string) => string | undefined,
) {
  return texts.flatMap(({ value, at }) => {
    const got = gotOf(value);
    return got === undefined ? [] : [{ ...at, expected: `${expected} ${shownValue(value)}`, got }];
  });
}

function has(texts: readonly string[], wanted: string) {
  return texts.some((text) => text.includes(wanted));
}
