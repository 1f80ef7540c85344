import type { ToolState } from '../../../engine/index.ts';
import type { Tally } from '../reading/tally.ts';
import { toInput } from '../reading/tool-input.ts';
import { addStep, type DraftMessage, type DraftPart } from '../reading/transcript.ts';
import { textOf, toContentParts } from './content.ts';
import { type ChatCall, type ChatMessage, parseMessage } from './message.ts';

/** What the messages of one chat come to. */
export interface Chat {
  readonly drafts: readonly DraftMessage[];
  /** The texts of all system and developer messages; absent where there are none. */
  readonly system?: string;
}

interface Reading {
  readonly tally: Tally;
  readonly drafts: DraftMessage[];
  readonly systemTexts: string[];
  /** Calls without a result by id; of several with one id the newest. */
  readonly openById: Map<string, Call>;
  /** Calls of the last step without a result, for results that name no id. */
  latest: readonly Call[];
}

/** A call, and where its part stands. */
interface Call {
  readonly step: DraftMessage;
  readonly partIndex: number;
  readonly callId: string | undefined;
  readonly tool: string;
  readonly input: unknown;
}

/** Reads the messages of one chat in order. */
export function readChat(values: readonly unknown[], tally: Tally): Chat {
  const messages = values.flatMap((value) => parseMessage(value) ?? []);
  tally.drop('message without a role', values.length - messages.length);
  const drafts: DraftMessage[] = [];
  const systemTexts: string[] = [];
  const reading = { tally, drafts, systemTexts, openById: new Map(), latest: [] };
  for (const message of messages) readMessage(reading, message);
  return { drafts, ...(systemTexts.length > 0 && { system: systemTexts.join('\n\n') }) };
}

function readMessage(reading: Reading, message: ChatMessage): void {
  const { drafts, systemTexts } = reading;
  if (message.role === 'system' || message.role === 'developer') systemTexts.push(textOf(message));
  else if (message.role === 'assistant') readStep(reading, message);
  else if (message.role === 'user') {
    drafts.push({ role: 'user', createdAt: 0, parts: [...toContentParts(message)] });
  } else readResult(reading, message);
}

function readStep(reading: Reading, message: ChatMessage): void {
  const parts = [...toContentParts(message)];
  const step: DraftMessage = { role: 'assistant', createdAt: 0, parts };
  addStep(reading.drafts, step, reading.tally);
  reading.latest = callsIn(message).map((call, index) => ({
    step,
    partIndex: parts.length + index,
    callId: call.id,
    tool: call.function?.name ?? 'unknown',
    input: toInput(call.function?.arguments, reading.tally),
  }));
  for (const call of reading.latest) {
    parts.push(toToolPart(call, { status: 'running', input: call.input }));
    if (call.callId !== undefined) reading.openById.set(call.callId, call);
  }
}

function readResult(reading: Reading, message: ChatMessage): void {
  const call = findCall(reading, message);
  if (call === undefined) return reading.tally.drop('tool result without a call');
  const { step, partIndex, callId, input } = call;
  const output = textOf(message);
  step.parts[partIndex] = toToolPart(call, { status: 'completed', input, output });
  reading.latest = reading.latest.filter((other) => other !== call);
  if (callId !== undefined) reading.openById.delete(callId);
}

function findCall({ openById, latest }: Reading, message: ChatMessage): Call | undefined {
  const { tool_call_id: callId, name } = message;
  if (callId !== undefined) return openById.get(callId);
  return latest.find(({ tool }) => name === undefined || tool === name);
}

/** Calls in order; before there were lists of calls, a message held one without an id. */
function callsIn({ tool_calls: calls, function_call: only }: ChatMessage): readonly ChatCall[] {
  return only === undefined ? calls : [...calls, { id: undefined, function: only }];
}

function toToolPart({ callId, tool }: Call, state: ToolState): DraftPart {
  return { type: 'tool', callId, tool, state };
}
