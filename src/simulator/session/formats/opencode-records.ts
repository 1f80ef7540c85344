import { z } from 'zod';
import type { FilePart, ToolState, Usage } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import {
  flag,
  list,
  maybeId,
  maybeMoment,
  maybeObject,
  maybeText,
  maybeTokens,
  toMoment,
  toText,
} from '../reading/lenient.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftPart, RecordedUsage } from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';

/** The record of a session without its messages. */
export type OpencodeInfo = z.infer<typeof infoSchema>;

export type OpencodeMessage = z.infer<typeof messageSchema>;

export type OpencodePart = z.infer<typeof partSchema>;

type OpencodeTokens = z.infer<typeof tokensSchema>;

/** An unparsed JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** A message with its parts, unparsed. */
export interface StoredMessage {
  readonly info: Fields;
  readonly parts: readonly Fields[];
}

/** Messages and parts stored apart. */
export interface Pieces {
  readonly infos: readonly Fields[];
  readonly parts: readonly Fields[];
}

type PartReader = (part: OpencodePart, tally: Tally) => readonly DraftPart[];

const tokensSchema = maybeObject({
  total: maybeTokens,
  input: maybeTokens,
  output: maybeTokens,
  reasoning: maybeTokens,
  cache: maybeObject({ read: maybeTokens, write: maybeTokens }),
});

const fileShape = { id: maybeId, mime: maybeText, filename: maybeText, url: maybeText };

const stateSchema = maybeObject({
  status: maybeText,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
  metadata: maybeObject({ interrupted: flag, output: maybeText, sessionId: maybeId }),
  time: maybeObject({ start: maybeMoment, compacted: maybeMoment }),
  attachments: list,
});

const partSchema = z.object({
  type: maybeText,
  ...fileShape,
  text: maybeText,
  synthetic: flag,
  ignored: flag,
  metadata: maybeObject({ compaction_continue: flag }),
  callID: maybeId,
  tool: maybeText,
  state: stateSchema,
  snapshot: maybeText,
  reason: maybeText,
  tokens: tokensSchema,
  auto: flag,
  overflow: flag,
  tail_start_id: maybeId,
  prompt: maybeText,
  time: maybeObject({ start: maybeMoment }),
});

const messageSchema = z.object({
  info: z.object({
    id: maybeId,
    role: z.enum(['user', 'assistant']),
    parentID: maybeId,
    providerID: maybeText,
    modelID: maybeText,
    model: maybeObject({ providerID: maybeText, modelID: maybeText }),
    summary: flag,
    finish: maybeText,
    error: maybeObject({ name: maybeText, data: maybeObject({ message: maybeText }) }),
    tokens: tokensSchema,
    time: maybeObject({ created: maybeMoment, completed: maybeMoment }),
  }),
  parts: list.transform(parseParts),
});

const infoSchema = z.object({
  id: maybeId,
  parentID: maybeId,
  version: maybeText,
  directory: maybeText,
  revert: maybeObject({ messageID: maybeId, partID: maybeId }),
});

/** Readers of parts by type; those that no model receives give nothing. */
const readers = new Map<string | undefined, PartReader>([
  ['text', readText],
  ['reasoning', readReasoning],
  ['file', (part) => [toFile(part)]],
  ['tool', readTool],
  ['step-start', readStepStart],
  ['step-finish', readStepFinish],
  ['subtask', ({ id, prompt = '' }) => [{ type: 'subtask', id, prompt }]],
  ['agent', readNothing],
  ['compaction', readNothing],
  ['patch', readNothing],
  ['retry', readNothing],
  ['snapshot', readNothing],
]);

const CONTENT_TYPES = new Set<string | undefined>(['text', 'reasoning', 'tool', 'file']);

/** Tolerance for recognizing a total that counts cached tokens twice. */
const DOUBLED_TOLERANCE_RATIO = 0.01;

/** Parses the record of a session; all fields are absent where the value is no object. */
export function parseInfo(value: unknown): OpencodeInfo {
  return infoSchema.safeParse(value).data ?? infoSchema.parse({});
}

/** A message, or `undefined` if it has no role. */
export function parseMessage(value: unknown): OpencodeMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** Joins messages with their parts, oldest first. The last record of an id holds, in the place of the first; parts keep their order. */
export function gatherMessages(pieces: Pieces, tally: Tally): readonly StoredMessage[] {
  const infos = lastOfEach(pieces.infos);
  const parts = lastOfEach(pieces.parts);
  const byMessage = new Map<unknown, Fields[]>();
  for (const info of infos) byMessage.set(info['id'], []);
  for (const part of parts) byMessage.get(part['messageID'])?.push(part);
  const orphans = parts.filter((part) => !byMessage.has(part['messageID']));
  tally.drop('part without a message', orphans.length);
  const messages = infos.map((info) => ({ info, parts: byMessage.get(info['id']) ?? [] }));
  return sortByTime(messages);
}

/** Converts a part; unknown types are counted and left out. */
export function readPart(part: OpencodePart, tally: Tally): readonly DraftPart[] {
  const reader = readers.get(part.type);
  if (reader === undefined) tally.drop('part of unknown type');
  return reader?.(part, tally) ?? [];
}

/** Texts of a message, line by line. */
export function textOf(parts: readonly OpencodePart[]): string {
  return parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text ?? '')
    .join('\n');
}

/** Recognizes parts with content: texts, reasoning, tools and files. */
export function isContent({ type }: OpencodePart): boolean {
  return CONTENT_TYPES.has(type);
}

/** Splits a message by requests: up to 1.0.68 it held all up to the next prompt. Its finish and usage belong to the last. */
export function stepsOf({ info, parts }: OpencodeMessage): readonly OpencodeMessage[] {
  const steps = splitSteps(parts);
  let created = info.time?.created;
  return steps.map((own, index) => {
    if (index > 0) created = startOf(own) ?? created;
    const isLast = index === steps.length - 1;
    const ended = isLast ? {} : { finish: undefined, error: undefined, tokens: undefined };
    const time = info.time && { ...info.time, created };
    return { info: { ...info, ...ended, id: stepId(info.id, index), time }, parts: own };
  });
}

/** The session that a part started as a task; `undefined` if it started none. */
export function startedBy({ tool, state }: Fields): string | undefined {
  const metadata = tool === 'task' && isObject(state) ? state['metadata'] : undefined;
  const id = isObject(metadata) ? metadata['sessionId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** The usage of a step; unknown as in `countKinds`, as for interrupted requests. */
export function toUsage({ info, parts }: OpencodeMessage, tally: Tally): RecordedUsage | undefined {
  const finishes = parts.filter((part) => part.type === 'step-finish');
  return [info.tokens, finishes.at(-1)?.tokens]
    .map((tokens) => readTokens(tokens, tally))
    .find((usage) => usage !== undefined);
}

/** The last record of each id, in the order of the first; all records without an id. */
function lastOfEach(records: readonly Fields[]): readonly Fields[] {
  const byKey = new Map<unknown, Fields>();
  for (const record of records) {
    const { id, messageID } = record;
    byKey.set(typeof id === 'string' ? JSON.stringify([id, toText(messageID)]) : record, record);
  }
  return [...byKey.values()];
}

/** Sorts by time, and by id within one moment; ids restart at times. */
function sortByTime(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  let time = 0;
  const timed = messages.map((message) => {
    time = timeOf(message) ?? time;
    return { message, time, id: toText(message.info['id']) ?? '' };
  });
  const sorted = timed.toSorted((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1));
  return sorted.map(({ message }) => message);
}

function timeOf({ info }: StoredMessage): number | undefined {
  return isObject(info['time']) ? toMoment(info['time']['created']) : undefined;
}

function splitSteps(parts: readonly OpencodePart[]): readonly (readonly OpencodePart[])[] {
  const lastIndex = parts.findLastIndex(isContent);
  const ends = parts.flatMap(({ type }, index) =>
    type === 'step-finish' && index < lastIndex ? [index + 1] : [],
  );
  const bounds = [0, ...ends, parts.length];
  return bounds.slice(1).map((end, index) => parts.slice(bounds[index], end));
}

/** The first known start of a part, in ms. */
function startOf(parts: readonly OpencodePart[]): number | undefined {
  return parts.flatMap((part) => part.time?.start ?? part.state?.time?.start ?? [])[0];
}

function stepId(messageId: string | undefined, index: number): string | undefined {
  return messageId === undefined || index === 0 ? messageId : `${messageId}-step-${index + 1}`;
}

function readTokens(tokens: OpencodeTokens, tally: Tally): RecordedUsage | undefined {
  const usage = countKinds({
    input: clamp(tokens?.input, tally),
    output: clamp(tokens?.output, tally),
    reasoning: clamp(tokens?.reasoning, tally),
    cacheRead: clamp(tokens?.cache?.read, tally),
    cacheWrite: clamp(tokens?.cache?.write, tally),
  });
  const total = clamp(tokens?.total, tally);
  if (usage === undefined || total === undefined) return usage;
  if (!isDoubled(usage, total)) return { ...usage, total };
  tally.repair('total that counts cached tokens twice');
  return { ...usage, total: sumOf(usage) };
}

function clamp(tokens: number | undefined, tally: Tally): number | undefined {
  if (tokens === undefined || tokens >= 0) return tokens;
  tally.repair('negative token count');
  return 0;
}

/** Recognizes totals of two releases that added cached tokens to an input that held them. */
function isDoubled(usage: Usage, total: number): boolean {
  const cached = usage.cacheRead + usage.cacheWrite;
  const doubled = usage.input + usage.output + 2 * cached;
  const isNear = (sum: number) => Math.abs(total - sum) <= sum * DOUBLED_TOLERANCE_RATIO;
  return isNear(doubled) && !isNear(sumOf(usage)) && !isNear(sumOf(usage) - usage.reasoning);
}

function sumOf({ input, output, reasoning, cacheRead, cacheWrite }: Usage): number {
  return input + output + reasoning + cacheRead + cacheWrite;
}

function parseParts(values: readonly unknown[]): readonly OpencodePart[] {
  return values.flatMap((value) => partSchema.safeParse(value).data ?? []);
}

function readText({ id, text = '', synthetic, ignored }: OpencodePart): DraftPart[] {
  const marks = { ...(synthetic && { synthetic }), ...(ignored && { ignored }) };
  return [{ type: 'text', id, text, ...marks }];
}

function readReasoning({ id, text = '' }: OpencodePart): DraftPart[] {
  return text === '' ? [] : [{ type: 'reasoning', id, text }];
}

function toFile({ id, mime = 'application/octet-stream', filename, url = '' }: OpencodePart) {
  const name = filename === undefined ? {} : { filename };
  return { type: 'file' as const, id, mime, url, ...name };
}

function readTool(part: OpencodePart, tally: Tally): DraftPart[] {
  const { id, callID: callId, tool = 'unknown' } = part;
  return [{ type: 'tool', id, callId, tool, state: toState(part, tally) }];
}

function toState({ state }: OpencodePart, tally: Tally): ToolState {
  const { status, input = {}, output, error, metadata, attachments = [] } = state ?? {};
  if (status === 'pending' || status === 'running') return { status, input };
  if (status === 'error') {
    const partialOutput = metadata?.interrupted ? metadata.output : undefined;
    const printed = partialOutput === undefined ? {} : { partialOutput };
    return { status, input, error: readOutput(error, tally), ...printed };
  }
  if (status !== 'completed') tally.repair('tool state of unknown status');
  if (status !== 'completed' && output === undefined) return { status: 'running', input };
  const files = parseParts(attachments).map(toAttachment);
  return {
    status: 'completed',
    input,
    output: readOutput(output, tally),
    ...(files.length > 0 && { attachments: files }),
  };
}

/** The text of an output; sanitized exports may have an object instead. */
function readOutput(value: unknown, tally: Tally): string {
  if (typeof value === 'string') return value;
  const redacted = isObject(value) ? value['redacted'] : undefined;
  tally.repair('tool output that is no text');
  return typeof redacted === 'string' ? redacted : '';
}

function toAttachment(part: OpencodePart): FilePart {
  return { ...toFile(part), id: part.id ?? '' };
}

function readStepStart({ id, snapshot }: OpencodePart): DraftPart[] {
  return [{ type: 'step-start', id, ...(snapshot !== undefined && { snapshot }) }];
}

function readStepFinish({ id, snapshot, reason = 'stop' }: OpencodePart): DraftPart[] {
  return [{ type: 'step-finish', id, reason, ...(snapshot !== undefined && { snapshot }) }];
}

function readNothing(): readonly DraftPart[] {
  return [];
}
