import { known } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import * as kit from '../reading/fields.ts';
import type { Recording } from '../reading/recording.ts';
import { countKinds, toEarlyFinish } from '../reading/transcript.ts';
import type { RecordedCompaction } from '../session.ts';
import { type ClaudeRecord, commandIn, isBoundary, LOST_PROMPT } from './claude-code-records.ts';

interface Reading {
  readonly recording: Recording;
  /** Message indices by the uuid of a record. */
  readonly places: Map<unknown, number>;
}

const NOTICE_MODEL = '<synthetic>';
/** The block with which an answer begins before which Anthropic's API compacted. */
const SERVER_COMPACTION = 'compaction';
const FILES = kit.wordsIn('image document');

/** How recordings count blocks of Anthropic's API, and place what was injected. */
export const CLAUDE_BLOCKS = {
  atPrompt: 'in-front',
  reason: 'unknown content block',
  silent: kit.wordsIn(`text thinking redacted_thinking ${SERVER_COMPACTION}`),
} as const;

/** Commands after which the agent's process is another one. */
const RESTARTS = kit.wordsIn('exit quit resume continue');

const INJECTED =
  /^\s*(?:<(?:bash-(?:input|stderr|stdout)|command-(?:args|contents|message|name)|ide_(?:diagnostics|opened_file|selection)|local-command-(?:caveat|stderr|stdout)|system-reminder|task-notification)>|\[Request interrupted by user)/;

/** Keys of attachments that hold texts for the model. */
const TEXT_KEYS =
  'addedBlocks addedLines banner blockingError content deltaSummary description file prompt skills snippet subject text'.split(
    ' ',
  );
const MAX_DEPTH = 6;

/** Reads the records of a conversation in order. Gives the messages before which the agent restarted. */
export function readConversation(recording: Recording, records: readonly ClaudeRecord[]) {
  const { drafts } = recording;
  const reading: Reading = { recording, places: new Map() };
  const restarts: number[] = [];
  let before: ClaudeRecord | undefined;
  for (const record of records) {
    if (drafts.length > 0 && isRestart(before, record)) restarts.push(drafts.length);
    before = record.isSaid ? record : before;
    readRecord(reading, record);
    // A summary has no message.
    if (record.uuid !== undefined && drafts.length > 0 && !record.isCompactSummary)
      reading.places.set(record.uuid, drafts.length - 1);
  }
  return restarts;
}

/** Recognizes records that a model wrote, and not the program in its place. */
export function isStep({ type, isSaid, model, line }: ClaudeRecord): boolean {
  if (type !== 'assistant' || !isSaid) return false;
  return model !== NOTICE_MODEL && line['isApiErrorMessage'] !== true;
}

/** Recognizes tool results, also those of tools that ran at the provider. */
export function isToolResult({ type }: kit.Fields): boolean {
  return typeof type === 'string' && type.endsWith('tool_result');
}

/** Recognizes tool calls, also those of tools that run at the provider. */
export function isToolCall({ type }: kit.Fields): boolean {
  return typeof type === 'string' && type.endsWith('tool_use');
}

/** Recognizes records that a person wrote, which open a turn. */
export function opensTurn({ type, blocks, isMeta, isCompactSummary }: ClaudeRecord): boolean {
  if (type !== 'user' || isMeta || isCompactSummary || blocks.some(isToolResult)) return false;
  return blocks.some((block) => {
    const text = kit.toText(block['text']);
    return text === undefined ? FILES.has(block['type']) : text !== '' && !INJECTED.test(text);
  });
}

function readRecord(reading: Reading, record: ClaudeRecord) {
  const { recording } = reading;
  const { type, line, blocks, createdAt, uuid } = record;
  if (type === 'attachment') {
    const shown = kit.valueAt(line, 'attachment.rendered attachment');
    return recording.inject(textsIn(shown, MAX_DEPTH).join('\n'));
  }
  if (type === 'system') return readBoundary(reading, record);
  if (type === LOST_PROMPT) {
    recording.tally.repair('prompt that was not recorded');
    return recording.addPrompt({ createdAt, parts: [] });
  }
  if (!record.isSaid) return;
  if (type === 'assistant') return readStep(recording, record);
  if (record.isCompactSummary) return readSummary(recording, kit.textOf(blocks));
  for (const block of blocks.filter(isToolResult)) recording.calls.finish(toResult(block));
  const isMarked = record.isMeta || blocks.some(isToolResult);
  const parts = recording.partsOf(blocks.filter((block) => !isToolResult(block))).map((part) => {
    const isEcho = part.type === 'text' && INJECTED.test(part.text);
    return isMarked || isEcho ? kit.asInjected(part) : part;
  });
  if (opensTurn(record)) recording.addPrompt({ recordedId: uuid, createdAt, parts });
  else for (const part of parts) recording.inject(part);
}

/** A search for tools refers to those that it found. */
function toResult({ tool_use_id: id, content, is_error: isError }: kit.Fields) {
  const told = kit.blocksOf(content).flatMap((block) => {
    const { tool_references: found } = block;
    return kit.toList(found).length > 0 ? kit.objectsIn(found) : [block];
  });
  const texts = told.map((one) => ({ ...one, text: one['text'] ?? one['tool_name'] }));
  return { id, content: texts, isError };
}

function readBoundary({ recording, places }: Reading, record: ClaudeRecord) {
  const { compactMetadata, microcompactMetadata, subtype } = record.line;
  const { length: messageIndex } = recording.drafts;
  const isFull = isBoundary(record);
  if (!isFull && subtype !== 'microcompact_boundary') return;
  const told = kit.fieldsOf(isFull ? compactMetadata : microcompactMetadata);
  const { trigger, preTokens, postTokens, tokensSaved, compactedToolIds } = told;
  const tokensBefore = kit.toTokens(preTokens);
  const saved = kit.toTokens(tokensSaved);
  const fields = {
    trigger: trigger === 'auto' || trigger === 'manual' ? trigger : undefined,
    tokensBefore,
  } as const;
  if (isFull) {
    const firstKeptMessageIndex = firstKeptIn(told, places, messageIndex);
    const kept = { ...fields, tokensAfter: kit.toTokens(postTokens), firstKeptMessageIndex };
    recording.compactions.push({ kind: 'full', messageIndex, ...known(kept) });
  } else {
    recording.addCompaction({
      kind: 'micro',
      ...fields,
      tokensAfter:
        tokensBefore === undefined || saved === undefined ? undefined : tokensBefore - saved,
      clearedCallIds: kit.toList(compactedToolIds).filter((id) => typeof id === 'string'),
    });
  }
}

/** Kept records count as a tail only where they reach up to the boundary. */
function firstKeptIn(
  { preservedSegment: segment, preservedMessages: all }: kit.Fields,
  places: Reading['places'],
  messageIndex: number,
): number | undefined {
  const uuids = kit.toList(kit.valueAt(all, 'uuids'));
  const { headUuid, tailUuid } = isObject(segment)
    ? segment
    : { headUuid: uuids[0], tailUuid: uuids.at(-1) };
  return places.get(tailUuid) === messageIndex - 1 ? places.get(headUuid) : undefined;
}

/** Records with one message id are one step; the last usage holds. */
function readStep(recording: Recording, record: ClaudeRecord): void {
  const { blocks, line, messageId, uuid, model, createdAt: time } = record;
  if (!isStep(record)) return recording.tally.drop('local notice');
  // The provider may have compacted before it answered; the answer then begins with the summary.
  const summaries = blocks.filter(({ type }) => type === SERVER_COMPACTION);
  if (summaries.length > 0) {
    const { length: messageIndex } = recording.drafts;
    recording.compactions.push({ kind: 'full', messageIndex, trigger: 'auto' });
    const summary = kit.textOf(summaries.map(({ content: text }) => ({ text })));
    if (summary !== '') readSummary(recording, summary);
  }
  const id = messageId ?? uuid;
  const step = recording.stepOf({ id, time, model: model && `anthropic/${model}` });
  for (const block of blocks) {
    const { input = {} } = block;
    if (isToolCall(block)) recording.calls.add(step, { ...recording.callOf(block), input });
    else if (isToolResult(block)) recording.calls.finish(toResult(block));
    else step.parts.push(...recording.partsOf([block]));
  }
  const { usage, stop_reason: reason } = kit.fieldsOf(line['message']);
  step.usage = countKinds(usage) ?? step.usage;
  step.finish = toEarlyFinish(kit.toText(reason)) ?? step.finish;
}

function readSummary(recording: Recording, summary: string): void {
  const { drafts, compactions } = recording;
  if (drafts.length === 0) return recording.inject(summary);
  const last = compactions.at(-1);
  const isOpen = last?.kind === 'full' && last.summary === undefined && last.messageIndex > 0;
  if (isOpen) compactions.pop();
  const compaction: RecordedCompaction = isOpen
    ? last
    : { kind: 'full', messageIndex: drafts.length };
  compactions.push({ ...compaction, summary });
}

function isRestart(before: ClaudeRecord | undefined, record: ClaudeRecord) {
  if (before === undefined || !record.isSaid) return false;
  return (
    RESTARTS.has(commandIn(record)) ||
    differs(before.sessionId, record.sessionId) ||
    differs(before.version, record.version)
  );
}

function differs(one: string | undefined, other: string | undefined) {
  return one !== undefined && other !== undefined && one !== other;
}

function textsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (depth === 0) return [];
  const inner = isObject(value) ? TEXT_KEYS.map((key) => value[key]) : kit.toList(value);
  return inner.flatMap((each) => textsIn(each, depth - 1));
}
