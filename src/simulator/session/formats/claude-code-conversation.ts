import type { FilePart, ToolState } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { asInjected } from '../reading/content.ts';
import { type CallIds, createCallIds, withoutRepeatedCalls } from '../reading/dialogue.ts';
import { beginsWithAny, toText } from '../reading/lenient.ts';
import type { Recording } from '../reading/recording.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  known,
  type RecordedUsage,
  toEarlyFinish,
} from '../reading/transcript.ts';
import { countKinds } from '../reading/usage.ts';
import type { RecordedCompaction } from '../session.ts';
import {
  blocksOf,
  type ClaudeBlock,
  type ClaudeRecord,
  commandIn,
  isBoundary,
  isConversation,
  LOST_PROMPT,
  parseBlocks,
  timeOf,
} from './claude-code-records.ts';

interface Reading {
  readonly recording: Recording;
  readonly results: ReadonlyMap<string, ToolResult>;
  readonly calledIds: Set<string>;
  readonly steps: Map<string, DraftMessage>;
  /** Message indices by the uuid of a record. */
  readonly places: Map<string, number>;
}

/** A tool result. */
interface ToolResult {
  readonly output: string;
  readonly isError: boolean;
  readonly attachments: readonly FilePart[];
}

const NOTICE_MODEL = '<synthetic>';

/** The block with which an answer begins before which Anthropic's API compacted. */
const SERVER_COMPACTION = 'compaction';

/** Commands after which the agent's process is another one. */
const RESTARTS: ReadonlySet<string | undefined> = new Set(['exit', 'quit', 'resume', 'continue']);

/** Beginnings of texts that a program put in the user's place. */
const INJECTED_STARTS = [
  '<bash-input>',
  '<bash-stderr>',
  '<bash-stdout>',
  '<command-args>',
  '<command-contents>',
  '<command-message>',
  '<command-name>',
  '<ide_diagnostics>',
  '<ide_opened_file>',
  '<ide_selection>',
  '<local-command-caveat>',
  '<local-command-stderr>',
  '<local-command-stdout>',
  '<system-reminder>',
  '<task-notification>',
  '[Request interrupted by user',
];

/** Keys of attachments that hold texts for the model. */
const TEXT_KEYS = [
  'addedBlocks',
  'addedLines',
  'banner',
  'blockingError',
  'content',
  'deltaSummary',
  'description',
  'file',
  'prompt',
  'skills',
  'snippet',
  'subject',
  'text',
];

const MAX_DEPTH = 6;

/** Reads the records of one conversation in their written order. Gives the numbers of messages before which the agent was started anew. */
export function readConversation(
  recording: Recording,
  records: readonly ClaudeRecord[],
): readonly number[] {
  const { drafts, tally } = recording;
  const identified = withCallIds(records, tally);
  const reading: Reading = {
    recording,
    results: collectResults(identified, tally),
    calledIds: new Set(),
    steps: new Map(),
    places: new Map(),
  };
  const restarts: number[] = [];
  let before: ClaudeRecord | undefined;
  for (const record of identified) {
    if (drafts.length > 0 && isRestart(before, record)) restarts.push(drafts.length);
    before = isConversation(record) ? record : before;
    readRecord(reading, record);
    // A summary has no message.
    if (record.uuid !== undefined && drafts.length > 0 && !record.isCompactSummary) {
      reading.places.set(record.uuid, drafts.length - 1);
    }
  }
  recording.end();
  const unclaimed = [...reading.results.keys()].filter((id) => !reading.calledIds.has(id));
  tally.drop('tool result without a call', unclaimed.length);
  return restarts;
}

/** Recognizes records that a model wrote, and not the program in its place. */
export function isStep(record: ClaudeRecord): boolean {
  if (record.type !== 'assistant' || !isConversation(record)) return false;
  return record.message?.model !== NOTICE_MODEL && !record.isApiErrorMessage;
}

/** The usage of a step; unknown as in `countKinds`. */
export function toUsage(
  recorded: NonNullable<ClaudeRecord['message']>['usage'],
): RecordedUsage | undefined {
  return countKinds({
    input: recorded?.input_tokens,
    output: recorded?.output_tokens,
    cacheRead: recorded?.cache_read_input_tokens,
    cacheWrite: recorded?.cache_creation_input_tokens,
  });
}

/** Recognizes tool results, also those of tools that ran at the provider. */
export function isToolResult({ type }: ClaudeBlock): boolean {
  return type?.endsWith('tool_result') === true;
}

/** Recognizes tool calls, also those of tools that run at the provider. */
export function isToolCall({ type }: ClaudeBlock): boolean {
  return type?.endsWith('tool_use') === true;
}

/** Recognizes records that open a turn: written by a person, not by a program in their place. */
export function opensTurn(record: ClaudeRecord): boolean {
  if (record.type !== 'user' || record.isCompactSummary) return false;
  return toUserParts(record, createTally()).isPrompt;
}

/** Makes call ids unique, except for repeated records of one call. */
function withCallIds(records: readonly ClaudeRecord[], tally: Tally): readonly ClaudeRecord[] {
  const ids = createCallIds(tally);
  return records.map((record) => {
    const { message } = record;
    const blocks = blocksOf(record).map((block) => withId(block, ids));
    const isChanged = blocks.some((block, index) => block !== blocksOf(record)[index]);
    return message !== undefined && isChanged
      ? { ...record, message: { ...message, blocks } }
      : record;
  });
}

function withId(block: ClaudeBlock, ids: CallIds): ClaudeBlock {
  const { id, tool_use_id: callId } = block;
  if (id !== undefined && isToolCall(block)) {
    const own = ids.ofCall(id, block);
    return own === id ? block : { ...block, id: own };
  }
  if (callId === undefined || !isToolResult(block)) return block;
  const own = ids.ofResult(callId);
  return own === callId ? block : { ...block, tool_use_id: own };
}

/** Results by call id; the first of several holds. */
function collectResults(
  records: readonly ClaudeRecord[],
  tally: Tally,
): ReadonlyMap<string, ToolResult> {
  const results = new Map<string, ToolResult>();
  for (const block of records.flatMap(blocksOf).filter(isToolResult)) {
    const callId = block.tool_use_id;
    if (callId === undefined) tally.drop('tool result without a call');
    else if (results.has(callId)) tally.drop('repeated tool result');
    else results.set(callId, toResult(block, tally));
  }
  return results;
}

function toResult({ content, is_error: isError }: ClaudeBlock, tally: Tally): ToolResult {
  if (typeof content === 'string') return { output: content, isError, attachments: [] };
  const told = parseBlocks(Array.isArray(content) ? content : [content]);
  const blocks = told.flatMap(foundToolsIn);
  const texts = blocks.flatMap(({ text, tool_name: found }) => text ?? found ?? []);
  const files = blocks.flatMap((block) => toFile(block) ?? []);
  const attachments = files.map((file) => ({ ...file, id: '' }));
  tally.drop('unknown content block', blocks.length - texts.length - attachments.length);
  return { output: texts.join('\n'), isError, attachments };
}

/** The references in the result of a search for tools; any other block is itself. Definitions of tools are not recorded. */
function foundToolsIn(block: ClaudeBlock): readonly ClaudeBlock[] {
  return block.tool_references.length > 0 ? parseBlocks(block.tool_references) : [block];
}

function toFile({ type, source }: ClaudeBlock): Omit<FilePart, 'id'> | undefined {
  if ((type !== 'image' && type !== 'document') || source === undefined) return undefined;
  const mime = source.media_type ?? (type === 'image' ? 'image/png' : 'application/pdf');
  if (source.url !== undefined) return { type: 'file', mime, url: source.url };
  const encoding = source.type === 'text' ? ',' : ';base64,';
  return { type: 'file', mime, url: `data:${mime}${encoding}${source.data ?? ''}` };
}

function readRecord(reading: Reading, record: ClaudeRecord): void {
  const { recording } = reading;
  if (record.type === 'attachment') recording.inject(attachmentText(record.attachment));
  else if (record.type === LOST_PROMPT.type) {
    recording.tally.repair('prompt that was not recorded');
    recording.addPrompt({ createdAt: timeOf(record), parts: [] });
  } else if (record.type === 'system') readBoundary(reading, record);
  else if (!isConversation(record)) return;
  else if (record.type === 'assistant') readStep(reading, record);
  else if (record.isCompactSummary) readSummary(recording, record);
  else {
    const { parts, isPrompt } = toUserParts(record, recording.tally);
    const createdAt = timeOf(record);
    if (isPrompt) recording.addPrompt({ recordedId: record.uuid, createdAt, parts });
    else for (const part of parts) recording.inject(part);
  }
}

/** Reads a compaction, also one that the recording begins with. */
function readBoundary({ recording, places }: Reading, record: ClaudeRecord): void {
  const { length: messageIndex } = recording.drafts;
  const isMicro = record.subtype === 'microcompact_boundary';
  if (isMicro && messageIndex > 0) {
    recording.addCompaction({ ...toMicro(record), ...firstKeptIn(record, places, messageIndex) });
  } else if (isBoundary(record)) {
    const { trigger, preTokens: tokensBefore, postTokens } = record.compactMetadata ?? {};
    const told = { ...toTrigger(trigger), ...known({ tokensBefore, tokensAfter: postTokens }) };
    const kept = firstKeptIn(record, places, messageIndex);
    recording.compactions.push({ kind: 'full', messageIndex, ...told, ...kept });
  }
}

function toTrigger(trigger: string | undefined): Pick<RecordedCompaction, 'trigger'> {
  return trigger === 'auto' || trigger === 'manual' ? { trigger } : {};
}

function toMicro({ microcompactMetadata }: ClaudeRecord) {
  const { trigger, preTokens, tokensSaved, compactedToolIds = [] } = microcompactMetadata ?? {};
  const hasBoth = preTokens !== undefined && tokensSaved !== undefined;
  return {
    kind: 'micro' as const,
    ...toTrigger(trigger),
    tokensBefore: preTokens,
    tokensAfter: hasBoth ? preTokens - tokensSaved : undefined,
    clearedCallIds: compactedToolIds.filter((id) => typeof id === 'string'),
  };
}

/** The first kept message of a compaction. Kept records count as a tail only where they reach up to the boundary. */
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

/** Reads a record of a step. Records with one message id are one step; the last usage holds. */
function readStep(reading: Reading, record: ClaudeRecord): void {
  const { results, calledIds, recording } = reading;
  const { tally, drafts } = recording;
  if (!isStep(record)) return tally.drop('local notice');
  const step = stepOf(reading, record);
  // The provider may have compacted before it answered; the answer then begins with the summary.
  const compacted = blocksOf(record).find(({ type }) => type === SERVER_COMPACTION);
  if (compacted !== undefined) {
    const summary = toText(compacted.content);
    const messageIndex = drafts.indexOf(step);
    const compaction = { kind: 'full', trigger: 'auto', messageIndex } as const;
    recording.compactions.push({ ...compaction, ...known({ summary }) });
  }
  const parts = withoutRepeatedCalls(toStepParts(record, results, tally), calledIds, tally);
  for (const part of parts) step.parts.push(part);
  step.usage = toUsage(record.message?.usage) ?? step.usage;
  step.finish = toEarlyFinish(record.message?.stopReason) ?? step.finish;
}

function stepOf({ recording, steps }: Reading, record: ClaudeRecord): DraftMessage {
  const { id, model } = record.message ?? {};
  const recordedId = id ?? record.uuid;
  const begun = recordedId === undefined ? undefined : steps.get(recordedId);
  if (begun !== undefined) return begun;
  const step = recording.addStep({
    recordedId,
    createdAt: timeOf(record),
    parts: [],
    model: model === undefined ? undefined : `anthropic/${model}`,
  });
  if (recordedId !== undefined) steps.set(recordedId, step);
  return step;
}

/** Parts of a step; a call stands together with its result. */
function toStepParts(
  record: ClaudeRecord,
  results: ReadonlyMap<string, ToolResult>,
  tally: Tally,
): readonly DraftPart[] {
  return blocksOf(record).flatMap((block) => {
    if (isToolResult(block)) return [];
    if (isToolCall(block)) return [toToolPart(block, results)];
    return toContentPart(block, tally);
  });
}

function toToolPart(block: ClaudeBlock, results: ReadonlyMap<string, ToolResult>): DraftPart {
  const { id: callId, name = 'unknown', input = {} } = block;
  return { type: 'tool', callId, tool: name, state: toState(input, results.get(callId ?? '')) };
}

function toState(input: unknown, result: ToolResult | undefined): ToolState {
  if (result === undefined) return { status: 'running', input };
  if (result.isError) return { status: 'error', input, error: result.output };
  const { output, attachments } = result;
  return { status: 'completed', input, output, ...(attachments.length > 0 && { attachments }) };
}

function toContentPart(block: ClaudeBlock, tally: Tally): readonly DraftPart[] {
  const { type, text = '', thinking = '' } = block;
  if (type === 'text') return text === '' ? [] : [{ type: 'text', text }];
  if (type === 'thinking') return thinking === '' ? [] : [{ type: 'reasoning', text: thinking }];
  if (type === 'redacted_thinking' || type === SERVER_COMPACTION) return [];
  const file = toFile(block);
  if (file === undefined) tally.drop('unknown content block');
  return file === undefined ? [] : [file];
}

function readSummary(recording: Recording, record: ClaudeRecord): void {
  const { drafts, compactions } = recording;
  const summary = blocksOf(record)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
  if (drafts.length === 0) return recording.inject(summary);
  const last = compactions.at(-1);
  const isOpen = last?.kind === 'full' && last.summary === undefined && last.messageIndex > 0;
  if (isOpen) compactions.pop();
  const compaction = isOpen ? last : { kind: 'full' as const, messageIndex: drafts.length };
  compactions.push({ ...compaction, summary });
}

/** Parts of a user record, with a mark where one of them is a prompt. */
function toUserParts(record: ClaudeRecord, tally: Tally) {
  const blocks = blocksOf(record);
  const isInjected = record.isMeta || blocks.some(isToolResult);
  const parts = blocks
    .filter((block) => !isToolResult(block))
    .flatMap((block) => toContentPart(block, tally));
  const isPrompt = !isInjected && parts.some((part) => !isCommandEcho(part));
  const marked = parts.map((part) => (isInjected || isCommandEcho(part) ? asInjected(part) : part));
  return { parts: marked, isPrompt };
}

/** Recognizes echoes of commands, notices and reminders: the model saw them, but they are no prompts. */
function isCommandEcho(part: DraftPart): boolean {
  return part.type === 'text' && beginsWithAny(part.text, INJECTED_STARTS);
}

/** Recognizes the first record of an agent that was started anew: after a command, in another session or release. */
function isRestart(before: ClaudeRecord | undefined, record: ClaudeRecord): boolean {
  if (before === undefined || !isConversation(record)) return false;
  return (
    RESTARTS.has(commandIn(record)) ||
    differs(before.sessionId, record.sessionId) ||
    differs(before.version, record.version)
  );
}

function differs(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** The text that an attachment showed the model; empty for bookkeeping. */
function attachmentText(attachment: unknown): string {
  const rendered = isObject(attachment) ? attachment['rendered'] : undefined;
  return [...textsIn(rendered ?? attachment, MAX_DEPTH)].join('\n');
}

function* textsIn(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string' && value !== '') yield value;
  if (depth === 0) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* textsIn(item, depth - 1);
  } else if (isObject(value)) {
    for (const key of TEXT_KEYS) yield* textsIn(value[key], depth - 1);
  }
}
