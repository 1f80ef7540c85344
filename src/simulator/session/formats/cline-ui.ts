import type { SessionFormat, SourceFile } from '../format.ts';
import { type Fields, fieldsOf, objectsIn, toId, toList, toText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import type { DraftMessage } from '../reading/transcript.ts';
import { fieldsIn, isScreenMessage, REQUEST, sizesOn, usageOfRequest } from './cline-screen.ts';

interface Reading {
  readonly recording: Recording;
  /** The newest request, until something is known to answer it. */
  request: Fields;
  /** The step of the newest request that was answered. */
  step: DraftMessage | undefined;
  callCount: number;
  /** The last index of the messages that requests leave out. */
  cutIndex: number;
}

/** Kinds of messages that the model wrote or saw; the others are for the person at the screen. */
const READERS = new Map<unknown, (reading: Reading, message: Fields, text: string) => void>([
  [REQUEST, readRequest],
  ['command', (reading, _, command) => addCall(reading, 'execute_command', { command })],
  ['command_output', (reading, _, text) => addOutput(reading, text)],
  [
    'completion_result',
    (reading, _, result) => result && addCall(reading, 'attempt_completion', { result }),
  ],
  ['condense_context', addCompaction],
  ['followup', (reading, _, text) => addText(reading, toId(fieldsIn(text)['question']) ?? text)],
  ['mcp_server_response', (reading, _, text) => addOutput(reading, text)],
  [
    'plan_mode_respond',
    (reading, _, text) => addText(reading, toId(fieldsIn(text)['response']) ?? text),
  ],
  ['reasoning', (reading, _, text) => addText(reading, text, 'reasoning')],
  ['sliding_window_truncation', addCompaction],
  ['task', readPrompt],
  [
    'text',
    (reading, message, text) => {
      // The first text is the task.
      if (reading.recording.drafts.length === 0) readPrompt(reading, message);
      else addText(reading, text);
    },
  ],
  ['tool', readTool],
  [
    'use_mcp_server',
    (reading, _, text) => {
      const input = fieldsIn(text);
      addCall(reading, toId(input['toolName']) ?? 'access_mcp_resource', input);
    },
  ],
  ['user_feedback', readPrompt],
]);

/** Tools whose content on the screen is what the model got; that of others is what it wrote. */
const SHOWING = new Set([
  'listCodeDefinitionNames',
  'listFilesRecursive',
  'listFilesTopLevel',
  'searchFiles',
  'webFetch',
]);

/** Screens of Cline and Roo Code: prompts, texts, calls and usage of a task, but few outputs of tools. */
export const clineUi: SessionFormat = {
  label: 'Cline or Roo Code screen (JSON)',
  certainty: 'shape',
  detect: (file) =>
    objectsIn(file.json()).some(
      (message) => isScreenMessage(message) && READERS.has(kindOf(message)) && 'text' in message,
    ),
  read: readRecording({ format: 'cline-ui', empty: 'a screen without messages' }, readMessages),
};

function kindOf({ type, ask, say }: Fields): unknown {
  return type === 'ask' ? ask : say;
}

function readMessages(recording: Recording, file: SourceFile): Facts {
  const messages = objectsIn(file.json()).filter(isScreenMessage);
  recording.tally.drop('message that is no object', toList(file.json()).length - messages.length);
  const reading: Reading = { recording, request: {}, step: undefined, callCount: 0, cutIndex: -1 };
  for (const message of messages) {
    noteCut(reading, message);
    if (message['partial'] === true) continue;
    READERS.get(kindOf(message))?.(reading, message, toText(message['text']) ?? '');
  }
  return { isOutputFinal: true };
}

/** Notes a truncation by Cline: a range on each message says what requests leave out. */
function noteCut(reading: Reading, message: Fields): void {
  const [, lastIndex] = toList(message['conversationHistoryDeletedRange']);
  const { recording, cutIndex, step } = reading;
  if (typeof lastIndex !== 'number' || lastIndex <= cutIndex) return;
  reading.cutIndex = lastIndex;
  // The range changes while a request is prepared.
  const isPrepared = step !== undefined && recording.drafts.at(-1) === step;
  const messageIndex = recording.drafts.length - (isPrepared ? 1 : 0);
  if (messageIndex > 0) recording.compactions.push({ kind: 'full', messageIndex });
}

function readPrompt(reading: Reading, { text, images, ts: time }: Fields): void {
  reading.request = {};
  reading.step = undefined;
  const files = toList(images).map((url) => ({ type: 'image', url }));
  reading.recording.readPrompt({ time, content: [{ type: 'text', text }, ...files] });
}

/** Reads a request. One without a count begins a step only when something answers it. */
function readRequest(reading: Reading, message: Fields): void {
  reading.request = message;
  reading.step = undefined;
  if (usageOfRequest(message) !== undefined) stepOf(reading);
}

function stepOf(reading: Reading): DraftMessage {
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

function addText(reading: Reading, text: string, type: 'text' | 'reasoning' = 'text'): void {
  if (text !== '') stepOf(reading).parts.push({ type, text });
}

function readTool(reading: Reading, _message: Fields, text: string): void {
  const { tool, content = '', ...input } = fieldsIn(text);
  const name = toText(tool) ?? 'unknown';
  const isShown = SHOWING.has(name);
  addCall(reading, name, isShown ? input : { ...input, content });
  if (isShown && typeof content === 'string') addOutput(reading, content);
}

function addCall(reading: Reading, tool: string, input: unknown): void {
  reading.callCount += 1;
  reading.recording.addCall(stepOf(reading), { callId: `call-${reading.callCount}`, tool, input });
}

/** Adds an output to the newest call; a command shows it in pieces, of which the last come alone. */
function addOutput({ recording, callCount, step }: Reading, output: string): void {
  const key = `call-${callCount}`;
  if (recording.finishCall({ key, output })) return;
  const index = step?.parts.findIndex((part) => part.type === 'tool' && part.callId === key) ?? -1;
  const part = step?.parts[index];
  if (step === undefined || part?.type !== 'tool' || part.state.status !== 'completed') {
    return recording.tally.drop('tool result without a call');
  }
  const state = { ...part.state, output: `${part.state.output}\n${output}` };
  step.parts[index] = { ...part, state };
}

function addCompaction({ recording }: Reading, message: Fields): void {
  const { atMs: _atMs, ...sizes } = sizesOn(message);
  const summary = toText(fieldsOf(message['contextCondense'])['summary']);
  recording.addCompaction({ ...sizes, summary });
}
