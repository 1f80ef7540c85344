import * as z from 'zod';
import { CatalogShape, RecordedShape, TokenizersShape } from './origin-shape.ts';
import { SettingShape, SettingsShape, UnreadShape } from './amount-shapes.ts';
import { RecordShape } from './record-shape.ts';

const Cell = z.looseObject({
  id: z.string(),
  settings: SettingsShape,
  policy: z.string(),
  model: z.string(),
  summarizer: z.string(),
  values: z.array(SettingShape),
  runs: z.number(),
  completedRuns: z.number(),
  failedRuns: z.number(),
  endedEarly: z.record(z.string(), z.number()).optional(),
  metrics: RecordShape.shape.metrics,
});

/** A JSON report of `sweep`, as far as any format reads it. */
export const SweepShape = z.looseObject({
  schemaVersion: z.int(),
  provenance: z.looseObject({
    version: z.string(),
    sweep: z.string(),
    shard: z.string(),
    sessions: z.number(),
    skippedSessions: z.number(),
    sharingSessions: z.number().default(0),
    recorded: RecordedShape.optional(),
    seeds: z.array(z.number()),
    catalog: CatalogShape,
    tokenizers: TokenizersShape,
  }),
  deadKnobs: z.array(z.string()),
  knobs: z.array(
    z.looseObject({
      key: z.string(),
      values: z.array(SettingShape),
      effect: z.enum(['some', 'none', 'unread', 'unknown']),
    }),
  ),
  cells: z.array(Cell),
  failures: z
    .array(
      z.looseObject({
        reason: z.string(),
        times: z.number(),
        session: z.string(),
        cell: z.string(),
      }),
    )
    .optional(),
  unread: UnreadShape,
  sessions: z.array(RecordShape.extend({ cell: z.string(), settings: SettingsShape })),
});
