import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue, type RecordedCall } from '../reading/dialogue.ts';
import {
  listOf,
  list,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  mimeIn,
  toModelName,
  toText,
  toTime,
} from '../reading/lenient.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  noConversation,
  type RecordedUsage,
  toSession,
} from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';
import type { Session } from '../session.ts';

interface SdkConversation {
  readonly drafts: readonly DraftMessage[];
  /** Texts of all system messages; absent if there are none. */
  readonly system?: string;
}

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
}

/** A call with its result, where it has one. */
interface SdkCall extends RecordedCall {
  readonly result?: SdkOutput;
}

/** The output of a tool as the model received it. */
interface SdkOutput {
  readonly output: string;
  readonly isError: boolean;
  readonly attachments: readonly FilePart[];
}

/** A message as shown to a user, or as sent to a model. */
type SdkMessage = z.infer<typeof messageSchema>;

/** One piece of a message. */
type SdkPart = z.infer<typeof partSchema>;

/** A call in the older form, with its result if there is one. */
type SdkInvocation = z.infer<typeof invocationSchema>;

const invocationSchema = z.object({
  state: maybeText,
  toolCallId: maybeId,
  toolName: maybeText,
  args: z.unknown().optional(),
  result: z.unknown().optional(),
});

const partSchema = z.object({
  ...invocationSchema.shape,
  type: maybeText,
  text: maybeText,
  reasoning: maybeText,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  errorText: maybeText,
  isError: z.unknown().optional(),
  toolInvocation: invocationSchema.optional().catch(undefined),
  mediaType: maybeText,
  mimeType: maybeText,
  filename: maybeText,
  url: maybeText,
  data: z.unknown().optional(),
  image: z.unknown().optional(),
});

const partList = listOf(partSchema);

const attachmentSchema = z.object({ name: maybeText, contentType: maybeText, url: z.string() });

const messageSchema = z.object({
  id: maybeId,
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.unknown().optional(),
  parts: partList,
  createdAt: z.unknown().optional(),
  metadata: maybeObject({
    createdAt: z.unknown().optional(),
    model: maybeText,
    usage: z.unknown().optional(),
  }),
  toolInvocations: list,
  experimental_attachments: listOf(attachmentSchema),
});

const TELLING_TYPES = new Set<unknown>([
  'reasoning',
  'redacted-reasoning',
  'tool-approval-request',
  'tool-approval-response',
  'tool-call',
  'tool-result',
]);

/** Types of pieces that begin like those of tools. */
const NO_TOOLS = new Set(['tool-approval-request', 'tool-approval-response', 'tool-result']);

const TOOL_PREFIX = 'tool-';

const usageSchema = z.object({
  inputTokens: maybeTokens,
  outputTokens: maybeTokens,
  promptTokens: maybeTokens,
  completionTokens: maybeTokens,
  reasoningTokens: maybeTokens,
  cachedInputTokens: maybeTokens,
  inputTokenDetails: maybeObject({ cacheReadTokens: maybeTokens, cacheWriteTokens: maybeTokens }),
  outputTokenDetails: maybeObject({ reasoningTokens: maybeTokens }),
});

/** Types of pieces that no model receives, or that are read elsewhere. */
const SILENT_TYPES = new Set<string | undefined>([
  'redacted-reasoning',
  'source',
  'source-document',
  'source-url',
  'step-start',
  'tool-approval-request',
  'tool-approval-response',
]);
const DATA_PREFIX = 'data-';

/** Messages of the AI SDK, as applications store them or send them to a model. */
export const aiSdk: SessionFormat = {
  label: 'AI SDK messages (JSON)',
  certainty: 'shape',
  detect: (file) => findMessages(file) !== undefined,
  read: (file) => [readMessages(file)],
};

/** The usage that an application stores with a message; absent if it stores none. */
export function toUsage(recorded: unknown): RecordedUsage | undefined {
  const usage = usageSchema.safeParse(recorded).data;
  return splitCount({
    input: usage?.inputTokens ?? usage?.promptTokens,
    output: usage?.outputTokens ?? usage?.completionTokens,
    reasoning: usage?.outputTokenDetails?.reasoningTokens ?? usage?.reasoningTokens,
    cacheRead: usage?.inputTokenDetails?.cacheReadTokens ?? usage?.cachedInputTokens,
    cacheWrite: usage?.inputTokenDetails?.cacheWriteTokens,
  });
}

/** The messages of a bare list or of an object; `undefined` if they are not of this format. */
function findMessages(file: SourceFile): readonly unknown[] | undefined {
  const document = file.json();
  if (!isObject(document)) return isConversation(document) ? document : undefined;
  const { messages } = document;
  return isConversation(messages) ? messages : undefined;
}

/** Messages of the AI SDK have the time in `createdAt` or their metadata, never in `ts`. */
function isConversation(values: unknown): values is readonly unknown[] {
  if (!Array.isArray(values) || parseMessage(values[0]) === undefined) return false;
  return values.some(isTelling) && !values.some((value) => isObject(value) && 'ts' in value);
}

function parseMessage(value: unknown): SdkMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** Recognizes messages that only the AI SDK writes, by typed parts or by their content pieces. */
function isTelling(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { parts, content, toolInvocations } = value;
  if (Array.isArray(toolInvocations)) return true;
  if (Array.isArray(parts)) return parts.length > 0 && parts.every(isTyped);
  return Array.isArray(content) && content.some(isTellingPiece);
}

function isTyped(part: unknown): boolean {
  return isObject(part) && typeof part['type'] === 'string';
}

function isTellingPiece(piece: unknown): boolean {
  if (!isObject(piece)) return false;
  const { type } = piece;
  if (type === 'file') return 'mediaType' in piece || 'mimeType' in piece;
  return TELLING_TYPES.has(type) || (type === 'image' && 'image' in piece);
}

function readMessages(file: SourceFile): Session {
  const tally = createTally();
  const values = findMessages(file) ?? [];
  const recorded = values.flatMap((value) => parseMessage(value) ?? []);
  tally.drop('message without a role', values.length - recorded.length);
  const { drafts, system } = readConversation(recorded, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'messages of the system only');
  return {
    ...toSession(file.name, 'ai-sdk', { drafts, tally, system }),
    isOutputFinal: drafts.some(({ usage }) => usage !== undefined),
  };
}

function readConversation(messages: readonly SdkMessage[], tally: Tally): SdkConversation {
  const dialogue = createDialogue(tally);
  for (const message of messages) readMessage({ tally, dialogue }, message);
  const systems = messages.filter(({ role }) => role === 'system').flatMap(partsOf);
  const system = systems.flatMap(({ text }) => text ?? []).join('\n\n');
  return { drafts: dialogue.end(), ...(system !== '' && { system }) };
}

function readMessage(reading: Reading, message: SdkMessage): void {
  const { dialogue, tally } = reading;
  const parts = partsOf(message);
  if (message.role === 'assistant') readSteps(reading, message);
  else if (message.role === 'tool') for (const part of parts) readResult(reading, part);
  else if (message.role === 'user') {
    const content = parts.flatMap((part) => toContentPart(part, tally));
    dialogue.addPrompt({
      createdAt: timeOf(message),
      recordedId: message.id,
      parts: [...content, ...toAttachments(message)],
    });
  }
}

/** Pieces of a message: its parts as shown, its content as sent. Older messages have calls beside a text. */
function partsOf(message: SdkMessage): readonly SdkPart[] {
  if (message.parts.length > 0) return message.parts;
  const { content, toolInvocations: calls } = message;
  const texts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const called = calls.map((toolInvocation) => ({ type: 'tool-invocation', toolInvocation }));
  return partList.parse([...called, ...list.parse(texts)]);
}

/** Reads the steps of a shown message, which holds all up to the next prompt. Its usage is known only if it is one step. */
function readSteps(reading: Reading, message: SdkMessage): void {
  const steps = splitSteps(partsOf(message));
  const model = message.metadata?.model;
  for (const [index, parts] of steps.entries()) {
    const id = message.id;
    const step = reading.dialogue.addStep({
      createdAt: timeOf(message),
      recordedId: id !== undefined && index > 0 ? `${id}-step-${index + 1}` : id,
      parts: [],
      model: model === undefined ? undefined : toModelName(model),
      usage: steps.length === 1 ? toUsage(message.metadata?.usage) : undefined,
    });
    for (const part of parts) readPart(reading, step, part);
  }
}

/** A step begins at a mark; without marks, where text follows a call. */
function splitSteps(parts: readonly SdkPart[]): readonly (readonly SdkPart[])[] {
  const hasMarks = parts.some(isMark);
  const steps: SdkPart[][] = [[]];
  for (const [index, part] of parts.entries()) {
    const previous = parts[index - 1];
    const isBehindCall = previous !== undefined && isShownCall(previous) && !isShownCall(part);
    const isStart = hasMarks ? isMark(part) : isBehindCall;
    const last = steps.at(-1) ?? [];
    if (isStart && last.length > 0) steps.push(isMark(part) ? [] : [part]);
    else if (!isMark(part)) last.push(part);
  }
  return steps;
}

function isMark({ type }: SdkPart): boolean {
  return type === 'step-start';
}

/** A call that holds its result; later pieces were written when the result was known. */
function isShownCall(part: SdkPart): boolean {
  return part.type !== 'tool-call' && toCall(part) !== undefined;
}

/** The call in a piece of a message; `undefined` if it holds none. */
function toCall(part: SdkPart): SdkCall | undefined {
  const { type = '', toolInvocation: older } = part;
  if (type === 'tool-invocation') return older && toInvocation(older);
  if (NO_TOOLS.has(type)) return undefined;
  if (type === 'tool-call') return { ...toBareCall(part, part.toolName) };
  if (type === 'dynamic-tool') return toShownCall(part, part.toolName);
  return type.startsWith(TOOL_PREFIX)
    ? toShownCall(part, type.slice(TOOL_PREFIX.length))
    : undefined;
}

function toInvocation(older: SdkInvocation): SdkCall {
  const call = { callId: older.toolCallId, tool: older.toolName ?? 'unknown', input: older.args };
  return older.state === 'result' ? { ...call, result: toPlainOutput(older.result) } : call;
}

function toPlainOutput(value: unknown): SdkOutput {
  return { output: toSentText(value), isError: false, attachments: [] };
}

function toSentText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : toJsonText(value);
}

function toBareCall({ toolCallId: callId, input, args }: SdkPart, name = 'unknown'): SdkCall {
  return { callId, tool: name, input: input ?? args ?? {} };
}

function toShownCall(part: SdkPart, name: string | undefined): SdkCall {
  const call = toBareCall(part, name);
  const { state, output, errorText } = part;
  if (state === 'output-available') return { ...call, result: toPlainOutput(output) };
  const isError = state === 'output-error' || state === 'output-denied';
  return isError ? { ...call, result: { ...toPlainOutput(errorText), isError } } : call;
}

function timeOf({ createdAt, metadata }: SdkMessage): number {
  return toTime(createdAt ?? metadata?.createdAt);
}

function readPart(reading: Reading, step: DraftMessage, part: SdkPart): void {
  const { dialogue, tally } = reading;
  const call = toCall(part);
  if (call !== undefined) {
    dialogue.addCall(step, call);
    if (call.result !== undefined) dialogue.finishCall({ key: call.callId, ...call.result });
  } else if (part.type === 'tool-result') readResult(reading, part);
  else for (const content of toContentPart(part, tally)) step.parts.push(content);
}

function readResult({ dialogue, tally }: Reading, part: SdkPart): void {
  const result = toResult(part);
  if (result === undefined) toContentPart(part, tally);
  else if (
    part.toolCallId === undefined ||
    !dialogue.finishCall({ key: part.toolCallId, ...result })
  )
    tally.drop('tool result without a call');
}

/** The result for a call in another message; `undefined` if the piece is none. */
function toResult(part: SdkPart): SdkOutput | undefined {
  if (part.type !== 'tool-result') return undefined;
  if (part.output !== undefined) return toSentOutput(part.output);
  return { ...toPlainOutput(part.result), isError: part.isError === true };
}

function toSentOutput(recorded: unknown): SdkOutput {
  if (!isObject(recorded) || typeof recorded['type'] !== 'string') return toPlainOutput(recorded);
  const { type, value, reason } = recorded;
  if (type === 'execution-denied') return { ...toPlainOutput(reason), isError: true };
  if (type === 'content') return toPiecedOutput(value);
  return { ...toPlainOutput(value), isError: type === 'error-text' || type === 'error-json' };
}

function toPiecedOutput(value: unknown): SdkOutput {
  const pieces = list.parse(value).filter(isObject);
  const texts = pieces.flatMap(({ text }) => (typeof text === 'string' ? text : []));
  const files = pieces.filter((piece) => 'data' in piece || 'url' in piece);
  const attachments = files.map(({ data, url, mediaType, filename }) =>
    toFile(data ?? url, toText(mediaType), toText(filename)),
  );
  return { output: texts.join('\n'), isError: false, attachments };
}

function toFile(source: unknown, mime: string | undefined, name?: string): FilePart {
  const text = typeof source === 'string' ? source : '';
  const isAddress = /^[a-z]+:/i.test(text);
  const known = mime ?? mimeIn(text) ?? 'application/octet-stream';
  const url = isAddress ? text : `data:${known};base64,${text}`;
  return { type: 'file', id: '', mime: known, url, ...(name !== undefined && { filename: name }) };
}

/** Converts one piece written or attached by a user or a model. */
function toContentPart(part: SdkPart, tally: Tally): readonly DraftPart[] {
  const { type = '', mediaType = part.mimeType, url, data = url, filename } = part;
  const text = part.text ?? part.reasoning ?? '';
  if (type === 'text') return text === '' ? [] : [{ type: 'text', text }];
  if (type === 'reasoning') return text === '' ? [] : [{ type: 'reasoning', text }];
  if (type === 'file') return [toFile(data, mediaType, filename)];
  if (type === 'image') return [toFile(part.image, mediaType ?? 'image/*', filename)];
  if (!SILENT_TYPES.has(type) && !type.startsWith(DATA_PREFIX)) tally.drop('unknown content part');
  return [];
}

/** Files beside the text of older messages. */
function toAttachments({ experimental_attachments: files }: SdkMessage): DraftPart[] {
  return files.map(({ name, contentType, url }) => toFile(url, contentType, name));
}
