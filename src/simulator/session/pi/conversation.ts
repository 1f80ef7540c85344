import { toEarlyFinish } from '../reading/finish.ts';
import type { RecordedCompaction, RecordedCost } from '../session.ts';
import { createPending, type PendingParts } from '../reading/pending.ts';
import { withoutRepeatedCalls } from '../reading/repeated-calls.ts';
import type { Tally } from '../reading/tally.ts';
import { addStep, type DraftMessage } from '../reading/transcript.ts';
import type { Entry } from './branch.ts';
import { withCallIds } from './call-ids.ts';
import { textOf, toContentParts, toError, toStepParts } from './parts.ts';
import { type PiMessage, type PiRecord, timeOf } from './record.ts';
import { toCost, toUsage } from './usage.ts';

/** What the entries of one branch come to. */
export interface PiConversation {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
  /** By the place of the step among the messages. */
  readonly costs: ReadonlyMap<number, RecordedCost>;
  /** It goes on from something that the file does not hold. */
  readonly isPartial: boolean;
}

interface Reading {
  readonly tally: Tally;
  readonly results: ReadonlyMap<string, PiMessage>;
  readonly calledIds: Set<string>;
  readonly drafts: DraftMessage[];
  readonly compactions: RecordedCompaction[];
  readonly costs: Map<number, RecordedCost>;
  /** How many messages came before each entry, by its place in the file and by its id. */
  readonly messageIndices: Map<number | string, number>;
  /** Shell outputs and injected texts that no message holds yet. */
  readonly pending: PendingParts;
  isPartial: boolean;
}

/** Reads the entries of one branch in order. */
export function readConversation(branch: readonly Entry[], tally: Tally): PiConversation {
  const identified = withCallIds(branch, tally);
  const drafts: DraftMessage[] = [];
  const reading: Reading = {
    tally,
    results: collectResults(identified, tally),
    calledIds: new Set(),
    drafts,
    compactions: [],
    costs: new Map(),
    messageIndices: new Map(),
    pending: createPending(drafts, tally, 'behind'),
    isPartial: false,
  };
  for (const entry of identified) readEntry(reading, entry);
  reading.pending.place(0);
  const lost = [...reading.results.keys()].filter((id) => !reading.calledIds.has(id));
  tally.drop('tool result without a call', lost.length);
  return reading;
}

/** Results by the id of their call; of several the last. */
function collectResults(branch: readonly Entry[], tally: Tally): ReadonlyMap<string, PiMessage> {
  const results = new Map<string, PiMessage>();
  for (const { record } of branch) {
    const { message } = record;
    if (record.type !== 'message' || message?.role !== 'toolResult') continue;
    const { toolCallId } = message;
    if (toolCallId === undefined) tally.drop('tool result without a call');
    else if (results.has(toolCallId)) tally.drop('repeated tool result');
    if (toolCallId !== undefined) results.set(toolCallId, message);
  }
  return results;
}

function readEntry(reading: Reading, { record, index }: Entry): void {
  const { drafts, messageIndices } = reading;
  messageIndices.set(index, drafts.length);
  if (record.id !== undefined) messageIndices.set(record.id, drafts.length);
  if (record.type === 'compaction') readCompaction(reading, record);
  else if (record.type === 'branch_summary') reading.pending.inject(record.summary ?? '');
  else if (record.type === 'custom_message') reading.pending.inject(textOf(record.content));
  else if (record.type === 'message' && record.message)
    readMessage(reading, record, record.message);
}

function readMessage(reading: Reading, record: PiRecord, message: PiMessage): void {
  const { role } = message;
  if (role === 'user') readUser(reading, record, message);
  else if (role === 'assistant') readStep(reading, record, message);
  else if (role === 'bashExecution') readShell(reading, message);
}

/** What a person ran; with `!!` they kept it to themselves. */
function readShell(
  reading: Reading,
  { command = '', output = '', excludeFromContext }: PiMessage,
): void {
  if (excludeFromContext) reading.tally.drop('shell output that was not sent');
  else reading.pending.inject(`$ ${command}\n${output}`);
}

function readUser(reading: Reading, record: PiRecord, { content }: PiMessage): void {
  const parts = [...reading.pending.take(), ...toContentParts(content, reading.tally)];
  const createdAt = timeOf(record);
  reading.drafts.push({ role: 'user', recordedId: record.id, createdAt, parts });
}

function readStep(reading: Reading, record: PiRecord, message: PiMessage): void {
  const { drafts, results, calledIds, tally } = reading;
  const createdAt = timeOf(record);
  reading.pending.place(createdAt);
  reading.isPartial ||= drafts.length === 0;
  const parts = withoutRepeatedCalls(toStepParts(message, results, tally), calledIds, tally);
  const { provider = 'unknown', model: name } = message;
  const model = name === undefined ? undefined : `${provider}/${name}`;
  const usage = toUsage(message.usage);
  const finish = toEarlyFinish(message.stopReason);
  const error = toError(message);
  addStep(
    drafts,
    { role: 'assistant', recordedId: record.id, createdAt, parts, model, finish, error, usage },
    tally,
  );
  const cost = usage && toCost(message.usage);
  if (cost !== undefined) reading.costs.set(drafts.length - 1, cost);
}

/** A compaction that nothing precedes is where the session starts, not something that happened in it. */
function readCompaction(reading: Reading, record: PiRecord): void {
  const { drafts, compactions, messageIndices } = reading;
  const { summary, tokensBefore, firstKeptEntryIndex, firstKeptEntryId } = record;
  if (drafts.length === 0) {
    reading.isPartial = true;
    return reading.pending.inject(summary ?? '');
  }
  const firstKept = messageIndices.get(firstKeptEntryId ?? firstKeptEntryIndex ?? '');
  compactions.push({
    kind: 'full',
    messageIndex: drafts.length,
    ...(tokensBefore !== undefined && { tokensBefore }),
    ...(summary !== undefined && { summary }),
    ...(firstKept !== undefined && { firstKeptMessageIndex: firstKept }),
  });
}
