import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { toJsonSchema as toScenarioSchema } from '../../src/simulator/scenario/file/schema.ts';
import { toJsonSchema as toConfigSchema } from '../../src/simulator/scenario/gate.ts';
import { toJsonSchema as toSessionSchema } from '../../src/simulator/session/formats/canonical-lines.ts';
import { toJsonSchema as toEventsSchema } from './events/event-lines.ts';
import { replaceEvents } from './events/events-page.ts';

const EVENTS_PAGE = 'docs/events.md';

/** The JSON Schemas that editors and other programs read, and the page that shows one, by their path in the repository. */
export const schemaFiles: ReadonlyMap<string, string> = new Map([
  ['schemas/config.json', toText(toConfigSchema())],
  ['schemas/events.json', toText(toEventsSchema())],
  ['schemas/scenario.json', toText(toScenarioSchema())],
  ['schemas/session.json', toText(toSessionSchema())],
  [EVENTS_PAGE, replaceEvents(readPage())],
]);

function readPage(): string {
  return readFileSync(resolve(import.meta.dirname, '../..', EVENTS_PAGE), 'utf8');
}

function toText(schema: Record<string, unknown>): string {
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
