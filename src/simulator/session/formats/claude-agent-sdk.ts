import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { JsonLines, SessionFormat, SourceFile } from '../format.ts';
import { textOf } from '../reading/content.ts';
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

/** A record of a stream in the form of a transcript. */
type StreamRecord = NonNullable<ReturnType<typeof parseLine>>;

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
function parseLine(line: unknown) {
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
    /** The record starts or ends a compaction. */
    isCompacting: isBoundary || (isSystem && data.status === 'compacting'),
    /** A program wrote it in place of the user. */
    isSynthetic: data.isSynthetic,
    /** The release from this record on; absent if it names none. */
    release: data.claude_code_version,
    /** Only streams of the Agent SDK have such a record. */
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
  const records: ClaudeRecord[] = [];
  // The prompt of the coming steps is known.
  let isTurnOpen = false;
  // A compaction has begun and no step followed yet.
  let isCompacting = false;
  // A boundary came last, and no message since.
  let isAfterBoundary = false;
  let version: string | undefined;
  for (const told of stream) {
    version = told.release ?? version;
    const record = { ...told.record, version };
    // A run begins a turn, unless a compaction began it anew.
    if ((told.isInit && !isCompacting) || told.isResult) isTurnOpen = false;
    isAfterBoundary ||= told.isBoundary;
    isCompacting ||= told.isCompacting;
    if (!isConversation(record) || record.isSidechain) {
      records.push(record);
      continue;
    }
    const isCompactSummary = isAfterBoundary && isSummary(told);
    if (isStep(record)) {
      if (!isTurnOpen) records.push({ ...LOST_PROMPT, timestamp: record.timestamp });
      isTurnOpen = true;
      isCompacting = false;
    } else if (opensTurn({ ...record, isCompactSummary })) isTurnOpen = true;
    isAfterBoundary = false;
    records.push({ ...record, isCompactSummary });
  }
  return records;
}

function isSummary({ record, isSynthetic }: StreamRecord): boolean {
  if (record.type !== 'user') return false;
  return isSynthetic || textOf(blocksOf(record)).startsWith(SUMMARY_START);
}

function isSide(records: readonly ClaudeRecord[]): boolean {
  return records.every(({ isSidechain }) => isSidechain);
}
