import { known } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { type Calls, createCalls } from '../reading/calls.ts';
import {
  asInjected,
  atLeastZero,
  blocksOf,
  type Fields,
  fieldsOf,
  objectsIn,
  textOf,
  toId,
  toList,
  toLocalTime,
  toModel,
  toParts,
  toRelease,
  toText,
  toTokens,
  valueAt,
  wordsIn,
} from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { splitCount } from '../reading/transcript.ts';
import type { RecordedCompaction } from '../session.ts';

/** Messages of the session before each message of the chat, and with it. */
export type Places = ReadonlyMap<string, Readonly<Record<'before' | 'after', number>>>;

const STEP_TYPES = wordsIn('gemini model assistant');
const NOTICE_TYPES = wordsIn('info warning error');
const FAILED = wordsIn('cancelled error');

const INJECTED_START =
  /^\s*<(?:hook_context|qwen:user-prompt-submit-context|session_context|state_snapshot|system-reminder)>/;

const BLOCKS = { reason: 'unknown content block' };
const OCTETS = 'application/octet-stream';

/** Contents of the Gemini API: a request, or a list. */
export const geminiContents: SessionFormat = {
  label: 'Gemini contents (JSON)',
  certainty: 'shape',
  detect: (file) => findRequest(file) !== undefined,
  read: readRecording(
    { format: 'gemini-contents', empty: 'contents without messages', atPrompt: 'in-front' },
    (recording, file) => {
      const { contents = [], system, model } = findRequest(file) ?? {};
      readContents(recording, contents);
      const texts = objectsIn(fieldsOf(system)['parts']).flatMap(({ text }) => toId(text) ?? []);
      return {
        model: toModel(toText(model)?.replace(/^models\//, ''), 'google'),
        system: toId(system) ?? (texts.join('\n\n') || undefined),
      };
    },
  ),
};

const SAID = wordsIn('assistant tool_result user');
const COMPRESSION = 'chat_compression';
const INJECTED = wordsIn('background_task_completed cron goal_runtime notification');

/** Sessions of Qwen Code: contents of the Gemini API in a tree of records. */
export const qwenCode: SessionFormat = {
  label: 'Qwen Code session (JSON lines)',
  certainty: 'mark',
  detect: (file) => file.lines().records.some(isQwenRecord),
  read: readRecording({ format: 'qwen-code', atPrompt: 'in-front' }, readSession),
  keeps: {
    tools:
      'run_shell_command read_many_files search_file_content list_directory todo_write save_memory',
    reasons: 'taken',
  },
};

/** Recognizes messages in the place of the user, results included. */
export function isUser({ type, role }: Fields): boolean {
  return (type ?? role) === 'user';
}

/** Recognizes messages of a model. */
export function isStep({ type, role }: Fields): boolean {
  return STEP_TYPES.has(type ?? role);
}

/** Pieces of a message. */
export function contentOf({ content, parts }: Fields): readonly Fields[] {
  return blocksOf(content ?? parts);
}

/** Reads contents in order; those without an id get one. */
export function readContents(recording: Recording, contents: readonly unknown[]): Places {
  const messages = recording.readObjects(contents, 'message that is no object');
  const byId = messages.map((message, at) => [toId(message['id']) ?? `#${at}`, message] as const);
  return readMessages(recording, new Map(byId));
}

/** Reads messages in order, by their ids. */
export function readMessages(recording: Recording, byId: ReadonlyMap<string, Fields>): Places {
  const calls = createCalls(recording);
  const places = new Map<string, { before: number; after: number }>();
  for (const [placeId, message] of byId) {
    const { type, role } = message;
    const before = recording.drafts.length;
    if (isStep(message)) readStep(recording, calls, message);
    else if (isUser(message)) readUser(recording, calls, message);
    else if (!NOTICE_TYPES.has(type)) recording.tally.dropUnknown(type ?? role);
    places.set(placeId, { before, after: recording.drafts.length });
  }
  calls.end();
  recording.end();
  return places;
}

function findRequest(file: SourceFile) {
  const document = file.json();
  if (Array.isArray(document)) {
    // Other libraries call a model the assistant.
    const isAnswered = document.some((value) => isContent(value) && value['role'] === 'model');
    return isContent(document[0]) && isAnswered ? { contents: document } : undefined;
  }
  const { contents, model, systemInstruction, ...rest } = fieldsOf(document);
  const { system_instruction: system = systemInstruction } = rest;
  if (!Array.isArray(contents) || !contents.some(isContent)) return undefined;
  return { contents, system, model };
}

/** Recognizes a content: parts of other libraries have a type. */
function isContent(value: unknown): value is Fields {
  if (!isObject(value) || !Array.isArray(value['parts'])) return false;
  return value['parts'].every((part) => isObject(part) && !('type' in part));
}

function readStep(recording: Recording, calls: Calls, message: Fields): void {
  const { model, tokens, thoughts, toolCalls } = message;
  const pieces = contentOf(message);
  const content = [
    ...objectsIn(thoughts).map(({ subject, description }) => ({
      thinking: [toId(subject), toId(description)].filter(Boolean).join('\n'),
    })),
    ...pieces.filter(({ functionCall }) => functionCall === undefined).map(toBlock),
  ];
  const step = recording.addStep({
    ...saidIn(message),
    parts: toParts(content, recording.tally, BLOCKS),
    model: toModel(model, 'google'),
    usage: toUsage(tokens),
  });
  const told = objectsIn(toolCalls);
  const ids = new Set(told.map(({ id }) => id));
  const written = pieces.flatMap(({ functionCall }) => objectsIn([functionCall]));
  for (const call of [...told, ...written.filter(({ id }) => !ids.has(id))]) {
    const { id, name, args = {}, result, status } = call;
    const tool = toId(name) ?? 'unknown';
    calls.add(step, { callId: toId(id), tool, input: args });
    const blocks = blocksOf(result);
    const isFailed = FAILED.has(status);
    const isTold = blocks.some(({ text, functionResponse }) => text ?? functionResponse);
    if (!isFailed && !isTold) continue;
    const isError = isFailed || blocks.some(isFailure);
    finish(recording, calls, { id, name: tool, content: blocks.map(toResultBlock), isError });
  }
}

function saidIn({ id, timestamp }: Fields) {
  return { recordedId: toId(id), createdAt: toLocalTime(toText(timestamp)) };
}

/** Completes a call by the first of its results, or that of a tool where it has no id. */
function finish(recording: Recording, calls: Calls, result: Parameters<Calls['finish']>[0]): void {
  if (toId(result.id) === undefined) recording.readResult(result);
  else if (!calls.hasResult(result.id)) calls.finish(result);
}

/** Reasoning and tool prompts are counted apart. */
function toUsage(tokens: unknown) {
  const { input, cached: cacheRead, tool, output, thoughts } = fieldsOf(tokens);
  const sent = splitCount({ input, cacheRead });
  return (
    sent && {
      ...sent,
      input: sent.input + atLeastZero(toTokens(tool)),
      output: atLeastZero(toTokens(output)),
      reasoning: atLeastZero(toTokens(thoughts)),
    }
  );
}

function toBlock(piece: Fields) {
  const { text, thought, inlineData, fileData } = piece;
  if (thought === true) return { thinking: text };
  const { mimeType = OCTETS, data, fileUri: url } = fieldsOf(inlineData ?? fileData);
  return { type: 'piece', text, data, url, mimeType };
}

function readUser(recording: Recording, calls: Calls, message: Fields) {
  const pieces = contentOf(message);
  const results = pieces.filter(({ functionResponse }) => functionResponse !== undefined);
  const others = pieces.filter((piece) => !results.includes(piece)).map(toBlock);
  const parts = toParts(others, recording.tally, BLOCKS).map((part) => {
    const isMarked = message['isInjected'] === true;
    const isOfProgram = part.type === 'text' && INJECTED_START.test(part.text);
    return isMarked || isOfProgram ? asInjected(part) : part;
  });
  const isInjected = parts.every((part) => part.type === 'text' && part.synthetic === true);
  if (!isInjected) recording.addPrompt({ ...saidIn(message), parts });
  else for (const part of parts) recording.inject(part);
  for (const piece of results) {
    const { id, name } = fieldsOf(piece['functionResponse']);
    const content = [toResultBlock(piece)];
    finish(recording, calls, { id, name, content, isError: isFailure(piece) });
  }
}

function toResultBlock(piece: Fields) {
  const { functionResponse } = piece;
  if (functionResponse === undefined) return toBlock(piece);
  const { response } = fieldsOf(functionResponse);
  const { output, error } = fieldsOf(response);
  const told = output ?? error ?? response;
  return { type: 'response', text: toText(told) ?? toJsonText(told) };
}

function isFailure({ functionResponse }: Fields) {
  const response = fieldsOf(fieldsOf(functionResponse)['response']);
  return response['output'] === undefined && 'error' in response;
}

function isQwenRecord(line: unknown) {
  if (!isObject(line) || !SAID.has(line['type'])) return false;
  const { uuid, sessionId, message } = line;
  const isNamed = typeof uuid === 'string' && typeof sessionId === 'string';
  return isNamed && Array.isArray(fieldsOf(message)['parts']);
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const chain = activeChain(recording, recording.readLines(file.lines()));
  const places = readContents(recording, toTurns(chain));
  recording.compactions.push(...compactionsIn(chain, places));
  for (const { uuid, contextWindowSize } of chain) {
    const place = places.get(toId(uuid) ?? '');
    if (place !== undefined) recording.addWindow(toTokens(contextWindowSize), place.before);
  }
  const [first = {}] = chain;
  return {
    sessionId: toId(first['sessionId']),
    isSide: first['isSidechain'] === true,
    isPartial: toId(first['parentUuid']) !== undefined,
    release: toRelease(chain.findLast(({ version }) => toRelease(version))?.['version']),
    isOutputFinal: true,
  };
}

/** Messages that were taken back lead elsewhere. */
function activeChain({ tally }: Recording, records: readonly Fields[]) {
  const parents = new Map(records.map(({ uuid, parentUuid }) => [toId(uuid), toId(parentUuid)]));
  const active = new Set<string | undefined>([undefined]);
  let uuid = toId(records.findLast(isSaid)?.['uuid']);
  while (!active.has(uuid)) {
    active.add(uuid);
    uuid = parents.get(uuid);
  }
  const chain = records.filter((record) => active.has(toId(record['uuid'])));
  const goneCount = records.filter(isSaid).length - chain.filter(isSaid).length;
  tally.drop('message that was taken back', goneCount);
  for (const { type } of records) if (type !== 'system' && !SAID.has(type)) tally.dropUnknown(type);
  return chain;
}

function isSaid({ type }: Fields) {
  return SAID.has(type);
}

/** Records of one role and uuid are one turn, with the last usage and model. */
function toTurns(chain: readonly Fields[]) {
  const turns = new Map<string, Fields>();
  for (const [index, record] of chain.entries()) {
    if (!isSaid(record)) continue;
    const { type: recordType, timestamp, model, message, usageMetadata, subtype } = record;
    const uuid = toId(record['uuid']) ?? `record-${index + 1}`;
    const type = recordType === 'assistant' ? 'model' : 'user';
    const isOther = (turns.get(uuid)?.['type'] ?? type) !== type;
    const id = isOther ? `${uuid}-${type}` : uuid;
    const before = turns.get(id) ?? {};
    turns.set(id, {
      id,
      type,
      timestamp,
      parts: [...toList(before['parts']), ...toList(fieldsOf(message)['parts'])],
      model: toModel(model, 'qwen-code') ?? before['model'],
      tokens: toCounts(fieldsOf(usageMetadata)) ?? before['tokens'],
      isInjected: INJECTED.has(subtype),
    });
  }
  return [...turns.values()];
}

/** A total without thoughts means that the answer includes them. */
function toCounts(usage: Fields) {
  const input = toTokens(usage['promptTokenCount']);
  if (input === undefined) return undefined;
  const thoughts = atLeastZero(toTokens(usage['thoughtsTokenCount']));
  const answered = atLeastZero(toTokens(usage['candidatesTokenCount']));
  const isIncluded = usage['totalTokenCount'] === input + answered && answered >= thoughts;
  return {
    input,
    output: isIncluded ? answered - thoughts : answered,
    thoughts,
    cached: usage['cachedContentTokenCount'],
    tool: usage['toolUsePromptTokenCount'],
  };
}

function compactionsIn(chain: readonly Fields[], places: Places) {
  return chain.flatMap(({ subtype, systemPayload }, index): readonly RecordedCompaction[] => {
    const last = chain.slice(0, index).findLast(isSaid)?.['uuid'];
    const messageIndex = places.get(toId(last) ?? '')?.after ?? 0;
    if (subtype !== COMPRESSION || messageIndex === 0) return [];
    const [summary = {}] = objectsIn(fieldsOf(systemPayload)['compressedHistory']);
    const told = known({
      tokensBefore: toTokens(valueAt(systemPayload, 'info.originalTokenCount')),
      tokensAfter: toTokens(valueAt(systemPayload, 'info.newTokenCount')),
      summary: textOf(summary['parts']) || undefined,
    });
    return [{ kind: 'full', messageIndex, ...told }];
  });
}
