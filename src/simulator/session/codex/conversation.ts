import type { RecordedCompaction } from '../session.ts';
import type { Tally } from '../reading/tally.ts';
import type { DraftMessage } from '../reading/transcript.ts';
import { dropUnknown } from '../reading/unknown-records.ts';
import { type CallIds, createCallIds } from '../reading/call-ids.ts';
import { readCompacted, readEvent } from './events.ts';
import { isInjectedText } from './injected.ts';
import { toContentParts, toReasoningParts, toToolPart } from './parts.ts';
import { endTurn, isOutput, type Reading, startReading, write } from './reading.ts';
import {
  type CodexPayload,
  type CodexPiece,
  type CodexRecord,
  isKnownLine,
  piecesOf,
} from './record.ts';
import { isRedacted } from './redacted.ts';

/** What the records of a rollout come to. */
export interface CodexConversation {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
  /** It goes on from something that the file does not hold. */
  readonly isPartial: boolean;
  /** `provider/model`, as last told. */
  readonly model: string | undefined;
}

const CALLS = new Set<string | undefined>([
  'custom_tool_call',
  'function_call',
  'image_generation_call',
  'local_shell_call',
  'tool_search_call',
  'web_search_call',
]);

/** Items that the model never saw, or that nobody but the provider can read. */
const OPAQUE = new Set<string | undefined>([
  'compaction',
  'compaction_summary',
  'context_compaction',
  'ghost_snapshot',
]);

/** Reads the records of a rollout in order. */
export function readConversation(records: readonly CodexRecord[], tally: Tally): CodexConversation {
  const identified = withCallIds(records, tally);
  const reading = startReading(identified, tally);
  for (const record of identified) readRecord(reading, record);
  reading.pending.place(0);
  const lost = [...reading.outputs.keys()].filter((id) => !reading.calledIds.has(id));
  tally.drop('tool result without a call', lost.length);
  dropUnknown(tally, reading.unknownTypes);
  return reading;
}

/** The records, in which no two calls have one id unless they are one. */
function withCallIds(records: readonly CodexRecord[], tally: Tally): readonly CodexRecord[] {
  const ids = createCallIds(tally);
  return records.map((record) => {
    const callId = record.type === 'response_item' ? callIdOf(record.payload, ids) : undefined;
    if (callId === undefined || callId === record.payload.call_id) return record;
    return { ...record, payload: { ...record.payload, call_id: callId } };
  });
}

function callIdOf(payload: CodexPayload, ids: CallIds): string | undefined {
  const { type, call_id: callId, name, arguments: input = payload.input } = payload;
  if (callId === undefined) return undefined;
  if (isOutput(payload)) return ids.ofResult(callId);
  return CALLS.has(type) ? ids.ofCall(callId, { name, input }) : undefined;
}

function readRecord(reading: Reading, record: CodexRecord): void {
  const { type, payload } = record;
  noteModel(reading, record);
  if (type === 'response_item') readItem(reading, record);
  else if (type === 'event_msg') readEvent(reading, payload);
  else if (type === 'compacted') readCompacted(reading, payload);
  else if (!isKnownLine(record)) reading.unknownTypes.push(type);
}

function noteModel(reading: Reading, { type, payload: { model } }: CodexRecord): void {
  const isOfTurn = type === 'turn_context' || type === 'response_item';
  if (isOfTurn && model !== undefined) reading.model = `${reading.provider}/${model}`;
}

function readItem(reading: Reading, { type: lineType, time, payload }: CodexRecord): void {
  const { type, role } = payload;
  if (role === 'user') readUser(reading, time, payload);
  else if (role === 'assistant') write(reading, time, toContentParts(contentOf(payload), reading));
  else if (role !== undefined || type === 'agent_message') injectMessage(reading, payload);
  else if (type === 'reasoning') write(reading, time, toReasoningParts(payload, reading));
  else if (CALLS.has(type)) readCall(reading, time, payload);
  else if (isOutput(payload)) reading.isStepOpen = false;
  else if (!OPAQUE.has(type)) reading.unknownTypes.push(type ?? lineType);
}

function readUser(reading: Reading, createdAt: number, payload: CodexPayload): void {
  const pieces = piecesOf(contentOf(payload));
  for (const piece of pieces) {
    const isSynthetic = isInjected(reading, piece);
    for (const part of toContentParts([piece], reading)) {
      const isMarked = isSynthetic && part.type === 'text';
      reading.pending.add(isMarked ? { ...part, synthetic: true } : part);
    }
  }
  if (pieces.every((piece) => isInjected(reading, piece))) return;
  endTurn(reading);
  const parts = reading.pending.take();
  reading.drafts.push({ role: 'user', recordedId: payload.id, createdAt, parts });
}

/** Where a text tells nothing any more, what the screen showed as typed was typed. */
function isInjected({ expander, typedTexts }: Reading, { text }: CodexPiece): boolean {
  if (text === undefined) return false;
  return isRedacted(text) ? !typedTexts.has(expander.toText(text)) : isInjectedText(text);
}

function injectMessage({ expander, pending }: Reading, payload: CodexPayload): void {
  for (const { text = '' } of piecesOf(contentOf(payload))) pending.inject(expander.toText(text));
}

function readCall(reading: Reading, time: number, payload: CodexPayload): void {
  const { calledIds, tally } = reading;
  const { call_id: callId } = payload;
  if (callId !== undefined && calledIds.has(callId)) return tally.drop('repeated tool call');
  if (callId !== undefined) calledIds.add(callId);
  write(reading, time, [toToolPart(payload, reading)]);
}

/** Early recorders put a text into `message`. */
function contentOf({ content, message }: CodexPayload): unknown {
  return content ?? message;
}
