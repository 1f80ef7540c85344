import * as z from 'zod';
import type { RunEvent } from '../../../src/simulator/events.ts';
import { alignRows } from './align-rows.ts';
import { eventMeanings } from './event-meanings.ts';
import { eventShapes } from './event-shapes.ts';

const START = '<!-- events -->';
const END = '<!-- /events -->';

/** The page of events with its tables replaced; everything around the two markers stays. */
export function replaceEvents(page: string): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`Expected '${START}' and '${END}' in the page.`);
  const types = Object.keys(eventShapes) as readonly RunEvent['type'][];
  return `${page.slice(0, start)}${START}\n\n${types.map(renderEvent).join('\n')}\n${page.slice(end)}`;
}

function renderEvent(type: RunEvent['type']): string {
  const rows = Object.entries(eventShapes[type]).map(([name, schema]) => [
    `\`${name}\``,
    kindOf(schema),
    schema.description ?? '',
  ]);
  const table = alignRows([['field', 'is', 'what'], ...rows]);
  return `### \`${type}\`\n\n${eventMeanings[type]}\n\n${table}\n`;
}

/** What a value of JSON is, in a word. */
function kindOf(schema: z.ZodType): string {
  const { type, enum: names, items } = z.toJSONSchema(schema) as z.core.JSONSchema.JSONSchema;
  const isOptional = schema.safeParse(undefined).success;
  const kind = names ? names.map((name) => `\`${String(name)}\``).join(' or ') : kindOfType(type);
  return `${items === undefined ? kind : 'list of texts'}${isOptional ? ', optional' : ''}`;
}

function kindOfType(type: unknown): string {
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' ? 'text' : String(type);
}
