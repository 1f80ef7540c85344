import type { RunEvent } from '../../events.ts';
import { checkedComparison, checkedMatch, type Spot } from './checked.ts';
import { type MatchedKind, matchedFieldsOf } from './event-fields.ts';
import type { Comparison, EventExpectation, FieldMatch } from './expectation.ts';
import type { Expectation } from './scenario.ts';
import type { EventMap, ExpectationEntry } from './schema/expect.ts';

type EventEntry = RunEvent['type'] | EventMap;

const AT_LEAST_ONCE: Comparison = { op: '>=', value: 1 };
const NEVER: Comparison = { op: '=', value: 0 };
/** Keys of an event that are no fields of it. */
const NO_FIELDS: readonly string[] = ['type', 'times'];

/** What a file expects of the events of a run. */
export function toEvents(
  { must = [], mustNot = [], inOrder = [] }: NonNullable<ExpectationEntry['events']>,
  spot: Spot,
): Pick<Expectation, 'events' | 'eventsInOrder'> {
  const all = (key: string, entries: readonly EventEntry[], times: Comparison) =>
    entries.map((entry, index) =>
      toEvent(entry, times, { ...spot, path: [...spot.path, key, index] }),
    );
  return {
    events: [...all('must', must, AT_LEAST_ONCE), ...all('mustNot', mustNot, NEVER)],
    eventsInOrder: all('inOrder', inOrder, AT_LEAST_ONCE),
  };
}

function toEvent(entry: EventEntry, times: Comparison, { path, places }: Spot): EventExpectation {
  const at = places.at(path);
  if (typeof entry === 'string') return { type: entry, fields: new Map(), times, at };
  return {
    type: entry.type,
    fields: new Map(fieldEntries(entry, { path, places })),
    times:
      entry.times === undefined
        ? times
        : checkedComparison(entry.times, { path: [...path, 'times'], places }),
    at,
  };
}

function fieldEntries(entry: EventMap, { path, places }: Spot): readonly [string, FieldMatch][] {
  const kinds = new Map(matchedFieldsOf(entry.type));
  return Object.entries(entry)
    .filter(([name]) => !NO_FIELDS.includes(name))
    .map(([name, value = '']) => {
      const spot: Spot = { path: [...path, name], places };
      return [name, toFieldMatch(value, kinds.get(name), spot)];
    });
}

/** A value of a list is compared to the letter, as any text is. */
function toFieldMatch(
  value: number | string | boolean,
  kind: MatchedKind | undefined,
  spot: Spot,
): FieldMatch {
  if (typeof value === 'boolean') return { type: 'switch', value };
  if (kind === 'number' || typeof value === 'number') {
    return { type: 'number', compare: checkedComparison(value, spot) };
  }
  return { type: 'text', match: checkedMatch(value, 'is', spot) };
}
