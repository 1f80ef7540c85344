import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readFound, type Recording } from '../reading/recording.ts';
import { type DraftMessage, splitCount } from '../reading/transcript.ts';

const ROLES = kit.wordsIn('system user assistant tool');
const START = 'step-start';
const TOOL_PREFIX = 'tool-';
const RESULT = 'tool-result';
const APPROVALS = 'tool-approval-request tool-approval-response';
const NO_TOOLS = kit.wordsIn(`${APPROVALS} ${RESULT}`);
const TELLING_TYPES = kit.wordsIn(`reasoning redacted-reasoning tool-call ${APPROVALS} ${RESULT}`);

const SILENT = kit.wordsIn(
  `redacted-reasoning source source-document source-url ${START} ${APPROVALS}`,
);
const DATA_PREFIX = 'data-';
const TIME = 'createdAt metadata.createdAt';

/** Messages of the AI SDK, as applications store them or send them to a model. */
export const aiSdk: SessionFormat = {
  label: 'AI SDK messages (JSON)',
  certainty: 'shape',
  ...readFound(
    findMessages,
    { empty: 'messages of the system only', silent: SILENT },
    readMessages,
  ),
};

/** A result as the AI SDK sends it to a model. */
export function toSentResult(recorded: unknown) {
  const { type, value, reason } = kit.fieldsOf(recorded);
  if (typeof type !== 'string') return { output: toSentText(recorded) };
  if (type === 'execution-denied') return { output: toSentText(reason), isError: true };
  if (type === 'content') {
    const pieces = kit.objectsIn(value);
    const files = pieces
      .filter((piece) => 'data' in piece || 'url' in piece)
      .map((piece) => toBlock({ ...piece, type: 'file' }));
    return { content: files, output: kit.textOf(pieces) };
  }
  return { output: toSentText(value), isError: type === 'error-text' || type === 'error-json' };
}

/** A piece of a message as a block that all formats share. */
export function toBlock(piece: kit.Fields): kit.Fields {
  const { type, text, reasoning, image, url, data = url, mimeType, mediaType = mimeType } = piece;
  if (type === 'reasoning') return { type, thinking: text ?? reasoning };
  if (type === 'file') return toFile(data, mediaType, piece['filename']);
  if (type === 'image') return toFile(image, mediaType ?? 'image/*', piece['filename']);
  if (type === 'text' || text !== undefined) return { type, text };
  return kit.toText(type)?.startsWith(DATA_PREFIX) ? { type: START } : { type };
}

function findMessages(file: SourceFile) {
  const document = file.json();
  const values = isObject(document) ? document['messages'] : document;
  return Array.isArray(values) && isConversation(values) ? values : undefined;
}

/** Messages of the AI SDK have the time in `createdAt` or their metadata, never in `ts`. */
function isConversation(values: readonly unknown[]) {
  if (!ROLES.has(kit.fieldsOf(values[0])['role'])) return false;
  const messages = kit.objectsIn(values);
  return messages.some(isTelling) && !messages.some((message) => 'ts' in message);
}

function isTelling({ parts, content, toolInvocations }: kit.Fields) {
  if (Array.isArray(toolInvocations)) return true;
  if (Array.isArray(parts)) {
    const typed = kit.objectsIn(parts).filter(({ type }) => typeof type === 'string');
    return parts.length > 0 && typed.length === parts.length;
  }
  return kit.objectsIn(content).some((piece) => {
    if (piece['type'] === 'file') return 'mediaType' in piece || 'mimeType' in piece;
    return TELLING_TYPES.has(piece['type']) || (piece['type'] === 'image' && 'image' in piece);
  });
}

function readMessages(recording: Recording, values: readonly unknown[]): Facts {
  for (const message of recording.readObjects(values, kit.NO_ROLE)) {
    const { role, id, experimental_attachments: attached } = message;
    const pieces = piecesOf(message);
    if (role === 'system') recording.addSystem(pieces);
    else if (role === 'assistant') readSteps(recording, message);
    else if (role === 'tool') for (const piece of pieces) readPiece(recording, piece);
    else if (role === 'user') {
      const beside = kit
        .objectsIn(attached)
        .map(({ name: filename, contentType: mediaType, url }) => {
          return { type: 'file', filename, mediaType, url };
        });
      const content = [...pieces, ...beside].map(toBlock);
      recording.readPrompt({ id, time: kit.valueAt(message, TIME), content });
    } else recording.tally.drop(kit.NO_ROLE);
  }
  return { isOutputFinal: recording.hasUsage() };
}

/** Pieces of a message: its parts as shown, its content as sent. Older messages have calls beside a text. */
function piecesOf({ parts, content, toolInvocations }: kit.Fields) {
  const shown = kit.objectsIn(parts);
  if (shown.length > 0) return shown;
  const called = kit.objectsIn(toolInvocations).map((toolInvocation) => {
    return { type: 'tool-invocation', toolInvocation };
  });
  const said = typeof content === 'string' ? kit.blocksOf(content) : kit.objectsIn(content);
  return [...called, ...said];
}

/** The usage of a message is known only if it is one step. */
function readSteps(recording: Recording, message: kit.Fields) {
  const { id, metadata } = message;
  const { model, usage } = kit.fieldsOf(metadata);
  const steps = splitSteps(piecesOf(message));
  for (const [index, pieces] of steps.entries()) {
    const step = recording.readStep({
      id: typeof id === 'string' && id !== '' && index > 0 ? `${id}-step-${index + 1}` : id,
      time: kit.valueAt(message, TIME),
      model: kit.toModel(model),
      usage: steps.length === 1 ? splitCount(usage) : undefined,
    });
    for (const piece of pieces) readPiece(recording, piece, step);
  }
}

function isMark({ type }: kit.Fields) {
  return type === START;
}

function isShown(piece: kit.Fields = {}) {
  return piece['type'] !== 'tool-call' && toCall(piece) !== undefined;
}

/** A step begins at a mark; without marks, where text follows a call that holds its result. */
function splitSteps(pieces: kit.Objects) {
  const hasMarks = pieces.some(isMark);
  const steps: kit.Fields[][] = [[]];
  for (const [index, piece] of pieces.entries()) {
    const isStart = hasMarks ? isMark(piece) : isShown(pieces[index - 1]) && !isShown(piece);
    if (isStart && steps.at(-1)?.length !== 0) steps.push([]);
    if (!isMark(piece)) steps.at(-1)?.push(piece);
  }
  return steps;
}

function toCall(piece: kit.Fields) {
  const type = kit.orEmpty(piece['type']);
  const { toolCallId: id, args: older, input: args = older, state, output, errorText } = piece;
  if (type === 'tool-invocation') {
    const inner = kit.fieldsOf(piece['toolInvocation']);
    const { toolCallId, toolName: name, args: given, state: has, result } = inner;
    const call = { id: toolCallId, name, args: given };
    return { call, ...(has === 'result' && { result: { output: toSentText(result) } }) };
  }
  const isNamed = type === 'tool-call' || type === 'dynamic-tool';
  if (NO_TOOLS.has(type) || !(isNamed || type.startsWith(TOOL_PREFIX))) return undefined;
  const name = isNamed ? piece['toolName'] : type.slice(TOOL_PREFIX.length);
  const call = { id, name, args };
  if (type === 'tool-call') return { call };
  if (state === 'output-available') return { call, result: { output: toSentText(output) } };
  const isError = state === 'output-error' || state === 'output-denied';
  return { call, ...(isError && { result: { output: kit.orEmpty(errorText), isError } }) };
}

function toSentText(value: unknown): string {
  return kit.toText(value ?? '') ?? toJsonText(value);
}

function readPiece(recording: Recording, piece: kit.Fields, step?: DraftMessage) {
  const called = step && toCall(piece);
  if (step !== undefined && called !== undefined) {
    const { call, result } = called;
    recording.readCall(step, call);
    if (result !== undefined) recording.readResult({ id: call.id, ...result });
  } else if (piece['type'] === RESULT) {
    const { toolCallId: id, output, result, isError } = piece;
    if (output !== undefined) recording.readResult({ id, ...toSentResult(output) });
    else recording.readResult({ id, output: toSentText(result), isError });
  } else step?.parts.push(...recording.partsOf(toBlock(piece)));
}

function toFile(source: unknown, mime: unknown, filename: unknown) {
  const text = kit.orEmpty(source);
  const mimeType = kit.toText(mime) ?? kit.mimeIn(text) ?? 'application/octet-stream';
  const url = /^[a-z]+:/i.test(text) ? text : `data:${mimeType};base64,${text}`;
  return { type: 'file', url, mimeType, filename };
}
