import { createPending, type PendingParts } from '../reading/pending.ts';
import { toEarlyFinish } from '../reading/finish.ts';
import type { RecordedCompaction } from '../session.ts';
import { withoutRepeatedCalls } from '../reading/repeated-calls.ts';
import type { Tally } from '../reading/tally.ts';
import { addStep, type DraftMessage } from '../reading/transcript.ts';
import { collectResults, type ToolResult, toStepParts, toUserParts } from './blocks.ts';
import { withCallIds } from './call-ids.ts';
import { toCompaction } from './boundaries.ts';
import { attachmentText } from './injected.ts';
import { blocksOf, type ClaudeRecord, isConversation, LOST_PROMPT, timeOf } from './record.ts';
import { toUsage } from './usage.ts';

/** What the records of one conversation come to. */
export interface ClaudeConversation {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
}

interface Reading {
  readonly tally: Tally;
  readonly results: ReadonlyMap<string, ToolResult>;
  readonly calledIds: Set<string>;
  readonly drafts: DraftMessage[];
  readonly steps: Map<string, DraftMessage>;
  readonly compactions: RecordedCompaction[];
  /** The message that holds what a record said, by the uuid of the record. */
  readonly places: Map<string, number>;
  /** Echoes, reminders and attachments that no message holds yet. */
  readonly pending: PendingParts;
}

const NOTICE_MODEL = '<synthetic>';

/** Reads the records of one conversation in the order in which they were written. */
export function readConversation(
  records: readonly ClaudeRecord[],
  tally: Tally,
): ClaudeConversation {
  const drafts: DraftMessage[] = [];
  const identified = withCallIds(records, tally);
  const reading: Reading = {
    tally,
    results: collectResults(identified, tally),
    calledIds: new Set(),
    drafts,
    steps: new Map(),
    compactions: [],
    places: new Map(),
    pending: createPending(drafts, tally),
  };
  for (const record of identified) {
    readRecord(reading, record);
    notePlace(reading, record);
  }
  reading.pending.place(0);
  const unclaimed = [...reading.results.keys()].filter((id) => !reading.calledIds.has(id));
  tally.drop('tool result without a call', unclaimed.length);
  return reading;
}

/** Whether a model wrote the record, and not the program in its place. */
export function isStep(record: ClaudeRecord): boolean {
  if (record.type !== 'assistant' || !isConversation(record)) return false;
  return record.message?.model !== NOTICE_MODEL && !record.isApiErrorMessage;
}

function readRecord(reading: Reading, record: ClaudeRecord): void {
  if (record.type === 'attachment') reading.pending.inject(attachmentText(record.attachment));
  else if (record.type === LOST_PROMPT.type) readLostPrompt(reading, record);
  else if (record.type === 'system') readBoundary(reading, record);
  else if (!isConversation(record)) return;
  else if (record.type === 'assistant') readStep(reading, record);
  else if (record.isCompactSummary) readSummary(reading, record);
  else readUser(reading, record);
}

/** A summary is in no message. */
function notePlace({ drafts, places }: Reading, { uuid, isCompactSummary }: ClaudeRecord): void {
  const index = drafts.length - 1;
  if (uuid !== undefined && index >= 0 && !isCompactSummary) places.set(uuid, index);
}

/** A boundary that nothing precedes is where the session starts, not something that happened in it. */
function readBoundary({ drafts, compactions, places }: Reading, record: ClaudeRecord): void {
  const compaction = toCompaction(record, drafts.length);
  if (compaction === undefined || drafts.length === 0) return;
  compactions.push({ ...compaction, ...firstKeptIn(record, places, drafts.length) });
}

/** What stayed is a tail only if it reaches up to the boundary; what stayed in front of a summary is no tail. */
function firstKeptIn(
  { compactMetadata }: ClaudeRecord,
  places: ReadonlyMap<string, number>,
  messageIndex: number,
): Pick<RecordedCompaction, 'firstKeptMessageIndex'> {
  const { firstUuid = '', lastUuid = '' } = compactMetadata?.kept ?? {};
  const first = places.get(firstUuid);
  const isTail = places.get(lastUuid) === messageIndex - 1;
  return first === undefined || !isTail ? {} : { firstKeptMessageIndex: first };
}

function readSummary(reading: Reading, record: ClaudeRecord): void {
  const { drafts, compactions, pending } = reading;
  const summary = blocksOf(record)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
  if (drafts.length === 0) return pending.inject(summary);
  const last = compactions.at(-1);
  const isOpen = last?.kind === 'full' && last.summary === undefined;
  if (isOpen) compactions.pop();
  const compaction = isOpen ? last : { kind: 'full' as const, messageIndex: drafts.length };
  compactions.push({ ...compaction, summary });
}

function readUser(reading: Reading, record: ClaudeRecord): void {
  const { parts, isPrompt } = toUserParts(record, reading.tally);
  for (const part of parts) reading.pending.add(part);
  if (!isPrompt) return;
  reading.drafts.push({
    role: 'user',
    recordedId: record.uuid,
    createdAt: timeOf(record),
    parts: reading.pending.take(),
  });
}

/** A turn whose prompt the recorder left out still is one. */
function readLostPrompt({ drafts, pending, tally }: Reading, record: ClaudeRecord): void {
  tally.repair('prompt that was not recorded');
  drafts.push({ role: 'user', createdAt: timeOf(record), parts: pending.take() });
}

/** Records with one message id are one step, wherever they stand; the last count of tokens holds. */
function readStep(reading: Reading, record: ClaudeRecord): void {
  if (!isStep(record)) return reading.tally.drop('local notice');
  const step = stepOf(reading, record);
  const { results, calledIds, tally } = reading;
  const parts = withoutRepeatedCalls(toStepParts(record, results, tally), calledIds, tally);
  for (const part of parts) step.parts.push(part);
  step.usage = toUsage(record.message?.usage) ?? step.usage;
  step.finish = toEarlyFinish(record.message?.stopReason) ?? step.finish;
}

function modelNameOf({ message }: ClaudeRecord): string | undefined {
  return message?.model === undefined ? undefined : `anthropic/${message.model}`;
}

function stepOf(reading: Reading, record: ClaudeRecord): DraftMessage {
  const { drafts, pending, steps, tally } = reading;
  const recordedId = record.message?.id ?? record.uuid;
  const known = recordedId === undefined ? undefined : steps.get(recordedId);
  if (known !== undefined) return known;
  const createdAt = timeOf(record);
  pending.place(createdAt);
  const model = modelNameOf(record);
  const step: DraftMessage = { role: 'assistant', recordedId, createdAt, parts: [], model };
  addStep(drafts, step, tally);
  if (recordedId !== undefined) steps.set(recordedId, step);
  return step;
}
