import type { SessionFormat, SourceFile } from '../format.ts';
import { toList, toTime } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import type { DraftMessage } from '../reading/transcript.ts';
import {
  fieldsIn,
  parseScreenMessage,
  type ScreenMessage,
  textAt,
  sizesOn,
  usageOfRequest,
} from './cline-screen.ts';

interface Reading {
  readonly recording: Recording;
  /** The newest request, until something is known to answer it. */
  request: ScreenMessage | undefined;
  /** The step of the newest request that was answered. */
  step: DraftMessage | undefined;
  callCount: number;
  /** The last index of the messages that requests leave out. */
  cutIndex: number;
}

type Read = (reading: Reading, message: ScreenMessage) => void;

/** Kinds of messages that the model wrote or saw; the others are for the person at the screen. */
const READERS: Readonly<Record<string, Read>> = {
  api_req_started: readRequest,
  command: (reading, { text: command = '' }) => addCall(reading, 'execute_command', { command }),
  command_output: (reading, { text = '' }) => addOutput(reading, text),
  completion_result: (reading, { text: result = '' }) => {
    if (result !== '') addCall(reading, 'attempt_completion', { result });
  },
  condense_context: (reading, message) => addCompaction(reading, message),
  followup: (reading, { text = '' }) =>
    addText(reading, textAt(fieldsIn(text), 'question') || text),
  mcp_server_response: (reading, { text = '' }) => addOutput(reading, text),
  plan_mode_respond: (reading, { text = '' }) =>
    addText(reading, textAt(fieldsIn(text), 'response') || text),
  reasoning: readThought,
  sliding_window_truncation: (reading, message) => addCompaction(reading, message),
  task: readPrompt,
  text: (reading, message) => {
    // The first text is the task.
    if (reading.recording.drafts.length === 0) readPrompt(reading, message);
    else addText(reading, message.text ?? '');
  },
  tool: readTool,
  use_mcp_server: (reading, { text }) => {
    const fields = fieldsIn(text);
    addCall(reading, textAt(fields, 'toolName') || 'access_mcp_resource', fields);
  },
  user_feedback: readPrompt,
};

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
  detect: (file) => {
    const values = toList(file.json());
    return values.some((value) => {
      const message = parseScreenMessage(value);
      return message !== undefined && kindOf(message) !== undefined && 'text' in message;
    });
  },
  read: readRecording({ format: 'cline-ui', empty: 'a screen without messages' }, readScreen),
};

function kindOf({ type, ask, say }: ScreenMessage): string | undefined {
  const kind = type === 'ask' ? ask : say;
  return kind !== undefined && Object.hasOwn(READERS, kind) ? kind : undefined;
}

function readScreen(recording: Recording, file: SourceFile): Facts {
  const values = toList(file.json());
  const messages = values.flatMap((value) => parseScreenMessage(value) ?? []);
  recording.tally.drop('message that is no object', values.length - messages.length);
  const reading: Reading = {
    recording,
    request: undefined,
    step: undefined,
    callCount: 0,
    cutIndex: -1,
  };
  for (const message of messages) {
    noteCut(reading, message);
    const kind = kindOf(message);
    if (kind !== undefined && !message.partial) READERS[kind]?.(reading, message);
  }
  return { isOutputFinal: true };
}

/** Notes a truncation by Cline: a range on each message says what requests leave out. */
function noteCut(
  reading: Reading,
  { conversationHistoryDeletedRange: range }: ScreenMessage,
): void {
  const [, lastIndex] = toList(range);
  const { recording, cutIndex, step } = reading;
  if (typeof lastIndex !== 'number' || lastIndex <= cutIndex) return;
  reading.cutIndex = lastIndex;
  // The range changes while a request is prepared.
  const isPrepared = step !== undefined && recording.drafts.at(-1) === step;
  const messageIndex = recording.drafts.length - (isPrepared ? 1 : 0);
  if (messageIndex > 0) recording.compactions.push({ kind: 'full', messageIndex });
}

function readPrompt(reading: Reading, { text = '', images, ts }: ScreenMessage): void {
  const files = images.flatMap((url) =>
    typeof url === 'string' ? [{ type: 'file' as const, mime: 'image/*', url }] : [],
  );
  const texts = text === '' ? [] : [{ type: 'text' as const, text }];
  reading.request = undefined;
  reading.step = undefined;
  reading.recording.addPrompt({ createdAt: toTime(ts), parts: [...texts, ...files] });
}

/** Reads a request. One without a count begins a step only when something answers it. */
function readRequest(reading: Reading, message: ScreenMessage): void {
  reading.request = message;
  reading.step = undefined;
  if (usageOfRequest(message) !== undefined) stepOf(reading);
}

function stepOf(reading: Reading): DraftMessage {
  const { recording, request } = reading;
  const { modelId, providerId = 'unknown' } = request?.modelInfo ?? {};
  reading.step ??= recording.addStep({
    createdAt: toTime(request?.ts),
    model: modelId && `${providerId}/${modelId}`,
    parts: [],
    usage: request && usageOfRequest(request),
  });
  return reading.step;
}

function addText(reading: Reading, text: string): void {
  if (text !== '') stepOf(reading).parts.push({ type: 'text', text });
}

function readThought(reading: Reading, { text = '' }: ScreenMessage): void {
  if (text !== '') stepOf(reading).parts.push({ type: 'reasoning', text });
}

function readTool(reading: Reading, { text }: ScreenMessage): void {
  const { tool, content = '', ...input } = fieldsIn(text);
  const name = typeof tool === 'string' ? tool : 'unknown';
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

function addCompaction({ recording }: Reading, message: ScreenMessage): void {
  const { atMs: _atMs, ...sizes } = sizesOn(message) ?? { atMs: 0 };
  recording.addCompaction({ ...sizes, summary: message.contextCondense?.summary });
}
