/** Shapes of the lines of saved events. */

import * as z from 'zod';
import {
  EVENTS_KIND,
  EVENTS_SCHEMA_VERSION,
} from '../../../src/simulator/report/saved/events-file.ts';
import {
  ProvenanceShape,
  RecordShape,
  type RunView,
  type ViewTexts,
} from '../../../src/simulator/report/saved/shapes.ts';
import type { ShapeOf } from '../../../src/simulator/session/formats/canonical-lines.ts';
import { eventShapes } from './event-shapes.ts';

const { state, reason, metrics, paybacks, summaryFailures, ...key } = RecordShape.shape;
const indices = z.array(z.int());

const header = z
  .looseObject({
    schemaVersion: z.literal(EVENTS_SCHEMA_VERSION),
    holds: z.literal(EVENTS_KIND),
    provenance: ProvenanceShape,
  })
  .describe('The first line.');

const run = z
  .looseObject({
    run: z.looseObject({ ...key, mode: z.enum(['open-loop', 'closed-loop']).optional() }),
    state,
    reason,
    metrics,
    paybacks,
    summaryFailures,
    source: z.looseObject({ isPartial: z.boolean() }).optional(),
  })
  .describe('A run; its events follow.');

const view = z
  .looseObject({
    view: z.looseObject({
      kinds: z.array(z.string()),
      kind: indices,
      tokens: z.array(z.number()),
      came: indices,
      changes: z.array(z.array(z.number()).length(5)),
      pauses: z.array(z.number()),
      texts: z
        .looseObject({
          pool: z.array(z.string()),
          parts: indices,
          changes: indices,
        } satisfies ShapeOf<ViewTexts>)
        .optional(),
    } satisfies ShapeOf<RunView>),
  })
  .describe('What the requests of the run showed, part by part.');

const unread = z
  .looseObject({ unread: z.looseObject({ file: z.string(), reason: z.string() }) })
  .describe('An input that could not be read.');

const events = Object.entries(eventShapes).map(([type, shape]) =>
  z.looseObject({ type: z.literal(type), ...shape }),
);

/** What other programs need to check a line of saved events. */
export function toJsonSchema(): Record<string, unknown> {
  const line = z
    .union([header, run, view, unread, ...events])
    .describe('One line of saved events of compaction-bench.');
  return z.toJSONSchema(line, { io: 'output', reused: 'inline' });
}
