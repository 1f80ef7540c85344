import { type EventFields, eventFields, type FieldKind } from '../../event-fields.ts';
import type { RunEvent } from '../../events.ts';

/** A field that a scenario can name; lists and objects are none. */
export type MatchedKind = Exclude<FieldKind, 'texts' | 'object'>;

/** What a scenario can expect of an event of that type. */
export function matchedFieldsOf(
  type: RunEvent['type'],
): readonly (readonly [name: string, kind: MatchedKind])[] {
  const { always, sometimes = {} }: EventFields = eventFields[type];
  return Object.entries({ ...always, ...sometimes }).filter(
    (entry): entry is [string, MatchedKind] => entry[1] !== 'texts' && entry[1] !== 'object',
  );
}
