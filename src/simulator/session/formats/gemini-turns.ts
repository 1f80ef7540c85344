/** Messages of Gemini CLI and of its relatives, and contents of the Gemini API. */

import { toJsonText } from '../files/source-file.ts';
import { asInjected, blocksOf, toParts } from '../reading/content.ts';
import { createCallIds } from '../reading/calls.ts';
import {
  atLeastZero,
  beginsWithAny,
  type Fields,
  fieldsOf,
  objectsIn,
  toId,
  toLocalTime,
  toModel,
  toText,
  toTokens,
} from '../reading/lenient.ts';
import type { Recording } from '../reading/recording.ts';
import type { RecordedUsage } from '../reading/transcript.ts';
import { countsIn, splitCount } from '../reading/usage.ts';

/** The place of each message of the chat: messages of the session before it, and with it. */
export type Places = ReadonlyMap<string, Readonly<Record<'before' | 'after', number>>>;

const STEP_TYPES = new Set<unknown>(['gemini', 'model', 'assistant']);
/** Types of notices for the person at the screen. */
const NOTICE_TYPES = new Set<unknown>(['info', 'warning', 'error']);
const FAILED = new Set<unknown>(['cancelled', 'error']);

/** Beginnings of texts that a program put in the user's place. */
const INJECTED_STARTS = [
  '<hook_context>',
  '<qwen:user-prompt-submit-context>',
  '<session_context>',
  '<state_snapshot>',
  '<system-reminder>',
];

const BLOCKS = { reason: 'unknown content block' };
const OCTETS = 'application/octet-stream';

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
  const readCalls = createCallReader(recording);
  const places = new Map<string, { before: number; after: number }>();
  for (const [placeId, message] of byId) {
    const { id, timestamp, model, tokens, type, role } = message;
    const before = recording.drafts.length;
    const said = { recordedId: toId(id), createdAt: toLocalTime(toText(timestamp)) };
    if (isStep(message)) {
      const usage = toUsage(tokens);
      const pieces = contentOf(message).filter(({ functionCall }) => functionCall === undefined);
      const content = [...thoughtsOf(message), ...pieces.map(toBlock)];
      const parts = toParts(content, recording.tally, BLOCKS);
      recording.addStep({ ...said, parts, model: toModel(model, 'google'), usage });
    } else if (isUser(message)) readUser(recording, message, said);
    else if (!NOTICE_TYPES.has(type)) recording.tally.dropUnknown(type ?? role);
    readCalls(message);
    places.set(placeId, { before, after: recording.drafts.length });
  }
  recording.end();
  return places;
}

/** The usage of a step; absent where nothing was sent. Reasoning and tool prompts are counted apart. */
function toUsage(tokens: unknown): RecordedUsage | undefined {
  const sent = splitCount(countsIn(tokens, { input: 'input', cacheRead: 'cached' }));
  const { tool, output, thoughts } = fieldsOf(tokens);
  return (
    sent && {
      ...sent,
      input: sent.input + atLeastZero(toTokens(tool)),
      output: atLeastZero(toTokens(output)),
      reasoning: atLeastZero(toTokens(thoughts)),
    }
  );
}

function thoughtsOf({ thoughts }: Fields): readonly Fields[] {
  return objectsIn(thoughts).map(({ subject, description }) => ({
    thinking: [toId(subject), toId(description)].filter(Boolean).join('\n'),
  }));
}

/** A piece in the form that providers share. */
function toBlock(piece: Fields): Fields {
  const { text, thought, inlineData, fileData } = piece;
  if (thought === true) return { thinking: text };
  const { mimeType = OCTETS, data, fileUri: url } = fieldsOf(inlineData ?? fileData);
  return { type: 'piece', text, data, url, mimeType };
}

/** Reads texts and files in the place of the user; a message that only a program wrote opens no turn. */
function readUser(
  recording: Recording,
  message: Fields,
  said: { readonly recordedId: string | undefined; readonly createdAt: number },
): void {
  const pieces = contentOf(message).filter(
    ({ functionResponse }) => functionResponse === undefined,
  );
  const parts = toParts(pieces.map(toBlock), recording.tally, BLOCKS).map((part) => {
    const isMarked = message['isInjected'] === true;
    const isOfProgram = part.type === 'text' && beginsWithAny(part.text, INJECTED_STARTS);
    return isMarked || isOfProgram ? asInjected(part) : part;
  });
  const isInjected = parts.every((part) => part.type === 'text' && part.synthetic === true);
  if (!isInjected) recording.addPrompt({ ...said, parts });
  else for (const part of parts) recording.inject(part);
}

/** Creates a reader of the calls and results of messages. Results stand in the call, or in messages of the user. */
function createCallReader(recording: Recording): (message: Fields) => void {
  const { tally } = recording;
  const ids = createCallIds(tally);
  const calledIds = new Set<string>();
  const answeredIds = new Set<string>();
  let namelessCount = 0;
  const finish = (key: string, content: readonly Fields[], isError: boolean) => {
    answeredIds.add(key);
    recording.readResult({ id: key, content, isError });
  };
  const readCall = (call: Fields) => {
    const { id, name, args = {}, result, status } = call;
    const recorded = toId(id);
    const callId = recorded && ids.ofCall(recorded, { name, input: args });
    const key = callId ?? `#${namelessCount++}`;
    if (calledIds.has(key)) return tally.drop('repeated tool call');
    calledIds.add(key);
    const step = recording.drafts.at(-1);
    if (step === undefined) return;
    recording.addCall(step, { callId, tool: toId(name) ?? 'unknown', input: args }, key);
    const pieces = blocksOf(result);
    const isFailed = FAILED.has(status);
    const isTold = pieces.some(({ text, functionResponse }) => text ?? functionResponse);
    const isError = isFailed || pieces.some(isFailure);
    if (isFailed || isTold) finish(key, pieces.map(toResultBlock), isError);
  };
  return (message) => {
    if (isStep(message)) {
      const { toolCalls } = message;
      const told = objectsIn(toolCalls);
      const known = new Set(told.map(({ id }) => id));
      const written = contentOf(message).flatMap(({ functionCall }) => objectsIn([functionCall]));
      for (const call of [...told, ...written.filter(({ id }) => !known.has(id))]) readCall(call);
    } else if (isUser(message)) {
      for (const piece of contentOf(message)) {
        const { id, name } = fieldsOf(piece['functionResponse']);
        if (piece['functionResponse'] === undefined) continue;
        const recorded = toId(id);
        const key = recorded && ids.ofResult(recorded);
        const result = { content: [toResultBlock(piece)], isError: isFailure(piece) };
        if (key === undefined) recording.readResult({ name, ...result });
        else if (!answeredIds.has(key)) finish(key, result.content, result.isError);
      }
    }
  };
}

/** A piece of a result; a response holds the output of its function. */
function toResultBlock(piece: Fields): Fields {
  const { functionResponse } = piece;
  if (functionResponse === undefined) return toBlock(piece);
  const { response } = fieldsOf(functionResponse);
  const { output, error } = fieldsOf(response);
  const told = output ?? error ?? response;
  return { type: 'response', text: toText(told) ?? toJsonText(told) };
}

function isFailure({ functionResponse }: Fields): boolean {
  const response = fieldsOf(fieldsOf(functionResponse)['response']);
  return response['output'] === undefined && 'error' in response;
}
