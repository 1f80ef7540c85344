import { z } from 'zod';
import type { FilePart, ToolState } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createCallIds, createPending } from '../reading/dialogue.ts';
import {
  atLeastZero,
  beginsWithAny,
  flag,
  list,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  toLocalTime,
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

type JsonObject = Readonly<Record<string, unknown>>;

/** What the messages of a chat come to. */
interface GeminiConversation {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
}

/** How many messages of the session there were before a message of the chat, and with it. */
interface Place {
  readonly before: number;
  readonly after: number;
}

/** The history of a chat was replaced by something shorter. */
interface Replacement {
  /** The last message before it. */
  readonly afterId: string | undefined;
  readonly summary: string;
  /** The first message that stayed. */
  readonly firstKeptId: string | undefined;
}

/** The messages of a chat as they came, by id, and what was replaced. */
interface ChatLog {
  readonly messages: Map<string, GeminiMessage>;
  readonly replacements: Replacement[];
}

interface Replay extends ChatLog {
  readonly tally: Tally;
  /** What the model saw last; other messages are there, but were replaced. */
  readonly visibleIds: Set<string>;
  /** How many messages came without an id. */
  namelessCount: number;
}

/** Results that stand in messages of their own, by the id of their call. */
type Responses = ReadonlyMap<string, GeminiResponse>;

/** One message of a chat. */
type GeminiMessage = z.infer<typeof messageSchema>;

/** The provider's count for a step. */
type GeminiTokens = z.infer<typeof tokensSchema>;

/** One piece of a content. */
type GeminiPart = z.infer<typeof partSchema>;

/** A call together with its result, as the recorder keeps them. */
type GeminiCall = z.infer<typeof callSchema>;

/** What a tool gave back. */
type GeminiResponse = z.infer<typeof responseSchema>;

const thoughtSchema = z.object({ subject: maybeText, description: maybeText });

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
  thoughts: list.transform((thoughts) => parseAll(thoughtSchema, thoughts)),
  tokens: tokensSchema,
  toolCalls: list.transform((calls) => parseAll(callSchema, calls)),
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

/** Notices to the person at the screen. */
const NOTICE_TYPES = new Set<string | undefined>(['info', 'warning', 'error']);

/** How texts begin that a program put into the user's place. */
const INJECTED_STARTS = ['<hook_context>', '<session_context>', '<state_snapshot>'];
const FAILED = new Set<string | undefined>(['cancelled', 'error']);

/** Chats of Gemini CLI: one document, or in later releases a log of messages and updates. */
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

/** The count of a step; absent where nothing was sent. Thoughts, and what tools added to the prompt, are told apart. */
export function toUsage(recorded: GeminiTokens): RecordedUsage | undefined {
  const sent = splitCount({ input: recorded?.input, cacheRead: recorded?.cached });
  if (sent === undefined) return undefined;
  return {
    ...sent,
    input: sent.input + atLeastZero(recorded?.tool),
    output: atLeastZero(recorded?.output),
    reasoning: atLeastZero(recorded?.thoughts),
  };
}

function isChat(document: unknown): boolean {
  if (!isObject(document)) return false;
  const { messages, history } = document;
  if (isHeader(document) && Array.isArray(messages)) return messages.some(isConversation);
  return Array.isArray(history) && history.some(isTurn);
}

function isHeader(value: unknown): boolean {
  if (!isObject(value)) return false;
  return typeof value['sessionId'] === 'string' && typeof value['projectHash'] === 'string';
}

/** Whether a value looks like a message that is part of a conversation. */
function isConversation(value: unknown): boolean {
  const message = isObject(value) ? parseMessage(value) : undefined;
  if (message === undefined || !(isUser(message) || isStep(message))) return false;
  return message.content !== undefined || message.parts !== undefined;
}

/** A value as a message, or `undefined` if it is no object. */
function parseMessage(value: unknown): GeminiMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** Whether a person, or a program in their place, wrote the message. */
function isUser({ type, role }: GeminiMessage): boolean {
  return (type ?? role) === 'user';
}

/** Whether a model wrote the message. */
function isStep({ type, role }: GeminiMessage): boolean {
  return STEP_TYPES.has(type ?? role);
}

function isTurn(value: unknown): boolean {
  return isObject(value) && Array.isArray(value['parts']) && isConversation(value);
}

function isLog(file: SourceFile): boolean {
  const { records } = file.lines();
  return records.some(isHeader) && records.some(isLogEntry);
}

/** Either a message, or an update that holds some. */
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
  const log = replayLog(records.flatMap(withoutHistory), tally);
  const { drafts, compactions } = readConversation(log, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'a chat without messages');
  const isPartial = tally.toReport().repaired['session begins with a step'] !== undefined;
  return {
    name: file.name,
    format: 'gemini-cli',
    ...describeChat(records),
    isPartial,
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...finishSession(drafts, tally),
  };
}

/** Puts a chat together from messages that are written again when they change, and from updates between them. */
function replayLog(records: readonly unknown[], tally: Tally): ChatLog {
  const log: ChatLog = { messages: new Map(), replacements: [] };
  const replay: Replay = { ...log, tally, visibleIds: new Set(), namelessCount: 0 };
  for (const record of records) {
    if (isObject(record)) replayRecord(replay, record);
  }
  return log;
}

function replayRecord(replay: Replay, record: Readonly<Record<string, unknown>>): void {
  const { $rewindTo: rewoundId, $set: update } = record;
  const { messages: replaced } = isObject(update) ? update : record;
  if (typeof rewoundId === 'string') rewind(replay, rewoundId);
  else if (Array.isArray(replaced)) replaceMessages(replay, replaced);
  else if (!('$set' in record) && !('sessionId' in record)) addMessage(replay, record);
}

/** What follows the message, itself included, is gone; where there is no such message, everything is. */
function rewind({ messages, visibleIds, tally }: Replay, id: string): void {
  const ids = [...messages.keys()];
  const gone = ids.slice(Math.max(0, ids.indexOf(id)));
  for (const each of gone) {
    messages.delete(each);
    visibleIds.delete(each);
  }
  tally.drop('message that was taken back', gone.length);
}

/** Messages that are told again keep the form that they had first: what was cleared from them later is not lost. */
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

/** Whether the message only hands results of tools to the model. */
function isResponse(message: GeminiMessage): boolean {
  const parts = contentOf(message);
  return parts.length > 0 && parts.every(({ functionResponse }) => functionResponse !== undefined);
}

/** What a message holds, wherever it stands. */
function contentOf({ content, parts }: GeminiMessage): readonly GeminiPart[] {
  return partsOf(content ?? parts);
}

/** The pieces of a content; a text is a single one. */
function partsOf(content: unknown): readonly GeminiPart[] {
  const values = Array.isArray(content) ? content : [content];
  const pieces = values.map((value) => (typeof value === 'string' ? { text: value } : value));
  return parseAll(partSchema, pieces);
}

function parseAll<Schema extends z.ZodType>(
  schema: Schema,
  values: readonly unknown[],
): readonly z.infer<Schema>[] {
  return values.flatMap((value) => schema.safeParse(value).data ?? []);
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

/** An early document has its turns in `history`. */
function withoutHistory(record: JsonObject): readonly unknown[] {
  const { history } = record;
  return Array.isArray(history) ? history : [record];
}

/** Reads the messages of a chat in order. */
function readConversation(log: ChatLog, tally: Tally): GeminiConversation {
  const messages = [...log.messages.values()];
  dropUnknown(
    tally,
    messages.filter(isUnknown).map(({ type, role }) => type ?? role),
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
  return { drafts, compactions };
}

/** Whether the message is of a type that no chat is known to have. */
function isUnknown(message: GeminiMessage): boolean {
  return !isUser(message) && !isStep(message) && !NOTICE_TYPES.has(message.type);
}

/** Reads message by message; `undefined` is the end. */
function createReader(
  drafts: DraftMessage[],
  responses: Responses,
  tally: Tally,
): (message: GeminiMessage | undefined) => void {
  const pending = createPending(drafts, tally);
  const onlyNew = createCallFilter(tally);
  const readUser = (message: GeminiMessage) => {
    const parts = toUserParts(message, tally);
    for (const part of parts) pending.add(part);
    if (parts.every(isInjected)) return;
    drafts.push({ role: 'user', ...originOf(message), parts: pending.take() });
  };
  const readStep = (message: GeminiMessage) => {
    pending.place(timeOf(message));
    const parts = toStepParts(message, responses, tally).flatMap(onlyNew);
    const model = message.model === undefined ? undefined : `google/${message.model}`;
    const usage = toUsage(message.tokens);
    addStep(drafts, { role: 'assistant', ...originOf(message), parts, model, usage }, tally);
  };
  return (message) => {
    if (message === undefined) pending.place(0);
    else if (isUser(message)) readUser(message);
    else if (isStep(message)) readStep(message);
  };
}

function createCallFilter(tally: Tally): (part: DraftPart) => readonly DraftPart[] {
  const ids = createCallIds(tally);
  const calledIds = new Set<string>();
  return (part) => {
    if (part.type !== 'tool' || part.callId === undefined) return [part];
    const callId = ids.ofCall(part.callId, { name: part.tool, input: part.state.input });
    const isNew = !calledIds.has(callId);
    if (!isNew) tally.drop('repeated tool call');
    calledIds.add(callId);
    return isNew ? [{ ...part, callId }] : [];
  };
}

/** What a user wrote. */
function toUserParts(message: GeminiMessage, tally: Tally): readonly DraftPart[] {
  return contentOf(message).flatMap((part) =>
    part.functionResponse === undefined ? toContentPart(part, tally).map(markInjected) : [],
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
  if (inlineData?.data !== undefined) {
    return { type: 'file', mime, url: `data:${mime};base64,${inlineData.data}` };
  }
  return fileData?.fileUri === undefined
    ? undefined
    : { type: 'file', mime, url: fileData.fileUri };
}

function markInjected(part: DraftPart): DraftPart {
  const isMarked = part.type === 'text' && beginsWithAny(part.text, INJECTED_STARTS);
  return isMarked ? { ...part, synthetic: true } : part;
}

/** Whether nobody but a program wrote the part. */
function isInjected(part: DraftPart): boolean {
  return part.type === 'text' && part.synthetic === true;
}

function originOf(message: GeminiMessage): Pick<DraftMessage, 'recordedId' | 'createdAt'> {
  return { recordedId: message.id, createdAt: timeOf(message) };
}

/** When the message was written, in ms; 0 if it does not say. */
function timeOf({ timestamp }: GeminiMessage): number {
  return toLocalTime(timestamp);
}

/** What a model thought, wrote and called, in that order. */
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
    ...[...message.toolCalls, ...calls].map((call) => toToolPart(call, responses, tally)),
  ];
}

function toThoughts({ thoughts }: GeminiMessage): readonly DraftPart[] {
  return thoughts.flatMap(({ subject = '', description = '' }) => {
    const text = [subject, description].filter(Boolean).join('\n');
    return text === '' ? [] : [{ type: 'reasoning', text }];
  });
}

function toToolPart(call: GeminiCall, responses: Responses, tally: Tally): DraftPart {
  const { id: callId, name: tool = 'unknown' } = call;
  return { type: 'tool', callId, tool, state: toState(call, responses, tally) };
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
  const attachments = pieces.flatMap((piece) => toFile(piece) ?? []);
  tally.drop(
    'unknown content block',
    pieces.length - own.length - texts.length - attachments.length,
  );
  const files = attachments.map((file) => ({ ...file, id: '' }));
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

/** Results in messages of their own by the id of their call; of several with one id the first holds. */
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

/** A replacement that nothing precedes is where the session starts. */
function toCompaction(
  { afterId = '', firstKeptId = '', summary }: Replacement,
  places: ReadonlyMap<string, Place>,
): readonly RecordedCompaction[] {
  const messageIndex = places.get(afterId)?.after ?? 0;
  const firstKeptMessageIndex = places.get(firstKeptId)?.before;
  if (messageIndex === 0) return [];
  const isKept = firstKeptMessageIndex !== undefined && firstKeptMessageIndex < messageIndex;
  return [
    {
      kind: 'full',
      messageIndex,
      ...(summary !== '' && { summary }),
      ...(isKept && { firstKeptMessageIndex }),
    },
  ];
}

function describeChat(records: readonly JsonObject[]): Pick<Session, 'sessionId' | 'isSide'> {
  const header = records.find(isHeader);
  const sessionId = header?.['sessionId'];
  return {
    ...(typeof sessionId === 'string' && { sessionId }),
    isSide: header?.['kind'] === 'subagent',
  };
}
