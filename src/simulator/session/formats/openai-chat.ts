import { isObject } from '../../lib/json.ts';
import { readJsonLine } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecording, readRecordings, type Recording } from '../reading/recording.ts';
import { type DraftMessage, splitCount } from '../reading/transcript.ts';
import * as codex from './codex.ts';

interface Told extends Partial<Pick<DraftMessage, 'model' | 'usage'>> {
  readonly time?: unknown;
  /** The text and command of a step, where its message does not separate them. */
  readonly written?: { readonly text: string; readonly command: string } | undefined;
}

/** A chat message with its recorder's own fields. */
export interface CommandMessage extends Told {
  readonly chat: kit.Fields;
  /** An example before the task: the model saw it, but it is no turn and no step. */
  readonly isExample?: boolean;
  readonly callIds?: readonly unknown[];
}

const SYSTEM = kit.wordsIn('system developer');
const RESULTS = kit.wordsIn('tool function');
const FOREIGN_KEYS = ['ts', 'parts', 'toolInvocations'];
const SHELL = 'bash';
const ROLE = '"role"';

/** Chat-completions messages: one conversation, or a list of runs with one each. */
export const openaiChat: SessionFormat = {
  label: 'OpenAI chat messages (JSON or JSON lines)',
  certainty: 'guess',
  detect: (file) => findChats(file) !== undefined,
  read: readRecordings({
    empty: 'chats without messages',
    items: (file, tally) => {
      const chats = findChats(file) ?? [];
      tally.drop('run without messages', chats.filter(({ chat }) => chat === undefined).length);
      kit.countLineFaults(file.lines(), tally);
      return chats;
    },
    read: (recording, { chat = [], tools }) => {
      readChat(recording, chat);
      return { definitions: kit.definitionsIn(tools) };
    },
  }),
};

/** Sessions of nanocoder: chat messages, in which a compaction leaves no trace. */
export const nanocoder: SessionFormat = {
  label: 'nanocoder session (JSON)',
  detect: (file) => {
    const { id, lastAccessedAt, model, workingDirectory, messages } = kit.fieldsOf(file.json());
    const texts = [id, lastAccessedAt, model, workingDirectory];
    if (!texts.every((value) => typeof value === 'string')) return false;
    return Array.isArray(messages) && isChat(messages);
  },
  read: readRecording({}, (recording, file) => {
    const { id, messages, model: name, provider, workingDirectory } = kit.fieldsOf(file.json());
    readChat(
      recording,
      kit.toList(messages).map((message) => withImages(kit.fieldsOf(message))),
    );
    const model = kit.toModel(name, provider);
    return { sessionId: id, folder: workingDirectory, model };
  }),
};

/** Types of items that no other list of messages has. */
const TELLING = /^(?:function|custom_tool|local_shell)_call(?:_output)?$/;

/** Items of the OpenAI Responses API: a request, or a list. */
export const openaiResponses: SessionFormat = {
  label: 'OpenAI Responses items (JSON)',
  certainty: 'shape',
  detect: (file) => {
    // A call, or a message with typed pieces.
    const items = itemsOf(requestOf(file));
    const isOwn = items.some(
      (item) => TELLING.test(kit.orEmpty(kit.fieldsOf(item)['type'])) || codex.isRolloutLine(item),
    );
    return isOwn && kit.objectsIn(items).map(codex.toRecord).some(codex.isConversation);
  },
  read: readRecording(
    { empty: 'items without messages', ...codex.CODEX_BLOCKS },
    (recording, file) => readRequest(recording, requestOf(file)),
  ),
};

/** Tests if a value has a role of a chat. */
export function isChatMessage(value: unknown): value is kit.Fields {
  if (!isObject(value)) return false;
  const { role } = value;
  return role === 'user' || role === 'assistant' || SYSTEM.has(role) || RESULTS.has(role);
}

/** Recognizes a list of chat messages without any of another kind. */
export function isChat(values: readonly unknown[]): boolean {
  return isChatMessage(values[0]) && !values.some(isForeign);
}

/** Reads the messages of a chat. */
export function readChat(recording: Recording, values: readonly unknown[]): void {
  for (const chat of recording.readObjects(values, kit.NO_ROLE, isChatMessage)) {
    readChatMessage(recording, chat);
  }
}

/** Reads a message of a chat. */
export function readChatMessage(recording: Recording, chat: kit.Fields, told: Told = {}): void {
  const { role, tool_call_id: id, name } = chat;
  if (SYSTEM.has(role)) recording.addSystem(chat['content']);
  else if (role === 'assistant') readStep(recording, chat, told);
  else if (role === 'user') recording.readPrompt({ time: told.time, content: contentOf(chat) });
  // A result without an id names its call by the tool, or answers the next.
  else recording.readResult({ id, name, content: contentOf(chat) });
}

/** Reads the run of an agent whose commands are answered by user messages. */
export function readCommandChat(recording: Recording, messages: readonly CommandMessage[]): void {
  for (const message of messages) {
    const { chat, isExample = false } = message;
    const { role, content } = chat;
    if (isExample && !SYSTEM.has(role)) recording.inject(kit.textOf(content));
    else if (role === 'user' || RESULTS.has(role)) readReply(recording, message);
    else readChatMessage(recording, chat, message);
  }
}

/** The cost of a run by its own figures; unknown where they are 0, as for a replayed run. */
export function ownCostOf(document: unknown): number | undefined {
  const cost = kit.valueAt(document, 'info.model_stats.instance_cost');
  return typeof cost === 'number' && cost > 0 ? cost : undefined;
}

function findChats(
  file: SourceFile,
): readonly { chat?: readonly unknown[] | undefined; tools?: unknown }[] | undefined {
  const document = file.json() ?? recordsOf(file);
  const isList = Array.isArray(document);
  if (isList && isChat(document)) return [{ chat: document }];
  const chats = (isList ? document : [document]).map((run: unknown) => {
    return { chat: messagesOf(run), tools: kit.fieldsOf(run)['tools'] };
  });
  const isRead = chats[0]?.chat !== undefined && chats.some(({ chat }) => hasMessages(chat));
  return isRead ? chats : undefined;
}

/** The records of a file whose first record with a role is a chat's; other files are read no further. */
function recordsOf(file: SourceFile) {
  for (const { text } of file.linesWith(ROLE)) {
    const [first] = readJsonLine(text).values;
    if (first === undefined) continue;
    const isMessage = isChat([first]);
    if (!isMessage && !hasMessages(messagesOf(first))) return undefined;
    const { records } = file.lines();
    // A record without a role among messages is an event of another recorder.
    const hasEvent = records.some((record) => isObject(record) && !('role' in record));
    return isMessage && hasEvent ? undefined : records;
  }
  return undefined;
}

function hasMessages(chat: readonly unknown[] | undefined) {
  return chat !== undefined && chat.length > 0;
}

function messagesOf(run: unknown) {
  if (!isObject(run)) return undefined;
  const messages = run['traj'] ?? run['messages'];
  if (!Array.isArray(messages)) return undefined;
  return messages.length === 0 || isChat(messages) ? messages : undefined;
}

function isForeign(value: unknown) {
  if (!isObject(value)) return false;
  return FOREIGN_KEYS.some((key) => key in value) || isObject(value['content']);
}

function readStep(recording: Recording, chat: kit.Fields, { written, ...told }: Told) {
  const { reasoning, reasoning_content: thinking = reasoning } = chat;
  // Old messages hold one call without an id.
  const { tool_calls: named, function_call: only } = chat;
  const calls = [...kit.objectsIn(named), ...(isObject(only) ? [{ function: only }] : [])];
  const command = calls.length === 0 ? written?.command : undefined;
  const isWritten = written !== undefined && kit.objectsIn(named).length === 0;
  recording.readStep({
    ...told,
    thinking: isWritten ? undefined : thinking,
    content: isWritten ? written.text : contentOf(chat),
    calls: command === undefined ? calls : [{ name: SHELL, args: { command } }],
  });
}

function contentOf({ content, refusal }: kit.Fields) {
  return [...kit.blocksOf(content).map(toBlock), ...kit.blocksOf(kit.toId(refusal))];
}

function toBlock(block: kit.Fields) {
  const { text, refusal = text, input_audio: audio } = block;
  if (!isObject(audio)) return { ...block, text: text ?? refusal };
  const mimeType = `audio/${kit.toText(audio['format']) ?? '*'}`;
  return { type: 'audio', data: audio['data'], mimeType };
}

function readReply(recording: Recording, { chat, time, callIds = [] }: CommandMessage) {
  const { role, tool_call_id: id } = chat;
  const content = contentOf(chat);
  const keys = callIds.length > 0 ? callIds.map(kit.toId) : [kit.toId(id)];
  const open = keys.find((each) => recording.hasOpenCall(each));
  if (role !== 'user' || open !== undefined || recording.hasOpenCall(keys[0])) {
    recording.readResult({ id: open ?? keys[0], content });
  } else if (recording.drafts.every((draft) => draft.role === 'user')) {
    recording.readPrompt({ time, content });
  } else recording.readInjected(content);
}

function withImages({ images, ...message }: kit.Fields) {
  return { ...message, content: [...kit.blocksOf(message['content']), ...kit.objectsIn(images)] };
}

function requestOf(file: SourceFile) {
  const document = file.json();
  return Array.isArray(document) ? { input: document } : kit.fieldsOf(document);
}

function itemsOf({ input, output }: kit.Fields) {
  const isPrompt = typeof input === 'string';
  const asked = isPrompt ? [{ type: 'message', role: 'user', content: input }] : kit.toList(input);
  return [...asked, ...kit.toList(output)];
}

function readRequest(recording: Recording, request: kit.Fields): Facts {
  const { instructions, model, usage, tools } = request;
  const items = itemsOf(request);
  const records = kit.objectsIn(items).map(codex.toRecord).map(toEvent);
  recording.tally.drop('message that is no object', items.length - records.length);
  codex.readConversation(recording, records);
  const last = recording.drafts.at(-1);
  // The usage is that of the request that the last items answer.
  if (last?.role === 'assistant') last.usage ??= splitCount(usage);
  return {
    model: kit.toModel(model, 'openai'),
    isPartial: records[0]?.type === 'event_msg',
    system: instructions,
    definitions: kit.definitionsIn(tools),
    isOutputFinal: last?.usage !== undefined,
  };
}

/** A compaction by the server, which stands between the items, as the event that Codex makes of one. */
function toEvent(record: codex.CodexRecord) {
  const { payload } = record;
  if (payload['type'] !== 'compaction') return record;
  return { ...record, type: 'event_msg', payload: { ...payload, type: 'context_compacted' } };
}
