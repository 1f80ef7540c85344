import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { JsonLines, SessionFormat, SourceFile } from '../format.ts';
import {
  flag,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  recordOf,
  toText,
} from '../reading/lenient.ts';
import { createTally, dropUnknown, readRecordLines } from '../reading/tally.ts';
import { toRecordedWindows } from '../reading/transcript.ts';
import type { Session } from '../session.ts';
import { isStep, opensTurn } from './claude-code-conversation.ts';
import {
  blocksOf,
  type ClaudeRecord,
  isConversation,
  LOST_PROMPT,
  parseRecord,
  withoutRepeats,
} from './claude-code-records.ts';
import { isPartialStart, toSessions } from './claude-code.ts';

interface Reading {
  readonly records: ClaudeRecord[];
  /** The prompt of the coming steps is known. */
  isTurnOpen: boolean;
  /** A compaction has begun and no step followed yet. */
  isCompacting: boolean;
  /** A boundary came last, and no message since. */
  isAfterBoundary: boolean;
  release: string | undefined;
}

/** A record of a stream in the form of a transcript. */
interface StreamRecord {
  readonly record: ClaudeRecord;
  readonly isInit: boolean;
  readonly isResult: boolean;
  readonly isBoundary: boolean;
  /** The record starts or ends a compaction. */
  readonly isCompacting: boolean;
  /** A program wrote it in place of the user. */
  readonly isSynthetic: boolean;
  /** The release from this record on; absent if it names none. */
  readonly release: string | undefined;
  /** Only streams of the Agent SDK have such a record. */
  readonly isTelling: boolean;
}

const recordSchema = z.object({
  type: maybeText,
  subtype: maybeText,
  status: maybeText,
  uuid: maybeId,
  timestamp: maybeText,
  session_id: maybeText,
  parent_tool_use_id: maybeId,
  claude_code_version: maybeText,
  isSynthetic: flag,
  message: z.unknown().optional(),
  compact_metadata: maybeObject({
    trigger: maybeText,
    pre_tokens: maybeTokens,
    post_tokens: maybeTokens,
  }),
});

const resultSchema = z.object({
  type: z.literal('result'),
  modelUsage: recordOf(maybeObject({ contextWindow: maybeTokens })),
});

const CONVERSATION = new Set(['user', 'assistant']);
const SUBTYPES = new Set(['init', 'status', 'compact_boundary']);

/** Record types that no model saw; deltas are repeated by the whole message. */
const BOOKKEEPING = new Set([
  'auth_status',
  'control_cancel_request',
  'control_request',
  'control_response',
  'keep_alive',
  'prompt_suggestion',
  'rate_limit_event',
  'result',
  'stream_event',
  'system',
  'tool_progress',
  'tool_use_summary',
]);

const SUMMARY_START = 'This session is being continued from a previous conversation';

/** Streams of `claude -p --output-format stream-json` and of the Agent SDK, bare or in a logger's envelopes. */
export const claudeAgentSdk: SessionFormat = {
  label: 'Claude Agent SDK stream (JSON lines)',
  certainty: 'shape',
  detect: isStream,
  read: readStream,
};

/** Recognizes streams by the session id; transcripts have the same record types under another key. */
function isStream(file: SourceFile): boolean {
  const stream = linesOf(file).records.flatMap((line) => parseLine(line) ?? []);
  return (
    stream.some(({ record }) => isConversation(record)) && stream.some(({ isTelling }) => isTelling)
  );
}

/** Records line by line, or in one list as `--output-format json --verbose` prints them. */
function linesOf(file: SourceFile): JsonLines {
  const lines = file.lines();
  return { ...lines, records: lines.records.flatMap((line) => line) };
}

/** Parses a line, without the envelope of a logger; `undefined` if it is no object. */
function parseLine(line: unknown): StreamRecord | undefined {
  const { data } = recordSchema.safeParse(unwrap(line));
  const record = data && toClaudeRecord(data);
  if (data === undefined || record === undefined) return undefined;
  const { type, subtype = '' } = data;
  const isSystem = type === 'system';
  const isBoundary = isSystem && subtype === 'compact_boundary';
  return {
    record,
    isInit: isSystem && subtype === 'init',
    isResult: type === 'result',
    isBoundary,
    isCompacting: isBoundary || (isSystem && data.status === 'compacting'),
    isSynthetic: data.isSynthetic,
    release: data.claude_code_version,
    isTelling: isTelling(record, subtype),
  };
}

/** Removes the envelope that a logger put around a record; messages have none. */
function unwrap(line: unknown): unknown {
  if (!isObject(line) || CONVERSATION.has(toText(line['type']) ?? '')) return line;
  const inner = line['message'];
  if (!isObject(inner)) return line;
  return { ...inner, type: line['type'], timestamp: line['timestamp'] };
}

function toClaudeRecord(data: z.infer<typeof recordSchema>): ClaudeRecord | undefined {
  const { session_id: sessionId, parent_tool_use_id: agentId, compact_metadata: metadata } = data;
  return parseRecord({
    ...data,
    sessionId,
    isSidechain: agentId !== undefined,
    agentId,
    isMeta: data.isSynthetic,
    compactMetadata: metadata && {
      trigger: metadata.trigger,
      preTokens: metadata.pre_tokens,
      postTokens: metadata.post_tokens,
    },
  });
}

function isTelling({ type = '', sessionId }: ClaudeRecord, subtype: string): boolean {
  if (sessionId === undefined) return false;
  return (
    CONVERSATION.has(type) || type === 'result' || (type === 'system' && SUBTYPES.has(subtype))
  );
}

function readStream(file: SourceFile): readonly Session[] {
  const tally = createTally();
  const stream = readRecordLines(linesOf(file), parseLine, tally);
  dropUnknown(
    tally,
    stream.filter(isUnknown).map(({ record }) => record.type),
  );
  const isFromStart = stream.find(({ record, isInit }) => isInit || isConversation(record))?.isInit;
  const windows = windowsIn(linesOf(file).records);
  const sessions = toSessions(withoutRepeats(completeTurns(stream), tally), {
    name: file.name,
    format: 'claude-agent-sdk',
    isPartial: (records, index) =>
      isSide(records) ? isPartialStart(records, index) : isFromStart !== true,
    tally,
  });
  return sessions.map((session) => ({ ...session, ...recordedWindowsOf(session, windows) }));
}

/** Windows of models by their names, as the results of runs state them. */
function windowsIn(lines: readonly unknown[]): ReadonlyMap<string, number | undefined> {
  const results = lines.flatMap((line) => resultSchema.safeParse(unwrap(line)).data ?? []);
  const usages = results.flatMap(({ modelUsage }) => Object.entries(modelUsage));
  return new Map(usages.map(([model, usage]) => [model, usage?.contextWindow]));
}

function recordedWindowsOf(
  { messages, model: usual }: Session,
  windows: ReadonlyMap<string, number | undefined>,
): Pick<Session, 'recordedWindows'> {
  const stated = messages.flatMap((message, messageIndex) => {
    if (message.role === 'user') return [];
    const { model = usual } = message;
    const name = model?.slice(model.indexOf('/') + 1) ?? '';
    return [{ messageIndex, contextTokens: windows.get(name) }];
  });
  return toRecordedWindows(stated);
}

function isUnknown({ record }: StreamRecord): boolean {
  return !CONVERSATION.has(record.type ?? '') && !BOOKKEEPING.has(record.type ?? '');
}

/** Marks prompts that are summaries, and adds the prompts that the stream left out. */
function completeTurns(stream: readonly StreamRecord[]): readonly ClaudeRecord[] {
  const reading: Reading = {
    records: [],
    isTurnOpen: false,
    isCompacting: false,
    isAfterBoundary: false,
    release: undefined,
  };
  for (const record of stream) readRecord(reading, record);
  return reading.records;
}

function readRecord(reading: Reading, stream: StreamRecord): void {
  const { record, isInit, isResult, isBoundary, isCompacting, release } = stream;
  reading.release = release ?? reading.release;
  const isRunStart = isInit && !reading.isCompacting;
  if (isRunStart || isResult) reading.isTurnOpen = false;
  reading.isAfterBoundary ||= isBoundary;
  reading.isCompacting ||= isCompacting;
  const isMain = isConversation(record) && !record.isSidechain;
  reading.records.push(isMain ? readMain(reading, stream) : withRelease(reading, record));
}

function readMain(reading: Reading, stream: StreamRecord): ClaudeRecord {
  const { record } = stream;
  const isCompactSummary = isSummary(reading, stream);
  if (isStep(record)) openTurn(reading, record);
  else if (opensTurn({ ...record, isCompactSummary })) reading.isTurnOpen = true;
  reading.isAfterBoundary = false;
  return { ...withRelease(reading, record), isCompactSummary };
}

function isSummary({ isAfterBoundary }: Reading, stream: StreamRecord): boolean {
  if (!isAfterBoundary || stream.record.type !== 'user') return false;
  return stream.isSynthetic || textOf(stream).startsWith(SUMMARY_START);
}

function textOf({ record }: StreamRecord): string {
  return blocksOf(record)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

/** Adds a lost prompt where a run begins with a step. */
function openTurn(reading: Reading, { timestamp }: ClaudeRecord): void {
  if (!reading.isTurnOpen) reading.records.push({ ...LOST_PROMPT, timestamp });
  reading.isTurnOpen = true;
  reading.isCompacting = false;
}

function withRelease({ release }: Reading, record: ClaudeRecord): ClaudeRecord {
  return { ...record, version: release };
}

function isSide(records: readonly ClaudeRecord[]): boolean {
  return records.every(({ isSidechain }) => isSidechain);
}
