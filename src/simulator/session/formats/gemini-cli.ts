import { z } from 'zod';
import type { FilePart, ToolState } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import {
  type CallIds,
  createCallIds,
  createPending,
  withoutRepeatedCalls,
} from '../reading/dialogue.ts';
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
import { createTally, dropUnknown, readRecordLines, type Tally } from '../reading/tally.ts';
import {
  addStep,
  type DraftMessage,
  type DraftPart,
  finishSession,
  noConversation,
  type RecordedUsage,
} from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';
import type { RecordedCompaction, Session } from '../session.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Messages of the session before a message of the chat, and with it. */
type Place = Readonly<Record<'before' | 'after', number>>;

/** A replacement of the history by something shorter. */
interface Replacement {
  /** The last message before it. */
  readonly afterId: string | undefined;
  readonly summary: string;
  /** The first message that stayed. */
  readonly firstKeptId: string | undefined;
}

/** The messages of a chat by id, and the replacements. */
interface ChatLog {
  readonly messages: Map<string, GeminiMessage>;
  readonly replacements: Replacement[];
}

interface Replay extends ChatLog {
  readonly tally: Tally;
  /** Ids of the messages that the model saw last; the others were replaced. */
  readonly visibleIds: Set<string>;
  /** Number of messages without an id. */
  namelessCount: number;
}

type Responses = ReadonlyMap<string, GeminiResponse>;

type GeminiMessage = z.infer<typeof messageSchema>;
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

/** Chats of Gemini CLI: one document, or later a log of messages and updates. */
export const geminiCli: SessionFormat = {
  label: 'Gemini CLI chat (JSON or JSON lines)',
  certainty: 'mark',
  detect: (file) => isChat(file.json()) || isLog(file),
  read: (file) => [readChat(file)],
  keeps: {
    tools:
      'run_shell_command read_many_files search_file_content list_directory write_todos google_web_search save_memory',
    arguments: 'is_background',
    reasons: 'taken',
  },
};

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

/** Reads messages, rewritten messages and updates in order. */
export function readTurns(turns: readonly unknown[], tally: Tally) {
  return readConversation(replayLog(turns, tally), tally);
}

function isChat(document: unknown): boolean {
  if (!isObject(document)) return false;
  const { messages, history } = document;
  if (isHeader(document) && Array.isArray(messages)) return messages.some(isConversation);
  if (!Array.isArray(history)) return false;
  return history.some((turn) => Array.isArray(turn?.parts) && isConversation(turn));
}

function isHeader(value: unknown): boolean {
  if (!isObject(value)) return false;
  return typeof value['sessionId'] === 'string' && typeof value['projectHash'] === 'string';
}

function isConversation(value: unknown): boolean {
  const message = isObject(value) ? parseMessage(value) : undefined;
  if (message === undefined || !(isUser(message) || isStep(message))) return false;
  return message.content !== undefined || message.parts !== undefined;
}

function parseMessage(value: unknown): GeminiMessage | undefined {
  return messageSchema.safeParse(value).data;
}

function isUser({ type, role }: GeminiMessage): boolean {
  return (type ?? role) === 'user';
}

function isStep({ type, role }: GeminiMessage): boolean {
  return STEP_TYPES.has(type ?? role);
}

function isLog(file: SourceFile): boolean {
  const { records } = file.lines();
  return records.some(isHeader) && records.some(isLogEntry);
}

function isLogEntry(value: unknown): boolean {
  if (!isObject(value) || isHeader(value)) return false;
  const { $set: update, id } = value;
  if (typeof id === 'string') return isConversation(value);
  if (!isObject(update) || !Array.isArray(update['messages'])) return false;
  return update['messages'].some(isConversation);
}

function readChat(file: SourceFile): Session {
  const tally = createTally();
  const records = readRecordLines(
    file.lines(),
    (line) => (isObject(line) ? line : undefined),
    tally,
  );
  // An early document has its turns in `history`.
  const turns = records.flatMap((record): readonly unknown[] =>
    Array.isArray(record['history']) ? record['history'] : [record],
  );
  const { drafts, compactions } = readTurns(turns, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'a chat without messages');
  const header = records.find(isHeader);
  const sessionId = header?.['sessionId'];
  const isPartial = tally.toReport().repaired['session begins with a step'] !== undefined;
  return {
    name: file.name,
    format: 'gemini-cli',
    ...(typeof sessionId === 'string' && { sessionId }),
    isSide: header?.['kind'] === 'subagent',
    isPartial,
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...finishSession(drafts, tally),
  };
}

/** Rebuilds a chat from messages, rewritten messages and updates. */
function replayLog(records: readonly unknown[], tally: Tally): ChatLog {
  const log: ChatLog = { messages: new Map(), replacements: [] };
  const replay: Replay = { ...log, tally, visibleIds: new Set(), namelessCount: 0 };
  for (const record of records) if (isObject(record)) replayRecord(replay, record);
  return log;
}

function replayRecord(replay: Replay, record: Fields): void {
  const { $rewindTo: rewoundId, $set: update } = record;
  const { messages: replaced } = isObject(update) ? update : record;
  if (typeof rewoundId === 'string') rewind(replay, rewoundId);
  else if (Array.isArray(replaced)) replaceMessages(replay, replaced);
  else if (!('$set' in record) && !('sessionId' in record)) addMessage(replay, record);
}

/** Removes a message and all that follow; everything where there is no such message. */
function rewind(replay: Replay, id: string): void {
  const ids = [...replay.messages.keys()];
  takeBack(replay, ids.slice(Math.max(0, ids.indexOf(id))));
}

/** Applies a new list of messages. Known messages keep their first form, which later clearing does not lose. */
function replaceMessages(replay: Replay, values: readonly unknown[]): void {
  const { messages, visibleIds } = replay;
  const told = values.flatMap((value) => parseMessage(value) ?? []);
  const toldIds = new Set(told.map(({ id }) => id));
  const gone = [...visibleIds].filter((id) => !toldIds.has(id) && isSaid(messages.get(id)));
  const isNew = ({ id }: GeminiMessage) => id === undefined || !visibleIds.has(id);
  const summary = told.find((message) => isNew(message) && isUser(message) && !isResponse(message));
  if (gone.length > 0 && summary !== undefined) pushReplacement(replay, told, summary);
  else if (gone.length > 0) takeBack(replay, gone);
  else insertMessages(replay, values);
}

function isSaid(message: GeminiMessage | undefined): boolean {
  return message !== undefined && (isUser(message) || isStep(message));
}

/** Recognizes messages that only hold results of tools. */
function isResponse(message: GeminiMessage): boolean {
  const parts = contentOf(message);
  return parts.length > 0 && parts.every(({ functionResponse }) => functionResponse !== undefined);
}

function contentOf({ content, parts }: GeminiMessage): readonly GeminiPart[] {
  return partsOf(content ?? parts);
}

function partsOf(content: unknown): readonly GeminiPart[] {
  const values = Array.isArray(content) ? content : [content];
  const pieces = values.map((value) => (typeof value === 'string' ? { text: value } : value));
  return pieces.flatMap((piece) => partSchema.safeParse(piece).data ?? []);
}

function pushReplacement(
  { messages, replacements, visibleIds }: Replay,
  told: readonly GeminiMessage[],
  summary: GeminiMessage,
): void {
  const ids = told.flatMap(({ id }) => id ?? []);
  replacements.push({
    afterId: [...messages.keys()].at(-1),
    summary: contentOf(summary)
      .flatMap(({ text }) => text ?? [])
      .join('\n'),
    firstKeptId: ids.find((id) => messages.has(id)),
  });
  visibleIds.clear();
  for (const id of ids) visibleIds.add(id);
}

function takeBack({ messages, visibleIds, tally }: Replay, ids: readonly string[]): void {
  for (const id of ids) {
    messages.delete(id);
    visibleIds.delete(id);
  }
  tally.drop('message that was taken back', ids.length);
}

function insertMessages(replay: Replay, values: readonly unknown[]): void {
  for (const value of values) {
    const id = isObject(value) ? value['id'] : undefined;
    if (typeof id !== 'string' || !replay.visibleIds.has(id)) addMessage(replay, value);
  }
}

function addMessage(replay: Replay, value: unknown): void {
  const { messages, visibleIds, tally } = replay;
  const message = parseMessage(value);
  if (message === undefined) return tally.drop('message that is no object');
  const id = message.id ?? `#${replay.namelessCount++}`;
  messages.set(id, message);
  visibleIds.add(id);
}

function readConversation(log: ChatLog, tally: Tally) {
  const messages = [...log.messages.values()];
  dropUnknown(
    tally,
    messages
      .filter((each) => !isSaid(each) && !NOTICE_TYPES.has(each.type))
      .map(({ type, role }) => type ?? role),
  );
  const drafts: DraftMessage[] = [];
  const readMessage = createReader(drafts, collectResponses(messages, tally), tally);
  const places = new Map<string, Place>();
  for (const [id, message] of log.messages) {
    const before = drafts.length;
    readMessage(message);
    places.set(id, { before, after: drafts.length });
  }
  readMessage(undefined);
  const compactions = log.replacements
    .flatMap((each) => toCompaction(each, places))
    .toSorted((a, b) => a.messageIndex - b.messageIndex);
  return { drafts, compactions, places };
}

/** Creates a reader for messages in order; `undefined` ends them. */
function createReader(
  drafts: DraftMessage[],
  responses: Responses,
  tally: Tally,
): (message: GeminiMessage | undefined) => void {
  const pending = createPending(drafts, tally);
  const ids = createCallIds(tally);
  const calledIds = new Set<string>();
  const readUser = (message: GeminiMessage) => {
    const parts = toUserParts(message, tally);
    for (const part of parts) pending.add(part);
    if (parts.every(isInjected)) return;
    drafts.push({ role: 'user', ...originOf(message), parts: pending.take() });
  };
  const readStep = (message: GeminiMessage) => {
    pending.place(toLocalTime(message.timestamp));
    const told = toStepParts(message, responses, tally).map((part) => withCallId(part, ids));
    const parts = withoutRepeatedCalls(told, calledIds, tally);
    const model = message.model && toModelName(message.model, 'google');
    const usage = toUsage(message.tokens);
    addStep(drafts, { role: 'assistant', ...originOf(message), parts, model, usage }, tally);
  };
  return (message) => {
    if (message === undefined) pending.place(0);
    else if (isUser(message)) readUser(message);
    else if (isStep(message)) readStep(message);
  };
}

function withCallId(part: DraftPart, ids: CallIds): DraftPart {
  if (part.type !== 'tool' || part.callId === undefined) return part;
  const call = { name: part.tool, input: part.state.input };
  return { ...part, callId: ids.ofCall(part.callId, call) };
}

function toUserParts(message: GeminiMessage, tally: Tally): readonly DraftPart[] {
  return contentOf(message).flatMap((part) =>
    part.functionResponse === undefined
      ? toContentPart(part, tally).map((each) => markInjected(each, message))
      : [],
  );
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

function markInjected(part: DraftPart, message: GeminiMessage): DraftPart {
  if (part.type !== 'text') return part;
  const isMarked = message.isInjected || beginsWithAny(part.text, INJECTED_STARTS);
  return isMarked ? { ...part, synthetic: true } : part;
}

function isInjected(part: DraftPart): boolean {
  return part.type === 'text' && part.synthetic === true;
}

function originOf(message: GeminiMessage): Pick<DraftMessage, 'recordedId' | 'createdAt'> {
  return { recordedId: message.id, createdAt: toLocalTime(message.timestamp) };
}

/** Reasoning, texts and calls of a step, in that order. */
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
    ...toThoughts(message),
    ...texts.flatMap((part) => toContentPart(part, tally)),
    ...[...message.toolCalls, ...calls].map((call): DraftPart => {
      const { id: callId, name: tool = 'unknown' } = call;
      return { type: 'tool', callId, tool, state: toState(call, responses, tally) };
    }),
  ];
}

function toThoughts({ thoughts }: GeminiMessage): readonly DraftPart[] {
  return thoughts.flatMap(({ subject = '', description = '' }) => {
    const text = [subject, description].filter(Boolean).join('\n');
    return text === '' ? [] : [{ type: 'reasoning', text }];
  });
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

/** The compaction of a replacement; none where nothing precedes it. */
function toCompaction(
  { afterId = '', firstKeptId = '', summary }: Replacement,
  places: ReadonlyMap<string, Place>,
): readonly RecordedCompaction[] {
  const messageIndex = places.get(afterId)?.after ?? 0;
  const firstKeptMessageIndex = places.get(firstKeptId)?.before;
  if (messageIndex === 0) return [];
  const isKept = firstKeptMessageIndex !== undefined && firstKeptMessageIndex < messageIndex;
  const told = { ...(summary !== '' && { summary }), ...(isKept && { firstKeptMessageIndex }) };
  return [{ kind: 'full', messageIndex, ...told }];
}
