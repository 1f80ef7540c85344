import * as z from 'zod';
import {
  EVENT_TYPES,
  type EventFields,
  eventFields,
  type FieldKind,
  type RunEvent,
} from '../../../src/simulator/events.ts';
import { eventTexts } from './event-texts.ts';
import { fieldObjects } from './field-objects.ts';

/** The fields of an event, each with what it is. */
export type EventShape = Readonly<Record<string, z.ZodType>>;

/** The fields of each event by its type. */
export const eventShapes = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, shapeOf(type)]),
) as Readonly<Record<RunEvent['type'], EventShape>>;

function shapeOf(type: RunEvent['type']): EventShape {
  const { always, sometimes = {} }: EventFields = eventFields[type];
  const texts: Readonly<Record<string, string>> = eventTexts[type];
  const shape = Object.entries({ ...always, ...sometimes }).map(([name, kind]) => {
    const value = valueOf(name, kind);
    const field = Object.hasOwn(sometimes, name) ? value.optional() : value;
    return [name, field.describe(texts[name] ?? '')] as const;
  });
  return Object.fromEntries(shape);
}

function valueOf(name: string, kind: FieldKind): z.ZodType {
  switch (kind) {
    case 'number':
      return z.number();
    case 'text':
      return z.string();
    case 'switch':
      return z.boolean();
    case 'texts':
      return z.array(z.string());
    case 'object':
      return objectOf(name);
    default:
      return z.enum(kind);
  }
}

function objectOf(name: string): z.ZodType {
  const shape = fieldObjects.get(name);
  if (shape === undefined) throw new Error(`Expected a shape of the field '${name}', got none.`);
  return shape;
}
