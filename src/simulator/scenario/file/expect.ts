import * as z from 'zod';
import { type LawName, laws } from '../../../engine/index.ts';
import { eventTypes, type RunEvent, RunStateSchema } from '../../events.ts';
import type { Expectation } from '../scenario.ts';
import {
  type Comparison,
  type EventExpectation,
  type FieldMatch,
  parseComparison,
  parseTextMatch,
  type Placed,
  type TextMatch,
} from './amounts.ts';
import {
  Compare,
  expectName,
  mapOf,
  nameOf,
  oneOf,
  someOf,
  Switch,
  Text,
  matching,
  THREAD,
  told,
} from './leaves.ts';
import { describeValue, type Spot } from './yaml.ts';

export interface EventMap {
  readonly type: RunEvent['type'];
  readonly times?: number | string | undefined;
  readonly [field: string]: string | number | boolean | undefined;
}

export type ExpectationEntry = z.infer<typeof ExpectationEntry>;

type EventEntry = RunEvent['type'] | EventMap;

const METRIC = /^[a-z]\w*$/i;
const LAW_NAMES = Object.keys(laws) as readonly LawName[];
const STATES = RunStateSchema.options;
const State = nameOf('a state', STATES);
const Law = nameOf('a law', LAW_NAMES);
const TextPattern = Text.describe('The text, or a pattern as in /too (long|large)/i.');
const EVENT_TYPES = Object.keys(eventTypes) as readonly RunEvent['type'][];
const EventType = nameOf('an event', EVENT_TYPES);
const CountedEvent = eventOf({ times: Compare.optional() });
const AnyEvent = eventOf({});
const Needles = someOf('a text or a list of texts', Text).optional();
const Metrics = z.record(z.string(), Compare, 'a map of metrics with comparisons');
const Laws = z.array(Law, 'a list of laws');
const AN_EXPECTATION = 'a map of what is expected';

export const ExpectationEntry = mapOf(AN_EXPECTATION, {
  state: told(
    someOf(`${expectName('a state', STATES, '')} or a list of states`, State),
    'How the run ends; any of a list. `completed` where absent.',
  ),
  reason: told(TextPattern, 'What the reason contains, or a /pattern/.'),
  reproduces: told(
    matching('a thread as OWNER/REPO#NUMBER', THREAD),
    'The source whose failure this run shows.',
  ),
  metrics: Metrics.optional(),
  events: mapOf('a map with must, mustNot and inOrder', {
    must: told(z.array(CountedEvent, 'a list of events'), 'At least once, or `times`.'),
    mustNot: z.array(AnyEvent, 'a list of events').optional(),
    inOrder: told(
      z.array(AnyEvent, 'a list of events'),
      'One after the other, whatever comes between.',
    ),
  }).optional(),
  invariants: told(
    oneOf('all or a list of laws', [z.literal('all'), Laws]),
    'Laws that nothing breaks, whether or not the policy lists them as broken.',
  ),
  violates: told(Laws, 'Laws that are broken at least once.'),
  sees: Needles.describe('What the model sees at the end of the run.'),
  misses: Needles.describe('What the model does not see then.'),
  summarizerSees: Needles.describe('What every summary request holds.'),
  summarizerMisses: Needles.describe('What no summary request holds.'),
});

const AT_LEAST_ONCE: Comparison = { op: '>=', value: 1 };
const NEVER: Comparison = { op: '=', value: 0 };
const NO_FIELDS: readonly string[] = ['type', 'times'];

export function toExpectation(
  entry: ExpectationEntry,
  spot: Spot,
  sources: readonly string[],
): Expectation {
  const { reason, reproduces, metrics = {}, events = {} } = entry;
  const placed = <Value>(key: keyof ExpectationEntry, value: Value): Placed<Value> => ({
    value,
    at: spot.of(key).at,
  });
  const list = <Value>(key: keyof ExpectationEntry, values: readonly Value[]) =>
    values.map((value, index) => ({ value, at: spot.of(key, index).at }));
  const needles = (key: 'sees' | 'misses' | 'summarizerSees' | 'summarizerMisses') =>
    list(key, asList(entry[key]));
  const match = reason && checkedMatch(reason, 'contains', spot.of('reason'));
  if (reproduces !== undefined && !sources.includes(reproduces)) {
    const expected = "one of the scenario's sources";
    throw spot.of('reproduces').problem(expected, describeValue(reproduces));
  }
  return {
    state: placed('state', asList(entry.state ?? 'completed')),
    ...(match && { reason: placed('reason', match) }),
    ...(reproduces !== undefined && { reproduces: placed('reproduces', reproduces) }),
    metrics: Object.entries(metrics).map(([metric, text]) => {
      const own = spot.of('metrics', metric);
      if (!METRIC.test(metric)) throw own.problem('a metric', describeValue(metric));
      return { metric, compare: checkedComparison(text, own), at: own.at };
    }),
    ...toEvents(events, spot.of('events')),
    invariants: toInvariants(entry, spot.of('invariants')),
    violates: list('violates', entry.violates ?? []),
    sees: needles('sees'),
    misses: needles('misses'),
    summarizerSees: needles('summarizerSees'),
    summarizerMisses: needles('summarizerMisses'),
  };
}

function asList<Value extends string>(value: Value | readonly Value[] | undefined) {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function checkedMatch(text: string, op: 'is' | 'contains', spot: Spot): TextMatch {
  try {
    return parseTextMatch(text, op);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw spot.problem('a pattern', describeValue(text));
  }
}

function checkedComparison(text: number | string, spot: Spot): Comparison {
  const compare = parseComparison(text);
  if (compare.op !== 'in' || compare.from <= compare.to) return compare;
  throw spot.problem('a range from less to more', describeValue(text));
}

function toEvents(
  { must = [], mustNot = [], inOrder = [] }: NonNullable<ExpectationEntry['events']>,
  spot: Spot,
): Pick<Expectation, 'events' | 'eventsInOrder'> {
  const all = (key: string, entries: readonly EventEntry[], times: Comparison) =>
    entries.map((entry, index) => toEvent(entry, times, spot.of(key, index)));
  return {
    events: [...all('must', must, AT_LEAST_ONCE), ...all('mustNot', mustNot, NEVER)],
    eventsInOrder: all('inOrder', inOrder, AT_LEAST_ONCE),
  };
}

function toEvent(entry: EventEntry, times: Comparison, spot: Spot): EventExpectation {
  const { at } = spot;
  if (typeof entry === 'string') return { type: entry, fields: new Map(), times, at };
  const types: Readonly<Record<string, z.ZodType>> = eventTypes[entry.type].fields;
  const fields = Object.entries(entry)
    .filter(([name]) => !NO_FIELDS.includes(name))
    .map(([name, value = '']) => [name, toFieldMatch(value, types[name], spot.of(name))] as const);
  const own = entry.times === undefined ? times : checkedComparison(entry.times, spot.of('times'));
  return { type: entry.type, fields: new Map(fields), times: own, at };
}

function toFieldMatch(
  value: number | string | boolean,
  field: z.ZodType | undefined,
  spot: Spot,
): FieldMatch {
  if (typeof value === 'boolean') return { type: 'switch', value };
  if (typeof value === 'number' || valueOf(field) instanceof z.ZodNumber)
    return { type: 'number', compare: checkedComparison(value, spot) };
  return { type: 'text', match: checkedMatch(value, 'is', spot) };
}

/** `all` leaves out what is expected to be broken. */
function toInvariants({ invariants = [], violates = [] }: ExpectationEntry, spot: Spot) {
  if (invariants === 'all') {
    const { at } = spot;
    return LAW_NAMES.filter((law) => !violates.includes(law)).map((value) => ({ value, at }));
  }
  return invariants.map((value, index) => {
    const own = spot.of(index);
    if (!violates.includes(value)) return { value, at: own.at };
    throw own.problem('a law that is not under violates', describeValue(value));
  });
}

function eventOf(extra: z.core.$ZodLooseShape): z.ZodType<EventMap['type'] | EventMap> {
  const options = Object.entries(eventTypes).map(([type, { fields }]) => {
    const shape = { type: z.literal(type), ...matchesOf(fields), ...extra };
    return mapOf('an event', shape) as z.ZodObject<{ type: z.ZodLiteral<RunEvent['type']> }>;
  });
  const [first, ...rest] = options;
  if (first === undefined) throw new TypeError('Expected at least one type of event.');
  const Fields = z.discriminatedUnion('type', [first, ...rest], { error: expectType });
  return oneOf(
    (input) => expectName('an event', EVENT_TYPES, input),
    [EventType, Fields],
  ) as z.ZodType<EventMap['type'] | EventMap>;
}

/** Schemas of the values that a scenario can give for fields; lists and objects have none. */
function matchesOf(fields: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  const matches = Object.entries(fields).flatMap(([name, field]) => {
    const match = matchOf(valueOf(field));
    return match === undefined ? [] : [[name, match.optional()] as const];
  });
  return Object.fromEntries(matches);
}

function matchOf(value: z.core.$ZodType | undefined): z.ZodType | undefined {
  if (value instanceof z.ZodNumber) return Compare;
  if (value instanceof z.ZodString) return TextPattern;
  if (value instanceof z.ZodBoolean) return Switch;
  return value instanceof z.ZodEnum ? nameOf('a value', value.options.map(String)) : undefined;
}

function valueOf(field: z.ZodType | undefined): z.core.$ZodType | undefined {
  const mayBeAbsent = field instanceof z.ZodOptional || field instanceof z.ZodExactOptional;
  return mayBeAbsent ? field.unwrap() : field;
}

function expectType({ input }: { readonly input?: unknown }) {
  const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : '';
  return expectName('an event', EVENT_TYPES, type);
}
