import { known, sum } from '../../lib/collections.ts';
import { isObject } from '../../lib/json.ts';
import { MINUTE_MS } from '../../lib/units.ts';
import * as kit from '../reading/fields.ts';
import type { Recording } from '../reading/recording.ts';
import { countKinds, toEarlyFinish } from '../reading/transcript.ts';

/** A line of a transcript. */
export type ClaudeRecord = Readonly<ReturnType<typeof toRecord>>;

interface Reading {
  readonly recording: Recording;
  /** Message indices by the uuid of a record. */
  readonly places: Map<unknown, number>;
}

const COMMAND = /^\s*<command-name>\/?([\w-]+)/;

/** Stands in for a prompt that was not recorded. */
export const LOST_PROMPT = 'lost-prompt';

const CONVERSATION = kit.wordsIn('user assistant');

/** Types without conversation, except boundaries in `system` and texts in `attachment`. */
const BOOKKEEPING = kit.wordsIn(`
  agent-name ai-title atis-latch attachment bridge-session custom-title file-history-snapshot
  frame-link last-prompt mode permission-mode pr-link progress queue-operation relocated result
  started summary system worktree-state`);

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

const TEXT_KEYS =
  'addedBlocks addedLines banner blockingError content deltaSummary description file prompt skills snippet subject text'.split(
    ' ',
  );
const TRIGGERS = ['auto', 'manual'] as const;

/** The record of a line. */
export function toRecord(line: kit.Fields) {
  const { type, parentUuid } = line;
  const { id, model, content } = kit.fieldsOf(line['message']);
  const pieces = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return {
    line,
    type,
    uuid: kit.toId(line['uuid']),
    parentUuid: kit.toId(parentUuid),
    /** Without a parent and without this, the parent is unknown. */
    isRoot: parentUuid === null,
    sessionId: kit.toId(line['sessionId']),
    agentId: kit.toId(line['agentId']),
    version: kit.toText(line['version']),
    createdAt: kit.toLocalTime(kit.toText(line['timestamp'])),
    isSidechain: line['isSidechain'] === true,
    isMeta: line['isMeta'] === true,
    isCompactSummary: line['isCompactSummary'] === true,
    /** A message of a user or a model with any content. */
    isSaid: CONVERSATION.has(type) && Array.isArray(pieces),
    messageId: kit.toId(id),
    model: kit.toText(model),
    blocks: Array.isArray(pieces) ? pieces.filter(isObject) : [],
  };
}

/** Records with repeats left out. */
export function withoutRepeats(records: readonly ClaudeRecord[], tally: kit.Tally) {
  const seen = new Set<string>();
  const unique = records.filter(({ uuid }) => {
    const isNew = uuid === undefined || !seen.has(uuid);
    if (uuid !== undefined) seen.add(uuid);
    return isNew;
  });
  tally.drop('repeated record', records.length - unique.length);
  return unique;
}

/** Recognizes the boundary at which a summary replaced the history. */
export function isBoundary({ type, line }: ClaudeRecord): boolean {
  return type === 'system' && line['subtype'] === 'compact_boundary';
}

/** The local command that a record echoes, without its slash. */
export function commandIn({ type, isCompactSummary, blocks }: ClaudeRecord): string | undefined {
  if (type !== 'user' || isCompactSummary) return undefined;
  return blocks.flatMap(({ text }) => COMMAND.exec(kit.orEmpty(text))?.[1] ?? [])[0];
}

/** Recognizes records that are neither conversation nor known bookkeeping. */
export function isUnknown({ isSaid, type }: ClaudeRecord): boolean {
  return !isSaid && !BOOKKEEPING.has(type);
}

/** The last release that some records name, as numbers; absent if none does. */
export function releaseOf(records: readonly ClaudeRecord[]): readonly number[] | undefined {
  return kit.toRelease(records.findLast(({ version }) => kit.toRelease(version))?.version);
}

/** The cache lifetime of most written tokens; absent if no record has one. */
export function cacheTtlOf(records: readonly ClaudeRecord[]): number | undefined {
  const written = (kind: string) =>
    sum(
      records.map(({ line }) =>
        kit.atLeastZero(kit.toTokens(kit.valueAt(line, `message.usage.cache_creation.${kind}`))),
      ),
    );
  const short = written('ephemeral_5m_input_tokens');
  const long = written('ephemeral_1h_input_tokens');
  if (short + long === 0) return undefined;
  return (long > short ? 60 : 5) * MINUTE_MS;
}

/** The sum of the recorded costs of steps, each counted once; absent if no step has one. */
export function ownCostOf(records: readonly ClaudeRecord[]): number | undefined {
  const costs = new Map<string | undefined, number>();
  for (const { line, messageId, uuid } of records) {
    const { costUSD: cost } = line;
    if (Number.isFinite(cost) && Number(cost) > 0) costs.set(messageId ?? uuid, Number(cost));
  }
  return sum(costs.values()) || undefined;
}

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
    return recording.inject(textsIn(shown).join('\n'));
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
  const isFull = isBoundary(record);
  if (!isFull && subtype !== 'microcompact_boundary') return;
  const told = kit.fieldsOf(isFull ? compactMetadata : microcompactMetadata);
  const { preTokens: tokensBefore, postTokens, tokensSaved, compactedToolIds } = told;
  const trigger = TRIGGERS.find((one) => one === told['trigger']);
  if (isFull) {
    // One in front of all messages tells how the session began.
    const { length: messageIndex } = recording.drafts;
    const firstKeptMessageIndex = firstKeptIn(told, places, messageIndex);
    const [before, after] = [kit.toTokens(tokensBefore), kit.toTokens(postTokens)];
    const sizes = { tokensBefore: before, tokensAfter: after };
    const kept = known({ trigger, ...sizes, firstKeptMessageIndex });
    recording.compactions.push({ kind: 'full', messageIndex, ...kept });
  } else {
    const clearedCallIds = kit.toList(compactedToolIds).filter((id) => typeof id === 'string');
    const tokensAfter = Number(tokensBefore) - Number(tokensSaved);
    recording.addCompaction({ kind: 'micro', trigger, tokensBefore, tokensAfter, clearedCallIds });
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
  if (isOpen) compactions.splice(-1, 1, { ...last, summary });
  else compactions.push({ kind: 'full', messageIndex: drafts.length, summary });
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

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  const inner = isObject(value) ? TEXT_KEYS.map((key) => value[key]) : kit.toList(value);
  return inner.flatMap(textsIn);
}
