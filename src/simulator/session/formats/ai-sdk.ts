import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { textOf } from '../reading/content.ts';
import type { RecordedCall } from '../reading/dialogue.ts';
import {
  list,
  listOf,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  mimeIn,
  toList,
  toModelName,
  toText,
  toTime,
} from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftMessage, DraftPart, RecordedUsage } from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';

/** The result of a call as the kit takes it. */
type SdkResult = Omit<Parameters<Recording['finishCall']>[0], 'key'>;

/** A call with its result, where it has one. */
interface SdkCall extends RecordedCall {
  readonly result?: SdkResult;
}

/** A message as shown to a user, or as sent to a model. */
type SdkMessage = z.infer<typeof messageSchema>;

/** One piece of a message. */
type SdkPart = z.infer<typeof partSchema>;

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
  read: readRecording(
    { format: 'ai-sdk', empty: 'messages of the system only' },
    (recording, file) => readMessages(recording, findMessages(file) ?? []),
  ),
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
  if (!Array.isArray(values) || !messageSchema.safeParse(values[0]).success) return false;
  return values.some(isTelling) && !values.some((value) => isObject(value) && 'ts' in value);
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

function readMessages(recording: Recording, values: readonly unknown[]): Facts {
  const { tally } = recording;
  for (const message of recording.parseEach(values, messageSchema, 'message without a role')) {
    const { role, id: recordedId, experimental_attachments: attached } = message;
    const parts = partsOf(message);
    if (role === 'assistant') readSteps(recording, message);
    else if (role === 'tool') for (const part of parts) readResult(recording, part);
    else if (role === 'system') for (const { text } of parts) recording.addSystem(text ?? '');
    else {
      const content = parts.flatMap((part) => toContentPart(part, tally));
      const files = attached.map(({ name, contentType, url }) => toFile(url, contentType, name));
      recording.addPrompt({
        createdAt: timeOf(message),
        recordedId,
        parts: [...content, ...files],
      });
    }
  }
  return { isOutputFinal: recording.hasUsage() };
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
function readSteps(recording: Recording, message: SdkMessage): void {
  const { id, metadata } = message;
  const steps = splitSteps(partsOf(message));
  for (const [index, parts] of steps.entries()) {
    const step = recording.addStep({
      createdAt: timeOf(message),
      recordedId: id !== undefined && index > 0 ? `${id}-step-${index + 1}` : id,
      parts: [],
      model: metadata?.model === undefined ? undefined : toModelName(metadata.model),
      usage: steps.length === 1 ? toUsage(metadata?.usage) : undefined,
    });
    for (const part of parts) readPart(recording, step, part);
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
  const { type = '', toolInvocation: older, toolName: name = 'unknown' } = part;
  const { toolCallId: callId, state, output, errorText } = part;
  if (type === 'tool-invocation') {
    if (older === undefined) return undefined;
    const { toolName: tool = 'unknown', args, result } = older;
    const call = { callId: older.toolCallId, tool, input: args };
    return older.state === 'result' ? { ...call, result: { output: toSentText(result) } } : call;
  }
  if (NO_TOOLS.has(type) || (!type.startsWith(TOOL_PREFIX) && type !== 'dynamic-tool')) {
    return undefined;
  }
  const isNamed = type === 'tool-call' || type === 'dynamic-tool';
  const tool = isNamed ? name : type.slice(TOOL_PREFIX.length);
  const call = { callId, tool, input: part.input ?? part.args ?? {} };
  if (type === 'tool-call') return call;
  if (state === 'output-available') return { ...call, result: { output: toSentText(output) } };
  const isError = state === 'output-error' || state === 'output-denied';
  return isError ? { ...call, result: { output: errorText ?? '', isError } } : call;
}

function toSentText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : toJsonText(value);
}

function timeOf({ createdAt, metadata }: SdkMessage): number {
  return toTime(createdAt ?? metadata?.createdAt);
}

function readPart(recording: Recording, step: DraftMessage, part: SdkPart): void {
  const call = toCall(part);
  if (call !== undefined) {
    recording.addCall(step, call);
    if (call.result !== undefined) recording.finishCall({ key: call.callId, ...call.result });
  } else if (part.type === 'tool-result') readResult(recording, part);
  else step.parts.push(...toContentPart(part, recording.tally));
}

/** Reads a result for a call in another message. */
function readResult(recording: Recording, part: SdkPart): void {
  const { type, toolCallId, output, result, isError } = part;
  if (type !== 'tool-result') toContentPart(part, recording.tally);
  else if (output !== undefined) recording.addResult(toolCallId, toSentResult(output));
  else {
    recording.addResult(toolCallId, { output: toSentText(result), isError: isError === true });
  }
}

function toSentResult(recorded: unknown): SdkResult {
  if (!isObject(recorded) || typeof recorded['type'] !== 'string') {
    return { output: toSentText(recorded) };
  }
  const { type, value, reason } = recorded;
  if (type === 'execution-denied') return { output: toSentText(reason), isError: true };
  if (type !== 'content') {
    return { output: toSentText(value), isError: type === 'error-text' || type === 'error-json' };
  }
  const pieces = toList(value).filter(isObject);
  const files = pieces.filter((piece) => 'data' in piece || 'url' in piece);
  const attachments = files.map(({ data, url, mediaType, filename }) =>
    toFile(data ?? url, toText(mediaType), toText(filename)),
  );
  return { output: textOf(pieces), attachments };
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
