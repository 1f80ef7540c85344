import { type EventFields, eventFields, type FieldKind, type RunEvent } from '../../events.ts';
import { isObject, isTexts } from '../../lib/json.ts';

const NOUNS = {
  number: 'no number',
  text: 'no string',
  switch: 'no boolean',
  texts: 'no list',
  object: 'no object',
} as const;

/** What is wrong with a value as an event, in words that follow "but"; nothing where all is right. */
export function faultOfEvent(value: Readonly<Record<string, unknown>>): string | undefined {
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(eventFields, type)) return 'it is not an event';
  const { always, sometimes = {} }: EventFields = eventFields[type as RunEvent['type']];
  const bad =
    Object.entries(always).find(([name, kind]) => !isKind(value[name], kind)) ??
    Object.entries(sometimes).find(
      ([name, kind]) => value[name] !== undefined && !isKind(value[name], kind),
    );
  return bad && `its '${bad[0]}' is ${nounOf(bad[1])}`;
}

function isKind(value: unknown, kind: FieldKind): boolean {
  switch (kind) {
    case 'number':
      return typeof value === 'number';
    case 'text':
      return typeof value === 'string';
    case 'switch':
      return typeof value === 'boolean';
    case 'texts':
      return isTexts(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === 'string' && kind.includes(value);
  }
}

function nounOf(kind: FieldKind): string {
  return typeof kind === 'string' ? NOUNS[kind] : `none of ${kind.join(', ')}`;
}
