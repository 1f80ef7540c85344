import { known } from '../../lib/collections.ts';
import { parseJson } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import * as made from '../reading/transcript.ts';

interface Reading {
  readonly recording: Recording;
  /** The newest request, until something is known to answer it. */
  request: kit.Fields;
  step: made.DraftMessage | undefined;
  callCount: number;
  /** The last index of the messages that requests leave out. */
  cutIndex: number;
}

/** The kind of a request. */
export const REQUEST = 'api_req_started';
const PROMPTS = kit.wordsIn('task user_feedback');
const QUESTIONS = kit.wordsIn('followup plan_mode_respond');
const OUTPUTS = kit.wordsIn('command_output mcp_server_response');
const RESIZES = kit.wordsIn('condense_context sliding_window_truncation');

/** Kinds of messages that the model wrote or saw; the others are for the person at the screen. */
const KINDS = new Set<unknown>([
  ...PROMPTS,
  ...QUESTIONS,
  ...OUTPUTS,
  ...RESIZES,
  ...kit.wordsIn(`${REQUEST} command completion_result reasoning text tool use_mcp_server`),
]);

/** Tools whose content on the screen is what the model got; that of others is what it wrote. */
const SHOWING = kit.wordsIn(
  'listCodeDefinitionNames listFilesRecursive listFilesTopLevel searchFiles webFetch',
);

/** Screens of Cline and Roo Code, with few outputs of tools. */
export const clineUi: SessionFormat = {
  label: 'Cline or Roo Code screen (JSON)',
  certainty: 'shape',
  detect: (file) =>
    kit
      .objectsIn(file.json())
      .some((one) => isScreenMessage(one) && KINDS.has(kindOf(one)) && 'text' in one),
  read: readRecording({ empty: 'a screen without messages' }, readMessages),
};

/** Recognizes a message by its time and by who speaks. */
export function isScreenMessage({ ts, type }: kit.Fields): boolean {
  return typeof ts === 'number' && (type === 'ask' || type === 'say');
}

/** The usage of a request; absent where it was not answered. Roo Code names a protocol; its input includes what a cache held. */
export function usageOfRequest({ text }: kit.Fields): made.RecordedUsage | undefined {
  const told = fieldsIn(text);
  const counts = made.countsIn(told);
  return told['apiProtocol'] === undefined ? made.countKinds(counts) : made.splitCount(counts);
}

/** The condensation or truncation that a message tells of. */
export function resizeOf({ contextCondense, contextTruncation }: kit.Fields): kit.Fields {
  return kit.fieldsOf(contextTruncation ?? contextCondense);
}

/** The tokens around a condensation or a truncation. */
export function sizesIn(message: kit.Fields) {
  const told = resizeOf(message);
  const { newContextTokensAfterTruncation: cut, newContextTokens: after = cut } = told;
  const tokensBefore = kit.toTokens(told['prevContextTokens']);
  return known({ tokensBefore, tokensAfter: kit.toTokens(after) });
}

function fieldsIn(text: unknown) {
  return kit.fieldsOf(parseJson(kit.orEmpty(text)));
}

function kindOf({ type, ask, say }: kit.Fields) {
  return type === 'ask' ? ask : say;
}

function readMessages(recording: Recording, file: SourceFile): Facts {
  const messages = kit.objectsIn(file.json()).filter(isScreenMessage);
  const others = kit.toList(file.json()).length - messages.length;
  recording.tally.drop('message that is no object', others);
  const reading: Reading = { recording, request: {}, step: undefined, callCount: 0, cutIndex: -1 };
  for (const message of messages) {
    noteCut(reading, message);
    if (message['partial'] !== true) readMessage(reading, message);
  }
  return { isOutputFinal: true };
}

function readMessage(reading: Reading, message: kit.Fields) {
  const { recording } = reading;
  const kind = kindOf(message);
  const text = kit.orEmpty(message['text']);
  const told = fieldsIn(text);
  // The first text is the task.
  const isTask = kind === 'text' && recording.drafts.length === 0;
  if (isTask || PROMPTS.has(kind)) readPrompt(reading, message);
  else if (kind === REQUEST) readRequest(reading, message);
  else if (kind === 'text' || kind === 'reasoning') addText(reading, text, kind);
  else if (QUESTIONS.has(kind))
    addText(reading, kit.toId(told['question'] ?? told['response']) ?? text);
  else if (OUTPUTS.has(kind)) addOutput(reading, text);
  else if (kind === 'command') addCall(reading, 'execute_command', { command: text });
  else if (kind === 'tool') readTool(reading, told);
  else if (kind === 'use_mcp_server') {
    addCall(reading, kit.toId(told['toolName']) ?? 'access_mcp_resource', told);
  } else if (kind === 'completion_result' && text !== '') {
    addCall(reading, 'attempt_completion', { result: text });
  } else if (RESIZES.has(kind)) {
    const summary = kit.toText(kit.fieldsOf(message['contextCondense'])['summary']);
    recording.addCompaction({ ...sizesIn(message), summary });
  }
}

function noteCut(reading: Reading, message: kit.Fields) {
  const [, lastIndex] = kit.toList(message['conversationHistoryDeletedRange']);
  const { recording, cutIndex, step } = reading;
  if (typeof lastIndex !== 'number' || lastIndex <= cutIndex) return;
  reading.cutIndex = lastIndex;
  // The range changes while a request is prepared.
  const isPrepared = step !== undefined && recording.drafts.at(-1) === step;
  const messageIndex = recording.drafts.length - (isPrepared ? 1 : 0);
  if (messageIndex > 0) recording.compactions.push({ kind: 'full', messageIndex });
}

function readPrompt(reading: Reading, { text, images, ts: time }: kit.Fields) {
  reading.request = {};
  reading.step = undefined;
  const files = kit.toList(images).map((url) => ({ type: 'image', url }));
  reading.recording.readPrompt({ time, content: [{ type: 'text', text }, ...files] });
}

/** A request without a count begins a step only when something answers it. */
function readRequest(reading: Reading, message: kit.Fields) {
  reading.request = message;
  reading.step = undefined;
  if (usageOfRequest(message) !== undefined) stepOf(reading);
}

function stepOf(reading: Reading) {
  const { recording, request } = reading;
  const { modelId, providerId } = kit.fieldsOf(request['modelInfo']);
  const model = kit.toId(modelId);
  reading.step ??= recording.readStep({
    time: request['ts'],
    model: model && `${kit.toText(providerId) ?? 'unknown'}/${model}`,
    usage: usageOfRequest(request),
  });
  return reading.step;
}

function addText(reading: Reading, text: string, type: 'text' | 'reasoning' = 'text') {
  if (text !== '') stepOf(reading).parts.push({ type, text });
}

function readTool(reading: Reading, { tool, content = '', ...input }: kit.Fields) {
  const name = kit.toText(tool) ?? 'unknown';
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
