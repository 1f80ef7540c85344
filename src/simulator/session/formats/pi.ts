import { z } from 'zod';
import type { FilePart, MessageError, ToolState } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { NANO_USD_PER_USD } from '../../lib/units.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { type CallIds, createCallIds, withoutRepeatedCalls } from '../reading/dialogue.ts';
import {
  flag,
  list,
  maybeId,
  maybeMoment,
  maybeNumber,
  maybeObject,
  maybeText,
  maybeTokens,
  toLocalTime,
  toText,
} from '../reading/lenient.ts';
import { createRecording, type Recording } from '../reading/recording.ts';
import { countLineFaults, dropUnknown, type Tally } from '../reading/tally.ts';
import {
  type DraftPart,
  noConversation,
  type RecordedUsage,
  toEarlyFinish,
} from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';
import type { RecordedCost, Session } from '../session.ts';
import { activeBranch, type BranchEntry } from './pi-branch.ts';

type Entry = BranchEntry<PiRecord>;

interface Reading {
  readonly recording: Recording;
  readonly results: ReadonlyMap<string, PiMessage>;
  readonly calledIds: Set<string>;
  /** By message index. */
  readonly costs: Map<number, RecordedCost>;
  /** Messages before each entry, by its index and by its id. */
  readonly messageIndices: Map<number | string, number>;
  /** It continues something that the file does not hold. */
  isPartial: boolean;
}

type PiMessage = NonNullable<PiRecord['message']>;

/** The provider's usage of a step, with its cost in dollars. */
type PiUsage = PiMessage['usage'];

type PiRecord = z.infer<typeof recordSchema>;

type PiBlock = z.infer<typeof blockSchema>;

const usageSchema = maybeObject({
  input: maybeTokens,
  output: maybeTokens,
  cacheRead: maybeTokens,
  cacheWrite: maybeTokens,
  cost: maybeObject({
    input: maybeNumber,
    output: maybeNumber,
    cacheRead: maybeNumber,
    cacheWrite: maybeNumber,
  }),
});

const messageSchema = maybeObject({
  role: maybeText,
  content: z.unknown().optional(),
  /** Named pieces of a system prompt. */
  sections: z.unknown().optional(),
  timestamp: maybeMoment,
  provider: maybeText,
  model: maybeText,
  usage: usageSchema,
  stopReason: maybeText,
  errorMessage: maybeText,
  toolCallId: maybeId,
  isError: flag,
  command: maybeText,
  output: maybeText,
  excludeFromContext: flag,
});

const recordSchema = z.object({
  type: maybeText,
  id: maybeId,
  /** `null` at a root; absent in the first version, whose entries form a line. */
  parentId: z.string().nullish().catch(undefined),
  timestamp: maybeText,
  cwd: maybeText,
  provider: maybeText,
  modelId: maybeText,
  message: messageSchema,
  content: z.unknown().optional(),
  summary: maybeText,
  tokensBefore: maybeTokens,
  firstKeptEntryIndex: maybeNumber,
  firstKeptEntryId: maybeId,
});

const ROLES = new Set<string | undefined>(['user', 'assistant', 'toolResult', 'bashExecution']);

/** Types without conversation, or read elsewhere. */
const KNOWN_TYPES = new Set<string | undefined>([
  'branch_summary',
  'compaction',
  'custom',
  'custom_message',
  'label',
  'model_change',
  'session',
  'session_info',
  'thinking_level_change',
]);

/** Stands in for a line that is no record. */
const NO_RECORD: PiRecord = recordSchema.parse({});

const blockSchema = z.object({
  type: maybeText,
  id: maybeId,
  name: maybeText,
  text: maybeText,
  thinking: maybeText,
  arguments: z.unknown().optional(),
  data: maybeText,
  mimeType: maybeText,
});

/** Sessions of pi and of agents built on it: a list or a tree of entries. */
export const pi: SessionFormat = {
  label: 'pi session (JSON lines)',
  certainty: 'mark',
  detect: (file) => {
    const records = file.lines().records.flatMap((line) => parseRecord(line) ?? []);
    return records.some(isHeader) && records.some(isMessage);
  },
  read: (file) => [readSession(file)],
  keeps: {
    errors: 'AbortedError APIError',
    reasons: 'sent shell',
  },
};

/** The usage of a step; unknown as in `countKinds`, as for a step interrupted at its start. */
export function toUsage(recorded: PiUsage): RecordedUsage | undefined {
  return countKinds({
    input: recorded?.input,
    output: recorded?.output,
    cacheRead: recorded?.cacheRead,
    cacheWrite: recorded?.cacheWrite,
  });
}

function parseRecord(line: unknown): PiRecord | undefined {
  return recordSchema.safeParse(line).data;
}

function isHeader({ type, id, cwd }: PiRecord): boolean {
  return type === 'session' && id !== undefined && cwd !== undefined;
}

function isMessage({ type, message }: PiRecord): boolean {
  return type === 'message' && ROLES.has(message?.role);
}

function readSession(file: SourceFile): Session {
  const recording = createRecording();
  const { tally } = recording;
  const records = readRecords(file, tally);
  const branch = activeBranch(records);
  tally.drop('message of another branch', messagesBeside(records, branch));
  const entries = withCallIds(branch, tally);
  const reading: Reading = {
    recording,
    results: collectResults(entries, tally),
    calledIds: new Set(),
    costs: new Map(),
    messageIndices: new Map(),
    isPartial: false,
  };
  for (const entry of entries) readEntry(reading, entry);
  const lost = [...reading.results.keys()].filter((id) => !reading.calledIds.has(id));
  tally.drop('tool result without a call', lost.length);
  const session = recording.finish('pi', {
    sessionId: records.find(isHeader)?.id,
    isPartial: reading.isPartial || recording.beginsWithStep(),
    system: systemOf(records) || undefined,
    model: openedWith(records),
    isOutputFinal: true,
  });
  const { messages } = session;
  if (messages.length === 0) throw noConversation(file.name, 'a pi session without messages');
  const recordedCosts = new Map(
    [...reading.costs].map(([index, cost]) => [messages[index]?.id ?? '', cost] as const),
  );
  const costs = recordedCosts.size > 0 ? { recordedCosts } : {};
  return { name: file.name, ...session, ...costs };
}

/** Parses the lines. Other lines keep their place, because entries are also known by index. */
function readRecords(file: SourceFile, tally: Tally): readonly PiRecord[] {
  const lines = file.lines();
  const parsed = lines.records.map(parseRecord);
  const records = parsed.flatMap((record) => record ?? []);
  countLineFaults(lines, tally);
  tally.drop('line that is no object', parsed.length - records.length);
  dropUnknown(
    tally,
    records.filter(isUnknown).map(({ type }) => type),
  );
  return parsed.map((record) => record ?? NO_RECORD);
}

function isUnknown(record: PiRecord): boolean {
  return !isMessage(record) && !isSystem(record) && !KNOWN_TYPES.has(record.type);
}

function isSystem({ type, message }: PiRecord): boolean {
  return type === 'message' && message?.role === 'system';
}

/** Counts messages outside of the branch. */
function messagesBeside(records: readonly PiRecord[], branch: readonly Entry[]): number {
  const onBranch = branch.filter(({ record }) => isMessage(record)).length;
  return records.filter(isMessage).length - onBranch;
}

/** Makes call ids unique, except for repeated records of one call. */
function withCallIds(branch: readonly Entry[], tally: Tally): readonly Entry[] {
  const ids = createCallIds(tally);
  return branch.map(({ record, index }) => {
    const { message } = record;
    const isSaid = record.type === 'message' && message !== undefined;
    return { record: isSaid ? { ...record, message: withIds(message, ids) } : record, index };
  });
}

function withIds(message: PiMessage, ids: CallIds): PiMessage {
  const { role, toolCallId, content } = message;
  if (role === 'toolResult' && toolCallId !== undefined) {
    return { ...message, toolCallId: ids.ofResult(toolCallId) };
  }
  if (role !== 'assistant') return message;
  return { ...message, content: blocksOf(content).map((block) => withId(block, ids)) };
}

function blocksOf(content: unknown): readonly PiBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }].flatMap(parseBlock);
  return list.parse(content).flatMap(parseBlock);
}

function parseBlock(value: unknown): readonly PiBlock[] {
  const block = blockSchema.safeParse(value).data;
  return block === undefined ? [] : [block];
}

function withId(block: PiBlock, ids: CallIds): PiBlock {
  const { type, id, name, arguments: input } = block;
  if (type !== 'toolCall' || id === undefined) return block;
  return { ...block, id: ids.ofCall(id, { name, input }) };
}

/** Results by call id; the last of several holds. */
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
  const { recording, messageIndices } = reading;
  const { type, id, message, summary = '', content } = record;
  messageIndices.set(index, recording.drafts.length);
  if (id !== undefined) messageIndices.set(id, recording.drafts.length);
  if (type === 'compaction') readCompaction(reading, record);
  else if (type === 'branch_summary') recording.inject(summary);
  else if (type === 'custom_message') recording.inject(textOf(content));
  else if (type === 'message' && message) readMessage(reading, record, message);
}

/** Reads a compaction; one before all messages is only the start of the session. */
function readCompaction(reading: Reading, record: PiRecord): void {
  const { recording, messageIndices } = reading;
  const { summary, tokensBefore, firstKeptEntryIndex, firstKeptEntryId } = record;
  if (recording.drafts.length === 0) {
    reading.isPartial = true;
    return recording.inject(summary ?? '');
  }
  const firstKeptMessageIndex = messageIndices.get(firstKeptEntryId ?? firstKeptEntryIndex ?? '');
  recording.addCompaction({ summary, tokensBefore, firstKeptMessageIndex });
}

function textOf(content: unknown): string {
  return blocksOf(content)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

function readMessage(reading: Reading, record: PiRecord, message: PiMessage): void {
  const { recording } = reading;
  const { role, content, command = '', output = '', excludeFromContext } = message;
  if (role === 'assistant') readStep(reading, record, message);
  else if (role === 'user') {
    const parts = toContentParts(content, recording.tally);
    recording.addPrompt({ recordedId: record.id, createdAt: timeOf(record), parts });
  } else if (role === 'bashExecution') {
    // A command that a person ran; with `!!` its output was not sent to the model.
    if (excludeFromContext) recording.tally.drop('shell output that was not sent');
    else recording.inject(`$ ${command}\n${output}`);
  }
}

function toContentParts(content: unknown, tally: Tally): DraftPart[] {
  return blocksOf(content).flatMap((block) => toContentPart(block, tally));
}

function toContentPart(block: PiBlock, tally: Tally): readonly DraftPart[] {
  const { type, text = '', thinking = '' } = block;
  if (type === 'text') return text === '' ? [] : [{ type: 'text', text }];
  if (type === 'thinking') return thinking === '' ? [] : [{ type: 'reasoning', text: thinking }];
  if (type === 'image') return [toFile(block)];
  tally.drop('unknown content block');
  return [];
}

function toFile({ data = '', mimeType: mime = 'image/png' }: PiBlock): Omit<FilePart, 'id'> {
  return { type: 'file', mime, url: `data:${mime};base64,${data}` };
}

/** The time of a message in ms; 0 if unknown. */
function timeOf({ message, timestamp }: PiRecord): number {
  return message?.timestamp ?? toLocalTime(timestamp);
}

function readStep(reading: Reading, record: PiRecord, message: PiMessage): void {
  const { recording, results, calledIds, costs } = reading;
  const { tally } = recording;
  const { provider = 'unknown', model } = message;
  const usage = toUsage(message.usage);
  recording.addStep({
    recordedId: record.id,
    createdAt: timeOf(record),
    parts: withoutRepeatedCalls(toStepParts(message, results, tally), calledIds, tally),
    model: model === undefined ? undefined : `${provider}/${model}`,
    finish: toEarlyFinish(message.stopReason),
    error: toError(message),
    usage,
  });
  const cost = usage && toCost(message.usage);
  if (cost !== undefined) costs.set(recording.drafts.length - 1, cost);
}

/** Parts of a step; a call stands together with its result. */
function toStepParts(
  { content }: PiMessage,
  results: ReadonlyMap<string, PiMessage>,
  tally: Tally,
): readonly DraftPart[] {
  return blocksOf(content).flatMap((block) =>
    block.type === 'toolCall' ? [toToolPart(block, results, tally)] : toContentPart(block, tally),
  );
}

function toToolPart(
  block: PiBlock,
  results: ReadonlyMap<string, PiMessage>,
  tally: Tally,
): DraftPart {
  const { id: callId, name: tool = 'unknown', arguments: input = {} } = block;
  const result = callId === undefined ? undefined : results.get(callId);
  return { type: 'tool', callId, tool, state: toState(input, result, tally) };
}

function toState(input: unknown, result: PiMessage | undefined, tally: Tally): ToolState {
  if (result === undefined) return { status: 'running', input };
  const output = textOf(result.content);
  if (result.isError) return { status: 'error', input, error: output };
  const blocks = blocksOf(result.content).filter(({ text }) => text === undefined);
  const files = blocks.filter(({ type }) => type === 'image');
  tally.drop('unknown content block', blocks.length - files.length);
  const attachments = files.map((file) => ({ ...toFile(file), id: '' }));
  return { status: 'completed', input, output, ...(attachments.length > 0 && { attachments }) };
}

/** The error of a step without an answer. Partial text of an interrupted step is not sent again. */
function toError({ stopReason, errorMessage }: PiMessage): MessageError | undefined {
  if (stopReason === 'aborted') return { name: 'AbortedError', message: errorMessage ?? '' };
  if (stopReason === 'error') return { name: 'APIError', message: errorMessage ?? '' };
  return undefined;
}

/** The cost of a step; absent where it is unknown, zero (as for models without a price), or beyond any real request. */
function toCost(recorded: PiUsage): RecordedCost | undefined {
  const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = recorded?.cost ?? {};
  const cost = {
    inputNanoUsd: toNanoUsd(input + cacheRead + cacheWrite),
    outputNanoUsd: toNanoUsd(output),
  };
  const nanoUsd = cost.inputNanoUsd + cost.outputNanoUsd;
  return nanoUsd > 0 && Number.isSafeInteger(nanoUsd) ? cost : undefined;
}

function toNanoUsd(usd: number): number {
  return Math.round(Math.max(0, usd) * NANO_USD_PER_USD);
}

/** The newest system prompt; empty where none is recorded. */
function systemOf(records: readonly PiRecord[]): string {
  const { content, sections } = records.findLast(isSystem)?.message ?? {};
  const pieces = isObject(sections) ? Object.values(sections) : [];
  const texts = [textOf(content), ...pieces.flatMap((piece) => toText(piece) ?? [])];
  return texts.filter((text) => text !== '').join('\n\n');
}

/** The model at the start of the session, where no step names one. */
function openedWith(records: readonly PiRecord[]): string | undefined {
  const opened = records.find(({ modelId }) => modelId !== undefined);
  return opened && `${opened.provider ?? 'unknown'}/${opened.modelId}`;
}
