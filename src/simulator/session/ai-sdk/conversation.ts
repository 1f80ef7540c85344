import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import { toModelName } from '../reading/model-name.ts';
import type { Tally } from '../reading/tally.ts';
import { toTime } from '../reading/time.ts';
import type { DraftMessage } from '../reading/transcript.ts';
import { toCall, toResult } from './call.ts';
import { partsOf, type SdkMessage, type SdkPart } from './message.ts';
import { toAttachments, toContentPart } from './parts.ts';
import { toUsage } from './usage.ts';

/** What the messages of one conversation come to. */
export interface SdkConversation {
  readonly drafts: readonly DraftMessage[];
  /** The texts of all system messages; absent where there are none. */
  readonly system?: string;
}

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
}

/** Reads the messages of one conversation in order. */
export function readConversation(messages: readonly SdkMessage[], tally: Tally): SdkConversation {
  const dialogue = createDialogue(tally);
  for (const message of messages) readMessage({ tally, dialogue }, message);
  const systems = messages.filter(({ role }) => role === 'system').flatMap(partsOf);
  const system = systems.flatMap(({ text }) => text ?? []).join('\n\n');
  return { drafts: dialogue.end(), ...(system !== '' && { system }) };
}

function readMessage(reading: Reading, message: SdkMessage): void {
  const { dialogue, tally } = reading;
  const parts = partsOf(message);
  if (message.role === 'assistant') readSteps(reading, message);
  else if (message.role === 'tool') for (const part of parts) readResult(reading, part);
  else if (message.role === 'user') {
    const content = parts.flatMap((part) => toContentPart(part, tally));
    dialogue.addPrompt({
      createdAt: timeOf(message),
      recordedId: message.id,
      parts: [...content, ...toAttachments(message)],
    });
  }
}

/** A message as shown holds all steps up to the next prompt. What an application counted for it is known only where it is one step. */
function readSteps(reading: Reading, message: SdkMessage): void {
  const steps = splitSteps(partsOf(message));
  const model = message.metadata?.model;
  for (const [index, parts] of steps.entries()) {
    const id = message.id;
    const step = reading.dialogue.addStep({
      createdAt: timeOf(message),
      recordedId: id !== undefined && index > 0 ? `${id}-step-${index + 1}` : id,
      parts: [],
      model: model === undefined ? undefined : toModelName(model),
      usage: steps.length === 1 ? toUsage(message.metadata?.usage) : undefined,
    });
    for (const part of parts) readPart(reading, step, part);
  }
}

/** A step begins where a mark says so; where no mark stands, with what was written after a call. */
function splitSteps(parts: readonly SdkPart[]): readonly (readonly SdkPart[])[] {
  const hasMarks = parts.some(isMark);
  const steps: SdkPart[][] = [[]];
  for (const [index, part] of parts.entries()) {
    const previous = parts[index - 1];
    const isBehindCall = previous !== undefined && isShownCall(previous) && !isShownCall(part);
    const isStart = hasMarks ? isMark(part) : isBehindCall;
    const last = steps.at(-1) ?? [];
    if (isStart && last.length > 0) steps.push(isMark(part) ? [] : [part]);
    else if (!isMark(part)) last.push(part);
  }
  return steps;
}

function readPart(reading: Reading, step: DraftMessage, part: SdkPart): void {
  const { dialogue, tally } = reading;
  const call = toCall(part);
  if (call !== undefined) {
    dialogue.addCall(step, call);
    if (call.result !== undefined) dialogue.finishCall({ key: call.callId, ...call.result });
  } else if (part.type === 'tool-result') readResult(reading, part);
  else for (const content of toContentPart(part, tally)) step.parts.push(content);
}

function readResult({ dialogue, tally }: Reading, part: SdkPart): void {
  const result = toResult(part);
  if (result === undefined) toContentPart(part, tally);
  else if (
    part.toolCallId === undefined ||
    !dialogue.finishCall({ key: part.toolCallId, ...result })
  )
    tally.drop('tool result without a call');
}

function isMark({ type }: SdkPart): boolean {
  return type === 'step-start';
}

/** Whether a piece is a call that holds its result: what follows was written when that was known. */
function isShownCall(part: SdkPart): boolean {
  return part.type !== 'tool-call' && toCall(part) !== undefined;
}

function timeOf({ createdAt, metadata }: SdkMessage): number {
  return toTime(createdAt ?? metadata?.createdAt);
}
