import type { RunEvent } from '../../events.ts';
import type { RunRecord } from '../../metrics/record.ts';
import type { Expectation } from '../../scenario/file/scenario.ts';
import { describeComparison, describeMatch, isAsExpected, isMatch, shownValue } from './compare.ts';
import { evaluateEvents, evaluateOrder } from './evaluate-events.ts';
import { evaluateTexts } from './evaluate-texts.ts';
import type { Observation } from './observe.ts';
import type { ExpectationFailure } from '../../report/check/result.ts';

type Ending = Pick<RunRecord, 'state' | 'reason' | 'metrics'>;

/** What is not as expected of a run, in the order of its file. */
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
