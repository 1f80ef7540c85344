import * as z from 'zod';
import { laws, type LawName } from '../../../../engine/index.ts';
import { EVENT_TYPES, eventFields } from '../../../event-fields.ts';
import type { RunEvent } from '../../../events.ts';
import { matchedFieldsOf, type MatchedKind } from '../event-fields.ts';
import {
  Compare,
  expectName,
  mapOf,
  nameOf,
  oneOf,
  someOf,
  Switch,
  Text,
  text,
  THREAD,
} from './leaves.ts';

/** An event with what its fields must be. */
export interface EventMap {
  readonly type: RunEvent['type'];
  readonly times?: number | string | undefined;
  readonly [field: string]: string | number | boolean | undefined;
}

/** The laws by name. */
export const LAW_NAMES = Object.keys(laws) as readonly LawName[];

const STATES = eventFields['run-end'].always.state;
const State = nameOf('a state', STATES);
const Law = nameOf('a law', LAW_NAMES);
const TextPattern = Text.describe('The text, or a pattern as in /too (long|large)/i.');

const EventType = nameOf('an event', EVENT_TYPES);
const CountedEvent = eventOf({ times: Compare.optional() });
const AnyEvent = eventOf({});

const Needles = someOf('a text or a list of texts', Text).optional();
const Metrics = z.record(z.string(), Compare, 'a map of metrics with comparisons');
const Laws = z.array(Law, 'a list of laws');
const AN_EXPECTATION = 'a map of what is expected';

/** What must be true of a run when it has ended. */
export const ExpectationEntry = mapOf(AN_EXPECTATION, {
  state: someOf(`${expectName('a state', STATES, '')} or a list of states`, State)
    .optional()
    .describe('How the run ends; any of a list. `completed` where absent.'),
  reason: TextPattern.optional().describe('What the reason contains, or a /pattern/.'),
  reproduces: text('a thread as OWNER/REPO#NUMBER', THREAD)
    .optional()
    .describe('The source whose failure this run shows.'),
  metrics: Metrics.optional(),
  events: mapOf('a map with must, mustNot and inOrder', {
    must: z
      .array(CountedEvent, 'a list of events')
      .optional()
      .describe('At least once, or `times`.'),
    mustNot: z.array(AnyEvent, 'a list of events').optional(),
    inOrder: z
      .array(AnyEvent, 'a list of events')
      .optional()
      .describe('One after the other, whatever comes between.'),
  }).optional(),
  invariants: oneOf('all or a list of laws', [z.literal('all'), Laws])
    .optional()
    .describe('Laws that nothing breaks, whether or not the policy lists them as broken.'),
  violates: Laws.optional().describe('Laws that are broken at least once.'),
  sees: Needles.describe('What the model sees at the end of the run.'),
  misses: Needles.describe('What the model does not see then.'),
  summarizerSees: Needles.describe('What every summary request holds.'),
  summarizerMisses: Needles.describe('What no summary request holds.'),
});

/** What must be true of a run when it has ended, as the file has it. */
export type ExpectationEntry = z.infer<typeof ExpectationEntry>;

/** An event by its type, or a map with its type and what its fields must be. */
function eventOf(extra: z.core.$ZodLooseShape): z.ZodType<EventMap['type'] | EventMap> {
  const options = EVENT_TYPES.map((type) => {
    const fields = matchedFieldsOf(type).map(([name, kind]) => [name, matchOf(kind)]);
    const shape = { type: z.literal(type), ...Object.fromEntries(fields), ...extra };
    return mapOf('an event', shape) as z.ZodObject<{ type: z.ZodLiteral<RunEvent['type']> }>;
  });
  const [first, ...rest] = options;
  if (first === undefined) throw new TypeError('Expected at least one type of event.');
  const Fields = z.discriminatedUnion('type', [first, ...rest], { error: expectType });
  return oneOf(expectEvent, [EventType, Fields]) as z.ZodType<EventMap['type'] | EventMap>;
}

function matchOf(kind: MatchedKind): z.ZodType {
  if (kind === 'number') return Compare.optional();
  if (kind === 'text') return TextPattern.optional();
  return (kind === 'switch' ? Switch : nameOf('a value', kind)).optional();
}

function expectType({ input }: { readonly input?: unknown }): string {
  const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : '';
  return expectName('an event', EVENT_TYPES, type);
}

function expectEvent(input: unknown): string {
  return expectName('an event', EVENT_TYPES, input);
}
