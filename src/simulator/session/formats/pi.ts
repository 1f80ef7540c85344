import { z } from 'zod';
import type { FilePart, MessageError, ToolState } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { NANO_USD_PER_USD } from '../../lib/units.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import {
  type CallIds,
  createCallIds,
  createPending,
  type PendingParts,
  withoutRepeatedCalls,
} from '../reading/dialogue.ts';
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
import { countLineFaults, createTally, dropUnknown, type Tally } from '../reading/tally.ts';
import {
  addStep,
  type DraftMessage,
  type DraftPart,
  finishSession,
  noConversation,
  type RecordedUsage,
  toEarlyFinish,
} from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';
import type { RecordedCompaction, RecordedCost, Session } from '../session.ts';
import { activeBranch, type BranchEntry } from './pi-branch.ts';

type Entry = BranchEntry<PiRecord>;

interface PiConversation {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
  /** By message index. */
  readonly costs: ReadonlyMap<number, RecordedCost>;
  /** It continues something that the file does not hold. */
  readonly isPartial: boolean;
}

interface Reading {
  readonly tally: Tally;
  readonly results: ReadonlyMap<string, PiMessage>;
  readonly calledIds: Set<string>;
  readonly drafts: DraftMessage[];
  readonly compactions: RecordedCompaction[];
  readonly costs: Map<number, RecordedCost>;
  /** Messages before each entry, by its index and by its id. */
  readonly messageIndices: Map<number | string, number>;
  /** Shell outputs and injected texts without a message yet. */
  readonly pending: PendingParts;
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
  const tally = createTally();
  const records = readRecords(file, tally);
  const branch = activeBranch(records);
  tally.drop('message of another branch', messagesBeside(records, branch));
  const conversation = readConversation(branch, tally);
  if (conversation.drafts.length === 0)
    throw noConversation(file.name, 'a pi session without messages');
  return { name: file.name, ...toSession(records, conversation, tally) };
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

function readConversation(branch: readonly Entry[], tally: Tally): PiConversation {
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
  const { drafts, messageIndices } = reading;
  messageIndices.set(index, drafts.length);
  if (record.id !== undefined) messageIndices.set(record.id, drafts.length);
  if (record.type === 'compaction') readCompaction(reading, record);
  else if (record.type === 'branch_summary') reading.pending.inject(record.summary ?? '');
  else if (record.type === 'custom_message') reading.pending.inject(textOf(record.content));
  else if (record.type === 'message' && record.message)
    readMessage(reading, record, record.message);
}

/** Reads a compaction; one before all messages is only the start of the session. */
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

function textOf(content: unknown): string {
  return blocksOf(content)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

function readMessage(reading: Reading, record: PiRecord, message: PiMessage): void {
  const { role } = message;
  if (role === 'user') readUser(reading, record, message);
  else if (role === 'assistant') readStep(reading, record, message);
  else if (role === 'bashExecution') readShell(reading, message);
}

function readUser(reading: Reading, record: PiRecord, { content }: PiMessage): void {
  const parts = [...reading.pending.take(), ...toContentParts(content, reading.tally)];
  const createdAt = timeOf(record);
  reading.drafts.push({ role: 'user', recordedId: record.id, createdAt, parts });
}

function toContentParts(content: unknown, tally: Tally): readonly DraftPart[] {
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

/** Reads a command that a person ran; with `!!` its output was not sent to the model. */
function readShell(
  reading: Reading,
  { command = '', output = '', excludeFromContext }: PiMessage,
): void {
  if (excludeFromContext) reading.tally.drop('shell output that was not sent');
  else reading.pending.inject(`$ ${command}\n${output}`);
}

function toSession(
  records: readonly PiRecord[],
  { drafts, compactions, costs, isPartial }: PiConversation,
  tally: Tally,
): Omit<Session, 'name'> {
  const finished = finishSession(drafts, tally, openedWith(records));
  const sessionId = records.find(isHeader)?.id;
  const system = systemOf(records);
  const recordedCosts = new Map(
    finished.messages.flatMap(({ id }, index) => {
      const cost = costs.get(index);
      return cost === undefined ? [] : [[id, cost] as const];
    }),
  );
  return {
    format: 'pi',
    ...(sessionId !== undefined && { sessionId }),
    isSide: false,
    isPartial,
    ...(system !== '' && { system }),
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...(recordedCosts.size > 0 && { recordedCosts }),
    ...finished,
  };
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
