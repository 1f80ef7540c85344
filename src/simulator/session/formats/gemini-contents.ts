import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import type { ToldResult } from '../reading/dialogue.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readFound, readRecording, type Recording } from '../reading/recording.ts';
import { splitCount } from '../reading/transcript.ts';

/** Messages of the session before each message of the chat, and with it. */
export type Places = ReadonlyMap<string, Readonly<Record<'before' | 'after', number>>>;

const STEP_TYPES = kit.wordsIn('gemini model assistant');
const NOTICE_TYPES = kit.wordsIn('info warning error');
const FAILED = kit.wordsIn('cancelled error');

const INJECTED_START =
  /^\s*<(?:hook_context|qwen:user-prompt-submit-context|session_context|state_snapshot|system-reminder)>/;

const OCTETS = 'application/octet-stream';
/** How recordings count blocks of the Gemini API, and place what was injected. */
export const GEMINI_BLOCKS = { atPrompt: 'in-front', reason: 'unknown content block' } as const;

/** Contents of the Gemini API: a request, or a list. */
export const geminiContents: SessionFormat = {
  label: 'Gemini contents (JSON)',
  certainty: 'shape',
  ...readFound(
    findRequest,
    { empty: 'contents without messages', ...GEMINI_BLOCKS },
    (recording, { contents, system, model, tools }) => {
      readContents(recording, contents);
      const texts = kit
        .objectsIn(kit.fieldsOf(system)['parts'])
        .flatMap(({ text }) => kit.toId(text) ?? []);
      return {
        model: kit.toModel(kit.toText(model)?.replace(/^models\//, ''), 'google'),
        definitions: kit.definitionsIn(tools),
        system: kit.toId(system) ?? (texts.join('\n\n') || undefined),
      };
    },
  ),
};

const SAID = kit.wordsIn('assistant tool_result user');
const COMPRESSION = 'chat_compression';
const INJECTED = kit.wordsIn('background_task_completed cron goal_runtime notification');

/** Sessions of Qwen Code: contents of the Gemini API in a tree of records. */
export const qwenCode: SessionFormat = {
  label: 'Qwen Code session (JSON lines)',
  detect: (file) => file.lines().records.some(isQwenRecord),
  read: readRecording(GEMINI_BLOCKS, readSession),
};

/** Recognizes messages in the place of the user, results included. */
export function isUser({ type, role }: kit.Fields): boolean {
  return (type ?? role) === 'user';
}

/** Recognizes messages of a model. */
export function isStep({ type, role }: kit.Fields): boolean {
  return STEP_TYPES.has(type ?? role);
}

/** Pieces of a message. */
export function contentOf({ content, parts }: kit.Fields): kit.Objects {
  return kit.blocksOf(content ?? parts);
}

/** Reads contents in order; those without an id get one. */
export function readContents(recording: Recording, contents: readonly unknown[]): Places {
  const messages = recording.readObjects(contents, 'message that is no object');
  const byId = messages.map((one, at) => [kit.toId(one['id']) ?? `#${at}`, one] as const);
  return readMessages(recording, new Map(byId));
}

/** Reads messages in order, by their ids. */
export function readMessages(recording: Recording, byId: ReadonlyMap<string, kit.Fields>): Places {
  const places = new Map<string, { before: number; after: number }>();
  for (const [placeId, message] of byId) {
    const { type, role } = message;
    const before = recording.drafts.length;
    if (isStep(message)) readStep(recording, message);
    else if (isUser(message)) readUser(recording, message);
    else if (!NOTICE_TYPES.has(type)) recording.tally.dropUnknown(type ?? role);
    places.set(placeId, { before, after: recording.drafts.length });
  }
  return places;
}

function findRequest(file: SourceFile) {
  const document = file.json();
  if (Array.isArray(document)) {
    // Other libraries call a model the assistant.
    const isAnswered = document.some((value) => isContent(value) && value['role'] === 'model');
    return isContent(document[0]) && isAnswered ? { contents: document } : undefined;
  }
  const { contents, model, tools, systemInstruction, ...rest } = kit.fieldsOf(document);
  const { system_instruction: system = systemInstruction } = rest;
  if (!Array.isArray(contents) || !contents.some(isContent)) return undefined;
  return { contents, system, model, tools };
}

/** Recognizes a content: parts of other libraries have a type. */
function isContent(value: unknown): value is kit.Fields {
  if (!isObject(value) || !Array.isArray(value['parts'])) return false;
  return value['parts'].every((part) => isObject(part) && !('type' in part));
}

function readStep(recording: Recording, message: kit.Fields): void {
  const { id, timestamp, model, tokens, thoughts, toolCalls } = message;
  const pieces = contentOf(message);
  const content = [
    ...kit.objectsIn(thoughts).map(({ subject, description }) => ({
      thinking: [kit.toId(subject), kit.toId(description)].filter(Boolean).join('\n'),
    })),
    ...pieces.filter(({ functionCall }) => functionCall === undefined).map(toBlock),
  ];
  const step = recording.readStep({
    id,
    time: timestamp,
    content,
    model: kit.toModel(model, 'google'),
    usage: toUsage(tokens),
  });
  const told = kit.objectsIn(toolCalls);
  const ids = new Set(told.map(({ id }) => id));
  const written = pieces.flatMap(({ functionCall }) => kit.objectsIn([functionCall]));
  for (const call of [...told, ...written.filter(({ id }) => !ids.has(id))]) {
    const { id, name, result, status } = call;
    recording.calls.read(step, call);
    const blocks = kit.blocksOf(result);
    const isFailed = FAILED.has(status);
    const isTold = blocks.some(({ text, functionResponse }) => text ?? functionResponse);
    if (!isFailed && !isTold) continue;
    const isError = isFailed || blocks.some(isFailure);
    finish(recording, { id, name: name || 'unknown', content: blocks.map(toResultBlock), isError });
  }
}

/** Completes a call by the first of its results, or that of a tool where it has no id. */
function finish({ calls, readResult }: Recording, result: ToldResult): void {
  if (kit.toId(result.id) === undefined) readResult(result);
  else if (!calls.hasResult(result.id)) calls.finish(result);
}

/** Reasoning and tool prompts are counted apart. */
function toUsage(tokens: unknown) {
  const { input, cached: cacheRead, tool, output, thoughts, total } = kit.fieldsOf(tokens);
  const sent = splitCount({ input, cacheRead, total });
  return (
    sent && {
      ...sent,
      input: sent.input + kit.atLeastZero(kit.toTokens(tool)),
      output: kit.atLeastZero(kit.toTokens(output)),
      reasoning: kit.atLeastZero(kit.toTokens(thoughts)),
    }
  );
}

function toBlock(piece: kit.Fields) {
  const { text, thought, inlineData, fileData } = piece;
  return thought === true
    ? { thinking: text }
    : { type: 'piece', text, inlineData, fileData, mimeType: OCTETS };
}

function readUser(recording: Recording, message: kit.Fields) {
  const { id, timestamp } = message;
  const pieces = contentOf(message);
  const results = pieces.filter(({ functionResponse }) => functionResponse !== undefined);
  const others = pieces.filter((piece) => !results.includes(piece)).map(toBlock);
  const isInjected = ({ text }: kit.Fields) =>
    typeof text === 'string' &&
    (text === '' || message['isInjected'] === true || INJECTED_START.test(text));
  recording.readUser({ id, time: timestamp, content: others }, isInjected);
  for (const piece of results) {
    const { id, name } = kit.fieldsOf(piece['functionResponse']);
    const content = [toResultBlock(piece)];
    finish(recording, { id, name, content, isError: isFailure(piece) });
  }
}

function toResultBlock(piece: kit.Fields) {
  const { functionResponse } = piece;
  if (functionResponse === undefined) return toBlock(piece);
  const { response } = kit.fieldsOf(functionResponse);
  const { output, error } = kit.fieldsOf(response);
  const told = output ?? error ?? response;
  return { type: 'response', text: kit.toText(told) ?? toJsonText(told) };
}

function isFailure({ functionResponse }: kit.Fields) {
  const response = kit.fieldsOf(kit.fieldsOf(functionResponse)['response']);
  return response['output'] === undefined && 'error' in response;
}

function isQwenRecord(line: unknown) {
  if (!isObject(line) || !SAID.has(line['type'])) return false;
  const { uuid, sessionId, message } = line;
  const isNamed = typeof uuid === 'string' && typeof sessionId === 'string';
  return isNamed && Array.isArray(kit.fieldsOf(message)['parts']);
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const chain = activeChain(recording, recording.readLines(file.lines()));
  const places = readContents(recording, toTurns(chain));
  readCompactions(recording, chain, places);
  for (const { uuid, contextWindowSize } of chain) {
    const place = places.get(kit.toId(uuid) ?? '');
    if (place !== undefined) recording.addWindow(contextWindowSize, place.before);
  }
  const [first = {}] = chain;
  return {
    sessionId: first['sessionId'],
    isSide: first['isSidechain'] === true,
    isPartial: kit.toId(first['parentUuid']) !== undefined,
    release: kit.toRelease(chain.findLast(({ version }) => kit.toRelease(version))?.['version']),
    isOutputFinal: true,
  };
}

/** Messages that were taken back lead elsewhere. */
function activeChain({ tally }: Recording, records: kit.Objects) {
  const pairs = records.map(({ uuid, parentUuid: up }) => [kit.toId(uuid), kit.toId(up)] as const);
  const parents = new Map(pairs);
  const active = new Set<string | undefined>([undefined]);
  let uuid = kit.toId(records.findLast(isSaid)?.['uuid']);
  while (!active.has(uuid)) {
    active.add(uuid);
    uuid = parents.get(uuid);
  }
  const chain = records.filter((record) => active.has(kit.toId(record['uuid'])));
  const goneCount = records.filter(isSaid).length - chain.filter(isSaid).length;
  tally.drop('message that was taken back', goneCount);
  for (const { type } of records) if (type !== 'system' && !SAID.has(type)) tally.dropUnknown(type);
  return chain;
}

function isSaid({ type }: kit.Fields) {
  return SAID.has(type);
}

/** Records of one role and uuid are one turn, with the last usage and model. */
function toTurns(chain: kit.Objects) {
  const turns = new Map<string, kit.Fields>();
  for (const [index, record] of chain.entries()) {
    if (!isSaid(record)) continue;
    const { type: recordType, timestamp, model, message, usageMetadata, subtype } = record;
    const uuid = kit.toId(record['uuid']) ?? `record-${index + 1}`;
    const type = recordType === 'assistant' ? 'model' : 'user';
    const isOther = (turns.get(uuid)?.['type'] ?? type) !== type;
    const id = isOther ? `${uuid}-${type}` : uuid;
    const before = turns.get(id) ?? {};
    turns.set(id, {
      id,
      type,
      timestamp,
      parts: [...kit.toList(before['parts']), ...kit.toList(kit.fieldsOf(message)['parts'])],
      model: kit.toModel(model, 'qwen-code') ?? before['model'],
      tokens: toCounts(kit.fieldsOf(usageMetadata)) ?? before['tokens'],
      isInjected: INJECTED.has(subtype),
    });
  }
  return [...turns.values()];
}

/** A total that is not the sum with the thoughts means that the answer includes them. */
function toCounts(usage: kit.Fields) {
  const input = kit.toTokens(usage['promptTokenCount']);
  if (input === undefined) return undefined;
  const thoughts = kit.atLeastZero(kit.toTokens(usage['thoughtsTokenCount']));
  const answered = kit.atLeastZero(kit.toTokens(usage['candidatesTokenCount']));
  const { totalTokenCount: total = input + answered + thoughts } = usage;
  const isIncluded = total !== input + answered + thoughts && answered >= thoughts;
  return {
    input,
    output: isIncluded ? answered - thoughts : answered,
    thoughts,
    cached: usage['cachedContentTokenCount'],
    tool: usage['toolUsePromptTokenCount'],
    total: usage['totalTokenCount'],
  };
}

function readCompactions(recording: Recording, chain: kit.Objects, places: Places): void {
  for (const [index, { subtype, systemPayload }] of chain.entries()) {
    if (subtype !== COMPRESSION) continue;
    const last = chain.slice(0, index).findLast(isSaid)?.['uuid'];
    const [summary = {}] = kit.objectsIn(kit.fieldsOf(systemPayload)['compressedHistory']);
    const told = {
      tokensBefore: kit.valueAt(systemPayload, 'info.originalTokenCount'),
      tokensAfter: kit.valueAt(systemPayload, 'info.newTokenCount'),
      summary: kit.textOf(summary['parts']),
    };
    recording.addCompaction(told, places.get(kit.orEmpty(last))?.after ?? 0);
  }
}
