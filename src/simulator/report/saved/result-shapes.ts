import * as z from 'zod';
import { sum } from '../../lib/collections.ts';
import {
  CatalogShape,
  PART_STATES,
  type PartState,
  RecordedShape,
  RecordShape,
  type RunView,
  SettingShape,
  SettingsShape,
  StoriesShape,
  TokenizersShape,
  UnreadShape,
  type ViewTexts,
} from './shapes.ts';

const Cell = z.looseObject({
  id: z.string(),
  settings: SettingsShape,
  policy: z.string(),
  model: z.string(),
  summarizer: z.string(),
  isToday: z.literal(true).optional(),
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
  baselines: z
    .object({ recorded: z.number(), none: z.number(), unknown: z.number() })
    .exactOptional(),
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
  stories: StoriesShape.optional(),
  sessions: z.array(RecordShape.extend({ cell: z.string(), settings: SettingsShape })),
});

const Index = z.int().min(0);
const States = new Set<number>(Object.values(PART_STATES));
const State = z.custom<PartState>((value) => typeof value === 'number' && States.has(value));

const Texts = z.object({
  pool: z.array(z.string()),
  parts: z.array(z.int().min(-1)),
  changes: z.array(z.int().min(-1)),
  losses: z.array(z.string()).exactOptional(),
});

const View: z.ZodType<RunView> = z.object({
  kinds: z.array(z.string()),
  kind: z.array(Index),
  tokens: z.array(z.number()),
  came: z.array(Index),
  changes: z.array(z.tuple([Index, State, Index, Index, z.number()])),
  pauses: z.array(z.number()),
  texts: Texts.exactOptional(),
});

/** The saved views of a run's requests. */
export const ViewShape = View.refine(fitsTogether, 'does not fit together');

/** Checks whether every number names something that exists. */
function fitsTogether({ kinds, kind, tokens, came, changes, pauses, texts }: RunView): boolean {
  const parts = kind.length;
  return [
    tokens.length === parts && sum(came) === parts && pauses.length === came.length,
    kind.every((index) => index < kinds.length),
    changes.every(([step, , first, many]) => step < came.length && first + many <= parts),
    texts === undefined || fitsTexts(texts, { parts, changes: changes.length }),
  ].every(Boolean);
}

function fitsTexts(
  { pool, parts, changes }: ViewTexts,
  wanted: { readonly parts: number; readonly changes: number },
): boolean {
  const isThere = [...parts, ...changes].every((index) => index < pool.length);
  return isThere && parts.length === wanted.parts && changes.length === wanted.changes;
}
