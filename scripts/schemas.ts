import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as z from 'zod';
import { eventTypes } from '../src/simulator/events.ts';
import { AnswerSchema } from '../src/simulator/report/answer-schema.ts';
import { EVENTS_KIND, EVENTS_SCHEMA_VERSION } from '../src/simulator/report/saved/events-file.ts';
import type { RunView } from '../src/simulator/report/plots.ts';
import { ProvenanceShape, RecordShape } from '../src/simulator/report/saved/shapes.ts';
import { toJsonSchema as toScenarioSchema } from '../src/simulator/scenario/file/schema.ts';
import { toJsonSchema as toConfigSchema } from '../src/simulator/scenario/gate.ts';
import {
  type ShapeOf,
  toJsonSchema as toSessionSchema,
} from '../src/simulator/session/formats/canonical-lines.ts';
import { alignedTable, replaceBlock } from './page-blocks.ts';

type JsonSchema = z.core.JSONSchema.JSONSchema;

const EVENTS_PAGE = 'docs/reference/events.md';

/** The JSON Schemas that editors and other programs read, and the page on events, by path in the repository. */
export const schemaFiles: ReadonlyMap<string, string> = new Map([
  ['schemas/answer.json', toText(z.toJSONSchema(AnswerSchema, { io: 'output', reused: 'inline' }))],
  ['schemas/config.json', toText(toConfigSchema())],
  ['schemas/events.json', toText(toEventsSchema())],
  ['schemas/scenario.json', toText(toScenarioSchema())],
  ['schemas/session.json', toText(toSessionSchema())],
  [EVENTS_PAGE, replaceEvents(readPage())],
]);

/** The page on events with the tables between its two markers replaced. */
export function replaceEvents(page: string): string {
  const events = Object.entries(eventTypes).map(
    ([type, { means, fields }]) => `### \`${type}\`\n\n${means}\n\n${renderFields(fields)}\n`,
  );
  return replaceBlock(page, 'events', events.join('\n'));
}

/** The JSON Schema of a line of saved events. */
export function toEventsSchema(): Record<string, unknown> {
  const events = Object.entries(eventTypes).map(([type, { fields }]) =>
    z.looseObject({ type: z.literal(type), ...fields }),
  );
  const line = z
    .union([headerLine(), runLine(), viewLine(), unreadLine(), ...events])
    .describe('One line of saved events of compaction-bench.');
  return z.toJSONSchema(line, { io: 'output', reused: 'inline', unrepresentable: 'any' });
}

function readPage(): string {
  return readFileSync(resolve(import.meta.dirname, '..', EVENTS_PAGE), 'utf8');
}

function renderFields(fields: Readonly<Record<string, z.ZodType>>): string {
  const { properties = {}, required = [] } = z.toJSONSchema(z.object(fields)) as JsonSchema;
  const rows = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, field]) => [
      `\`${name}\``,
      `${kindOf(field)}${required.includes(name) ? '' : ', optional'}`,
      field.description ?? '',
    ],
  );
  return alignedTable(['field', 'is', 'what'], rows);
}

function kindOf({ type, enum: names }: JsonSchema): string {
  if (names !== undefined) return names.map((name) => `\`${String(name)}\``).join(' or ');
  if (type === 'array') return 'list of texts';
  return type === 'string' ? 'text' : String(type);
}

function headerLine() {
  return z
    .looseObject({
      schemaVersion: z.literal(EVENTS_SCHEMA_VERSION),
      holds: z.literal(EVENTS_KIND),
      provenance: ProvenanceShape,
    })
    .describe('The first line.');
}

function runLine() {
  const { state, reason, metrics, paybacks, findings, mode: _, ...key } = RecordShape.shape;
  return z
    .looseObject({
      run: z.looseObject({ ...key, mode: z.enum(['open-loop', 'closed-loop']).optional() }),
      state,
      reason,
      metrics,
      paybacks,
      findings,
      source: z.looseObject({ isPartial: z.boolean() }).optional(),
    })
    .describe('A run; its events follow.');
}

function viewLine() {
  const indices = z.array(z.int());
  const texts = z.looseObject({
    pool: z.array(z.string()),
    parts: indices,
    changes: indices,
    losses: z.array(z.string()).optional(),
  } satisfies ShapeOf<NonNullable<RunView['texts']>>);
  const view = z.looseObject({
    kinds: z.array(z.string()),
    kind: indices,
    tokens: z.array(z.number()),
    came: indices,
    changes: z.array(z.array(z.number()).length(5)),
    pauses: z.array(z.number()),
    texts: texts.optional(),
  } satisfies ShapeOf<RunView>);
  return z.looseObject({ view }).describe('What the requests of the run showed, part by part.');
}

function unreadLine() {
  return z
    .looseObject({ unread: z.looseObject({ file: z.string(), reason: z.string() }) })
    .describe('An input that could not be read.');
}

function toText(schema: Record<string, unknown>): string {
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
