import { known } from '../../lib/collections.ts';
import { parseJson } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import {
  type Fields,
  fieldsOf,
  objectsIn,
  toId,
  toList,
  toText,
  toTokens,
  wordsIn,
} from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import {
  countKinds,
  countsIn,
  type DraftMessage,
  type RecordedUsage,
  splitCount,
} from '../reading/transcript.ts';

interface Reading {
  readonly recording: Recording;
  /** The newest request, until something is known to answer it. */
  request: Fields;
  step: DraftMessage | undefined;
  callCount: number;
  /** The last index of the messages that requests leave out. */
  cutIndex: number;
}

/** The kind of a request. */
export const REQUEST = 'api_req_started';
const PROMPTS = wordsIn('task user_feedback');
const QUESTIONS = wordsIn('followup plan_mode_respond');
const OUTPUTS = wordsIn('command_output mcp_server_response');
const RESIZES = wordsIn('condense_context sliding_window_truncation');

/** Kinds of messages that the model wrote or saw; the others are for the person at the screen. */
const KINDS = new Set<unknown>([
  ...PROMPTS,
  ...QUESTIONS,
  ...OUTPUTS,
  ...RESIZES,
  ...wordsIn(`${REQUEST} command completion_result reasoning text tool use_mcp_server`),
]);

/** Tools whose content on the screen is what the model got; that of others is what it wrote. */
const SHOWING = wordsIn(
  'listCodeDefinitionNames listFilesRecursive listFilesTopLevel searchFiles webFetch',
);

/** Screens of Cline and Roo Code, with few outputs of tools. */
export const clineUi: SessionFormat = {
  label: 'Cline or Roo Code screen (JSON)',
  certainty: 'shape',
  detect: (file) =>
    objectsIn(file.json()).some(
      (message) => isScreenMessage(message) && KINDS.has(kindOf(message)) && 'text' in message,
    ),
  read: readRecording({ empty: 'a screen without messages' }, readMessages),
};

/** Recognizes a message by its time and by who speaks. */
export function isScreenMessage({ ts, type }: Fields): boolean {
  return typeof ts === 'number' && (type === 'ask' || type === 'say');
}

/** The usage of a request; absent where it was not answered. Roo Code names a protocol; its input includes what a cache held. */
export function usageOfRequest({ text }: Fields): RecordedUsage | undefined {
  const told = fieldsIn(text);
  const counts = countsIn(told);
  return told['apiProtocol'] === undefined ? countKinds(counts) : splitCount(counts);
}

/** The condensation or truncation that a message tells of. */
export function resizeOf({ contextCondense, contextTruncation }: Fields): Fields {
  return fieldsOf(contextTruncation ?? contextCondense);
}

/** The tokens around a condensation or a truncation. */
export function sizesIn(message: Fields) {
  const told = resizeOf(message);
  const { newContextTokensAfterTruncation: cut, newContextTokens: after = cut } = told;
  return known({ tokensBefore: toTokens(told['prevContextTokens']), tokensAfter: toTokens(after) });
}

function fieldsIn(text: unknown) {
  return fieldsOf(parseJson(toText(text) ?? ''));
}

function kindOf({ type, ask, say }: Fields) {
  return type === 'ask' ? ask : say;
}

function readMessages(recording: Recording, file: SourceFile): Facts {
  const messages = objectsIn(file.json()).filter(isScreenMessage);
  recording.tally.drop('message that is no object', toList(file.json()).length - messages.length);
  const reading: Reading = { recording, request: {}, step: undefined, callCount: 0, cutIndex: -1 };
  for (const message of messages) {
    noteCut(reading, message);
    if (message['partial'] !== true) readMessage(reading, message);
  }
  return { isOutputFinal: true };
}

function readMessage(reading: Reading, message: Fields) {
  const { recording } = reading;
  const kind = kindOf(message);
  const text = toText(message['text']) ?? '';
  const told = fieldsIn(text);
  // The first text is the task.
  const isTask = kind === 'text' && recording.drafts.length === 0;
  if (isTask || PROMPTS.has(kind)) readPrompt(reading, message);
  else if (kind === REQUEST) readRequest(reading, message);
  else if (kind === 'text' || kind === 'reasoning') addText(reading, text, kind);
  else if (QUESTIONS.has(kind))
    addText(reading, toId(told['question'] ?? told['response']) ?? text);
  else if (OUTPUTS.has(kind)) addOutput(reading, text);
  else if (kind === 'command') addCall(reading, 'execute_command', { command: text });
  else if (kind === 'tool') readTool(reading, told);
  else if (kind === 'use_mcp_server') {
    addCall(reading, toId(told['toolName']) ?? 'access_mcp_resource', told);
  } else if (kind === 'completion_result' && text !== '') {
    addCall(reading, 'attempt_completion', { result: text });
  } else if (RESIZES.has(kind)) {
    const summary = toText(fieldsOf(message['contextCondense'])['summary']);
    recording.addCompaction({ ...sizesIn(message), summary });
  }
}

function noteCut(reading: Reading, message: Fields) {
  const [, lastIndex] = toList(message['conversationHistoryDeletedRange']);
  const { recording, cutIndex, step } = reading;
  if (typeof lastIndex !== 'number' || lastIndex <= cutIndex) return;
  reading.cutIndex = lastIndex;
  // The range changes while a request is prepared.
  const isPrepared = step !== undefined && recording.drafts.at(-1) === step;
  const messageIndex = recording.drafts.length - (isPrepared ? 1 : 0);
  if (messageIndex > 0) recording.compactions.push({ kind: 'full', messageIndex });
}

function readPrompt(reading: Reading, { text, images, ts: time }: Fields) {
  reading.request = {};
  reading.step = undefined;
  const files = toList(images).map((url) => ({ type: 'image', url }));
  reading.recording.readPrompt({ time, content: [{ type: 'text', text }, ...files] });
}

/** A request without a count begins a step only when something answers it. */
function readRequest(reading: Reading, message: Fields) {
  reading.request = message;
  reading.step = undefined;
  if (usageOfRequest(message) !== undefined) stepOf(reading);
}

function stepOf(reading: Reading) {
  const { recording, request } = reading;
  const { modelId, providerId } = fieldsOf(request['modelInfo']);
  const model = toId(modelId);
  reading.step ??= recording.readStep({
    time: request['ts'],
    model: model && `${toText(providerId) ?? 'unknown'}/${model}`,
    usage: usageOfRequest(request),
  });
  return reading.step;
}

function addText(reading: Reading, text: string, type: 'text' | 'reasoning' = 'text') {
  if (text !== '') stepOf(reading).parts.push({ type, text });
}

function readTool(reading: Reading, { tool, content = '', ...input }: Fields) {
  const name = toText(tool) ?? 'unknown';
  const isShown = SHOWING.has(name);
  addCall(reading, name, isShown ? input : { ...input, content });
  if (isShown && typeof content === 'string') addOutput(reading, content);
}

function addCall(reading: Reading, tool: string, input: unknown) {
  reading.callCount += 1;
  reading.recording.addCall(stepOf(reading), { callId: `call-${reading.callCount}`, tool, input });
}

function addOutput({ recording, callCount, step }: Reading, output: string) {
  const key = `call-${callCount}`;
  if (recording.finishCall({ key, output })) return;
  const index = step?.parts.findIndex((part) => part.type === 'tool' && part.callId === key) ?? -1;
  const part = step?.parts[index];
  if (step === undefined || part?.type !== 'tool' || part.state.status !== 'completed')
    return recording.tally.drop('tool result without a call');
  const state = { ...part.state, output: `${part.state.output}\n${output}` };
  step.parts[index] = { ...part, state };
}
