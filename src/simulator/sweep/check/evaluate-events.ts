import type { RunEvent } from '../../events.ts';
import type { Comparison, EventExpectation } from '../../scenario/file/expectation.ts';
import {
  describeComparison,
  describeField,
  isAsExpected,
  isFieldAsExpected,
  shownValue,
} from './compare.ts';
import type { ExpectationFailure } from '../../report/check/result.ts';

/** What is wrong with how often events occur. */
export function evaluateEvents(
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

/** What is wrong with the order in which events come: the first of them that does not follow the one before. */
export function evaluateOrder(
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

function isLike(event: RunEvent, { type, fields }: EventExpectation): boolean {
  if (event.type !== type) return false;
  const values = fieldsOf(event);
  return [...fields].every(([name, match]) => isFieldAsExpected(match, values[name]));
}

function describeOccurrence(expectation: EventExpectation): string {
  const event = describeEvent(expectation);
  const { times } = expectation;
  if (isOp(times, '>=', 1)) return `some ${event}`;
  return isOp(times, '=', 0) ? `no ${event}` : `${event}, times ${describeComparison(times)}`;
}

function isOp(compare: Comparison, op: Comparison['op'], value: number): boolean {
  return compare.op === op && 'value' in compare && compare.value === value;
}

function describeEvent({ type, fields }: EventExpectation): string {
  if (fields.size === 0) return type;
  const matches = [...fields].map(([name, match]) => `${name} ${describeField(match)}`);
  return `${type} with ${matches.join(' and ')}`;
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

function fieldsOf(event: RunEvent): Readonly<Record<string, unknown>> {
  return { ...event };
}

function countTimes(count: number): string {
  return count === 1 ? 'one' : `${count} of them`;
}
