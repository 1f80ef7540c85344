import { z } from 'zod';
import type { FilePart, ToolState } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import { type CallIds, createCallIds, withoutRepeatedCalls } from '../reading/dialogue.ts';
import {
  atLeastZero,
  beginsWithAny,
  flag,
  listOf,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  toLocalTime,
  toModelName,
} from '../reading/lenient.ts';
import type { Recording } from '../reading/recording.ts';
import { dropUnknown, type Tally } from '../reading/tally.ts';
import type { DraftPart, RecordedUsage } from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';

/** Messages of the session before a message of the chat, and with it. */
export type Place = Readonly<Record<'before' | 'after', number>>;

/** The place of each message of the chat. */
export type Places = ReadonlyMap<string, Place>;

type Responses = ReadonlyMap<string, GeminiResponse>;

/** A message of Gemini CLI, or a content of the Gemini API. */
export type GeminiMessage = z.infer<typeof messageSchema>;

type GeminiPart = z.infer<typeof partSchema>;

type GeminiCall = z.infer<typeof callSchema>;

type GeminiResponse = z.infer<typeof responseSchema>;

const tokensSchema = maybeObject({
  input: maybeTokens,
  output: maybeTokens,
  cached: maybeTokens,
  thoughts: maybeTokens,
  tool: maybeTokens,
});

const callSchema = z.object({
  id: maybeId,
  name: maybeText,
  args: z.unknown().optional(),
  result: z.unknown().optional(),
  status: maybeText,
});

const messageSchema = z.object({
  id: maybeId,
  type: maybeText,
  role: maybeText,
  timestamp: maybeText,
  model: maybeText,
  content: z.unknown().optional(),
  parts: z.unknown().optional(),
  thoughts: listOf(z.object({ subject: maybeText, description: maybeText })),
  tokens: tokensSchema,
  /** A program wrote it in the user's place. */
  isInjected: flag,
  toolCalls: listOf(callSchema),
});

const STEP_TYPES = new Set<string | undefined>(['gemini', 'model', 'assistant']);

const responseSchema = maybeObject({
  id: maybeId,
  name: maybeText,
  response: z.unknown().optional(),
});

const partSchema = z.object({
  text: maybeText,
  thought: flag,
  inlineData: maybeObject({ mimeType: maybeText, data: maybeText }),
  fileData: maybeObject({ mimeType: maybeText, fileUri: maybeText }),
  functionCall: maybeObject({ id: maybeId, name: maybeText, args: z.unknown().optional() }),
  functionResponse: responseSchema,
});

/** Types of notices for the person at the screen. */
const NOTICE_TYPES = new Set<string | undefined>(['info', 'warning', 'error']);

/** Beginnings of texts that a program put in the user's place. */
const INJECTED_STARTS = [
  '<hook_context>',
  '<qwen:user-prompt-submit-context>',
  '<session_context>',
  '<state_snapshot>',
  '<system-reminder>',
];

const FAILED = new Set<string | undefined>(['cancelled', 'error']);

/** The usage of a step; absent where nothing was sent. Reasoning and tool prompts are counted apart. */
export function toUsage(recorded: GeminiMessage['tokens']): RecordedUsage | undefined {
  const sent = splitCount({ input: recorded?.input, cacheRead: recorded?.cached });
  if (sent === undefined) return undefined;
  return {
    ...sent,
    input: sent.input + atLeastZero(recorded?.tool),
    output: atLeastZero(recorded?.output),
    reasoning: atLeastZero(recorded?.thoughts),
  };
}

/** A message; `undefined` if the value is no object. */
export function parseMessage(value: unknown): GeminiMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** Recognizes messages in the place of the user, results included. */
export function isUser({ type, role }: GeminiMessage): boolean {
  return (type ?? role) === 'user';
}

/** Recognizes messages of a model. */
export function isStep({ type, role }: GeminiMessage): boolean {
  return STEP_TYPES.has(type ?? role);
}

/** Recognizes messages that are part of the conversation. */
export function isSaid(message: GeminiMessage | undefined): boolean {
  return message !== undefined && (isUser(message) || isStep(message));
}

/** Pieces of a message. */
export function contentOf({ content, parts }: GeminiMessage): readonly GeminiPart[] {
  return partsOf(content ?? parts);
}

/** Reads contents in order; those without an id get one. */
export function readContents(recording: Recording, contents: readonly unknown[]): Places {
  const messages = recording.parseEach(contents, messageSchema, 'message that is no object');
  const byId = messages.map((message, index) => [message.id ?? `#${index}`, message] as const);
  return readMessages(recording, new Map(byId));
}

/** Reads messages in order, by their ids. */
export function readMessages(
  recording: Recording,
  byId: ReadonlyMap<string, GeminiMessage>,
): Places {
  const messages = [...byId.values()];
  const unknown = messages.filter((each) => !isSaid(each) && !NOTICE_TYPES.has(each.type));
  dropUnknown(
    recording.tally,
    unknown.map(({ type, role }) => type ?? role),
  );
  const readMessage = createReader(recording, collectResponses(messages, recording.tally));
  const places = new Map<string, Place>();
  for (const [id, message] of byId) {
    const before = recording.drafts.length;
    readMessage(message);
    places.set(id, { before, after: recording.drafts.length });
  }
  recording.end();
  return places;
}

function partsOf(content: unknown): readonly GeminiPart[] {
  const values = Array.isArray(content) ? content : [content];
  const pieces = values.map((value) => (typeof value === 'string' ? { text: value } : value));
  return pieces.flatMap((piece) => partSchema.safeParse(piece).data ?? []);
}

/** Creates a reader for messages in order. */
function createReader(
  recording: Recording,
  responses: Responses,
): (message: GeminiMessage) => void {
  const { tally } = recording;
  const ids = createCallIds(tally);
  const calledIds = new Set<string>();
  return (message) => {
    const said = { recordedId: message.id, createdAt: toLocalTime(message.timestamp) };
    if (isStep(message)) {
      const told = toStepParts(message, responses, tally).map((part) => withCallId(part, ids));
      recording.addStep({
        ...said,
        parts: withoutRepeatedCalls(told, calledIds, tally),
        model: message.model && toModelName(message.model, 'google'),
        usage: toUsage(message.tokens),
      });
    } else if (isUser(message)) {
      const parts = toUserParts(message, tally);
      if (parts.every(isInjected)) for (const part of parts) recording.inject(part);
      else recording.addPrompt({ ...said, parts });
    }
  };
}

function withCallId(part: DraftPart, ids: CallIds): DraftPart {
  if (part.type !== 'tool' || part.callId === undefined) return part;
  const call = { name: part.tool, input: part.state.input };
  return { ...part, callId: ids.ofCall(part.callId, call) };
}

/** Texts and files in the place of the user; those that a program wrote are marked. */
function toUserParts(message: GeminiMessage, tally: Tally): DraftPart[] {
  const pieces = contentOf(message).filter((part) => part.functionResponse === undefined);
  return pieces
    .flatMap((part) => toContentPart(part, tally))
    .map((part) => {
      if (part.type !== 'text') return part;
      const isMarked = message.isInjected || beginsWithAny(part.text, INJECTED_STARTS);
      return isMarked ? { ...part, synthetic: true } : part;
    });
}

function toContentPart(part: GeminiPart, tally: Tally): readonly DraftPart[] {
  const { text } = part;
  if (text === '') return [];
  if (text !== undefined) return [{ type: part.thought ? 'reasoning' : 'text', text }];
  const file = toFile(part);
  if (file === undefined) tally.drop('unknown content block');
  return file === undefined ? [] : [file];
}

function toFile({ inlineData, fileData }: GeminiPart): Omit<FilePart, 'id'> | undefined {
  const mime = inlineData?.mimeType ?? fileData?.mimeType ?? 'application/octet-stream';
  const data = inlineData?.data;
  const url = data === undefined ? fileData?.fileUri : `data:${mime};base64,${data}`;
  return url === undefined ? undefined : { type: 'file', mime, url };
}

function isInjected(part: DraftPart): boolean {
  return part.type === 'text' && part.synthetic === true;
}

function toStepParts(
  message: GeminiMessage,
  responses: Responses,
  tally: Tally,
): readonly DraftPart[] {
  const pieces = contentOf(message);
  const known = new Set(message.toolCalls.map(({ id }) => id));
  const calls = pieces.flatMap(({ functionCall: call }) =>
    call === undefined || known.has(call.id)
      ? []
      : { ...call, result: undefined, status: undefined },
  );
  const texts = pieces.filter(({ functionCall }) => functionCall === undefined);
  return [
    ...message.thoughts.flatMap(({ subject = '', description = '' }): DraftPart[] => {
      const text = [subject, description].filter(Boolean).join('\n');
      return text === '' ? [] : [{ type: 'reasoning', text }];
    }),
    ...texts.flatMap((part) => toContentPart(part, tally)),
    ...[...message.toolCalls, ...calls].map((call): DraftPart => {
      const { id: callId, name: tool = 'unknown' } = call;
      return { type: 'tool', callId, tool, state: toState(call, responses, tally) };
    }),
  ];
}

function toState(call: GeminiCall, responses: Responses, tally: Tally): ToolState {
  const { id = '', args: input = {}, result, status } = call;
  const pieces = result === undefined || result === null ? [] : partsOf(result);
  const own = pieces.flatMap(({ functionResponse }) => functionResponse ?? []);
  const elsewhere = responses.get(id);
  const told = own.length > 0 || elsewhere === undefined ? own : [elsewhere];
  const texts = pieces.flatMap(({ text }) => text ?? []);
  if (told.length + texts.length === 0 && !FAILED.has(status)) return { status: 'running', input };
  const output = [...told.map(outputOf), ...texts].join('\n');
  if (FAILED.has(status) || told.some(isError)) return { status: 'error', input, error: output };
  const files = pieces.flatMap((piece) => toFile(piece) ?? []).map((file) => ({ ...file, id: '' }));
  const knownCount = own.length + texts.length + files.length;
  tally.drop('unknown content block', pieces.length - knownCount);
  return { status: 'completed', input, output, ...(files.length > 0 && { attachments: files }) };
}

function outputOf(told: GeminiResponse): string {
  const response = told?.response;
  const output = isObject(response) ? (response['output'] ?? response['error']) : response;
  if (typeof output === 'string') return output;
  return toJsonText(output ?? response);
}

function isError(told: GeminiResponse): boolean {
  const response = told?.response;
  return isObject(response) && response['output'] === undefined && 'error' in response;
}

/** Results in their own messages by call id; the first of several holds. */
function collectResponses(messages: readonly GeminiMessage[], tally: Tally): Responses {
  const calledIds = new Set(messages.filter(isStep).flatMap(callIdsOf));
  const responses = new Map<string, GeminiResponse>();
  for (const { functionResponse: told } of messages.filter(isUser).flatMap(contentOf)) {
    if (told === undefined) continue;
    const { id } = told;
    if (id === undefined || !calledIds.has(id)) tally.drop('tool result without a call');
    else if (!responses.has(id)) responses.set(id, told);
  }
  return responses;
}

function callIdsOf(message: GeminiMessage): readonly (string | undefined)[] {
  const called = contentOf(message).map(({ functionCall }) => functionCall?.id);
  return [...message.toolCalls.map(({ id }) => id), ...called];
}
