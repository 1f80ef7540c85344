/** Shapes of parts, files and tool states in a canonical file. */

import { z } from 'zod';
import type { FilePart, Part, ToolState } from '../../../engine/index.ts';
import { LATEST_MS } from '../reading/time.ts';

/** One schema for each key of a type, so that none is forgotten. */
export type ShapeOf<Value> = Readonly<Record<keyof Value, z.ZodType>>;

/** What a prune took out of a part is of a run, not of a recording. */
type PartOf<Type extends Part['type']> = Omit<
  ShapeOf<Extract<Part, { readonly type: Type }>>,
  'stored'
>;
type StateOf<Status extends ToolState['status']> = ShapeOf<
  Extract<ToolState, { readonly status: Status }>
>;

/** When something happened, in ms since 1970. */
export const Moment = z.number().min(0).max(LATEST_MS);
const Id = z
  .string()
  .exactOptional()
  .describe('Unique among messages, parts and files; by default the id of its message and "-1", …');
const Snapshot = z.string().exactOptional().describe('Names the state of the files.');
const Flag = z.boolean().exactOptional();
const Input = z.unknown().describe('What the tool was given.');

const text = {
  type: z.literal('text'),
  id: Id,
  text: z.string(),
  synthetic: Flag.describe('Written by a program, not by whose message it stands in.'),
  ignored: Flag.describe('Stored but never sent to a model.'),
} satisfies PartOf<'text'>;

const reasoning = {
  type: z.literal('reasoning'),
  id: Id,
  text: z.string(),
  signedBy: z.string().exactOptional().describe('The provider that signed it.'),
} satisfies PartOf<'reasoning'>;

const file = {
  type: z.literal('file'),
  id: Id,
  mime: z.string(),
  filename: z.string().exactOptional(),
  url: z.string().describe('A data:, file: or https: address.'),
} satisfies ShapeOf<FilePart>;

const waiting = { input: Input };
const pending = { status: z.literal('pending'), ...waiting } satisfies StateOf<'pending'>;
const running = { status: z.literal('running'), ...waiting } satisfies StateOf<'running'>;

const completed = {
  status: z.literal('completed'),
  input: Input,
  output: z.string(),
  attachments: z.array(z.object(file)).exactOptional(),
  compactedAt: Moment.exactOptional().describe('When the output was cleared, ms since 1970.'),
} satisfies StateOf<'completed'>;

const failed = {
  status: z.literal('error'),
  input: Input,
  error: z.string(),
  partialOutput: z.string().exactOptional().describe('What an interrupted tool had printed.'),
} satisfies StateOf<'error'>;

const tool = {
  type: z.literal('tool'),
  id: Id,
  callId: z.string().exactOptional().describe('Unique among calls; by default the id and "-call".'),
  tool: z.string(),
  state: z.discriminatedUnion('status', [
    z.object(pending),
    z.object(running),
    z.object(completed),
    z.object(failed),
  ]),
} satisfies PartOf<'tool'>;

const stepStart = {
  type: z.literal('step-start'),
  id: Id,
  snapshot: Snapshot,
} satisfies PartOf<'step-start'>;

const stepFinish = {
  type: z.literal('step-finish'),
  id: Id,
  reason: z.string(),
  snapshot: Snapshot,
} satisfies PartOf<'step-finish'>;

const compaction = {
  type: z.literal('compaction'),
  id: Id,
  auto: z.boolean().describe('Queued by a trigger, not by hand.'),
  overflow: Flag.describe('The provider had refused the request.'),
  tailStartId: z.string().exactOptional().describe('First message that was to stay verbatim.'),
} satisfies PartOf<'compaction'>;

const subtask = {
  type: z.literal('subtask'),
  id: Id,
  prompt: z.string(),
} satisfies PartOf<'subtask'>;

/** The keys of parts, of files and of the states of tools, in the order in which they are written. */
export const partShapes = {
  text,
  reasoning,
  file,
  tool,
  'step-start': stepStart,
  'step-finish': stepFinish,
  compaction,
  subtask,
} satisfies Record<Part['type'], object>;

/** The shape of what a tool came to, by its status. */
export const stateShapes = { pending, running, completed, error: failed } satisfies Record<
  ToolState['status'],
  object
>;

/** One piece of a message as it is written. */
export const PartValue = z.discriminatedUnion('type', [
  z.object(text),
  z.object(reasoning),
  z.object(file),
  z.object(tool),
  z.object(stepStart),
  z.object(stepFinish),
  z.object(compaction),
  z.object(subtask),
]);
