import { isObject } from '../../lib/json.ts';
import { MINUTE_MS } from '../../lib/units.ts';
import {
  atLeastZero,
  maybeNumber,
  toId,
  toList,
  toLocalTime,
  toRelease,
  toText,
  toTokens,
} from '../reading/lenient.ts';
import type { Tally } from '../reading/tally.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A line of a transcript. Of `toolUseResult`, which repeats outputs, only the agent id is read. */
export type ClaudeRecord = Readonly<ReturnType<typeof toRecord>>;

/** A content block of a message. */
export type ClaudeBlock = Readonly<ReturnType<typeof toBlock>>;

const COMMAND = /^\s*<command-name>\/?([\w-]+)/;

/** Stands in for a prompt that was not recorded. */
export const LOST_PROMPT: ClaudeRecord = toRecord({ type: 'lost-prompt' });

const CONVERSATION = new Set(['user', 'assistant']);

/** Types without conversation, except boundaries in `system` and texts in `attachment`. */
const BOOKKEEPING = new Set([
  'agent-name',
  'ai-title',
  'atis-latch',
  'attachment',
  'bridge-session',
  'custom-title',
  'file-history-snapshot',
  'frame-link',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'relocated',
  'result',
  'started',
  'summary',
  'system',
  'worktree-state',
]);

/** Parses a line; `undefined` if it is no object. */
export function parseRecord(line: unknown): ClaudeRecord | undefined {
  return isObject(line) ? toRecord(line) : undefined;
}

/** Records with repeats left out. */
export function withoutRepeats(
  records: readonly ClaudeRecord[],
  tally: Tally,
): readonly ClaudeRecord[] {
  const seen = new Set<string>();
  const unique = records.filter(({ uuid }) => {
    if (uuid === undefined) return true;
    const isNew = !seen.has(uuid);
    seen.add(uuid);
    return isNew;
  });
  tally.drop('repeated record', records.length - unique.length);
  return unique;
}

/** Content blocks of a record; a string is one block. */
export function blocksOf({ message }: ClaudeRecord): readonly ClaudeBlock[] {
  return message?.blocks ?? [];
}

/** Recognizes records of a user or a model with any content. */
export function isConversation({ type, message }: ClaudeRecord): boolean {
  return CONVERSATION.has(type ?? '') && message?.blocks !== undefined;
}

/** Recognizes the boundary at which a summary replaced the history. */
export function isBoundary({ type, subtype }: ClaudeRecord): boolean {
  return type === 'system' && subtype === 'compact_boundary';
}

/** The local command that a record echoes, without its slash; `undefined` for other records. */
export function commandIn(record: ClaudeRecord): string | undefined {
  if (record.type !== 'user' || record.isCompactSummary) return undefined;
  const texts = blocksOf(record).flatMap(({ text }) => text ?? []);
  return texts.flatMap((text) => COMMAND.exec(text)?.[1] ?? [])[0];
}

/** Recognizes records that are neither conversation nor known bookkeeping. */
export function isUnknown(record: ClaudeRecord): boolean {
  return !isConversation(record) && !BOOKKEEPING.has(record.type ?? '');
}

/** The time of a record in ms; 0 if unknown. */
export function timeOf({ timestamp }: ClaudeRecord): number {
  return toLocalTime(timestamp);
}

/** Parses blocks; values that are no objects are left out. */
export function parseBlocks(values: readonly unknown[]): readonly ClaudeBlock[] {
  return values.filter(isObject).map(toBlock);
}

/** The release that wrote the last of some records that name one, as numbers; absent if none does. */
export function releaseOf(records: readonly ClaudeRecord[]): readonly number[] | undefined {
  return toRelease(records.findLast(({ version }) => toRelease(version))?.version);
}

/** The cache lifetime of most written tokens; absent if no record has one. */
export function cacheTtlOf(records: readonly ClaudeRecord[]): number | undefined {
  const writes = records.flatMap(({ message }) => message?.usage?.cache_creation ?? []);
  const short = sumOf(writes.map((write) => write.ephemeral_5m_input_tokens));
  const long = sumOf(writes.map((write) => write.ephemeral_1h_input_tokens));
  if (short + long === 0) return undefined;
  return (long > short ? 60 : 5) * MINUTE_MS;
}

/** The sum of the recorded costs of steps, each counted once; absent if no step has one. */
export function ownCostOf(records: readonly ClaudeRecord[]): number | undefined {
  const costs = new Map(
    records.flatMap(({ costUSD = 0, message, uuid }) =>
      costUSD > 0 ? [[message?.id ?? uuid, costUSD] as const] : [],
    ),
  );
  return sumOf([...costs.values()]) || undefined;
}

function toRecord(line: Fields) {
  const { parentUuid, toolUseResult: result, attachment } = line;
  return {
    type: toText(line['type']),
    subtype: toText(line['subtype']),
    uuid: toId(line['uuid']),
    parentUuid: toId(parentUuid),
    /** Without a parent and without this, the parent is unknown. */
    isRoot: parentUuid === null,
    sessionId: toId(line['sessionId']),
    /** The key that streams of the Agent SDK use. */
    session_id: toText(line['session_id']),
    agentId: toId(line['agentId']),
    /** The sub-agent whose result it holds. */
    resultAgentId: isObject(result) ? toId(result['agentId']) : undefined,
    timestamp: toText(line['timestamp']),
    version: toText(line['version']),
    isSidechain: line['isSidechain'] === true,
    isMeta: line['isMeta'] === true,
    isCompactSummary: line['isCompactSummary'] === true,
    isApiErrorMessage: line['isApiErrorMessage'] === true,
    /** The cost of the step, which each of its records repeats. */
    costUSD: maybeNumber.parse(line['costUSD']),
    message: toMessage(line['message']),
    attachment,
    compactMetadata: toCompactMetadata(line['compactMetadata']),
    microcompactMetadata: toMicrocompactMetadata(line['microcompactMetadata']),
  };
}

function toMessage(message: unknown) {
  if (!isObject(message)) return undefined;
  return {
    id: toId(message['id']),
    model: toText(message['model']),
    /** `undefined` where it has no content. */
    blocks: toBlocks(message['content']),
    /** Absent where it was written before its end. */
    stopReason: toText(message['stop_reason']),
    usage: toUsage(message['usage']),
  };
}

function toBlocks(content: unknown): readonly ClaudeBlock[] | undefined {
  if (typeof content === 'string') return parseBlocks([{ type: 'text', text: content }]);
  return Array.isArray(content) ? parseBlocks(content) : undefined;
}

function toUsage(usage: unknown) {
  if (!isObject(usage)) return undefined;
  const { cache_creation: creation } = usage;
  return {
    input_tokens: toTokens(usage['input_tokens']),
    output_tokens: toTokens(usage['output_tokens']),
    cache_read_input_tokens: toTokens(usage['cache_read_input_tokens']),
    cache_creation_input_tokens: toTokens(usage['cache_creation_input_tokens']),
    cache_creation: isObject(creation)
      ? {
          ephemeral_5m_input_tokens: toTokens(creation['ephemeral_5m_input_tokens']),
          ephemeral_1h_input_tokens: toTokens(creation['ephemeral_1h_input_tokens']),
        }
      : undefined,
  };
}

function toCompactMetadata(metadata: unknown) {
  if (!isObject(metadata)) return undefined;
  return {
    trigger: toText(metadata['trigger']),
    preTokens: toTokens(metadata['preTokens']),
    postTokens: toTokens(metadata['postTokens']),
    kept: toKept(metadata),
  };
}

/** Uuids of the first and last record that stayed verbatim; absent where all were replaced or none are named. */
function toKept({ preservedSegment: segment, preservedMessages: all }: Fields) {
  const uuids = isObject(all) ? toList(all['uuids']) : [];
  const [first, last] = isObject(segment)
    ? [segment['headUuid'], segment['tailUuid']]
    : [uuids[0], uuids.at(-1)];
  const [firstUuid, lastUuid] = [toId(first), toId(last)];
  return firstUuid === undefined || lastUuid === undefined ? undefined : { firstUuid, lastUuid };
}

function toMicrocompactMetadata(metadata: unknown) {
  if (!isObject(metadata)) return undefined;
  return {
    trigger: toText(metadata['trigger']),
    preTokens: toTokens(metadata['preTokens']),
    tokensSaved: toTokens(metadata['tokensSaved']),
    compactedToolIds: toList(metadata['compactedToolIds']),
  };
}

function toBlock(value: Fields) {
  const { input, content, source } = value;
  return {
    type: toText(value['type']),
    id: toId(value['id']),
    name: toText(value['name']),
    text: toText(value['text']),
    thinking: toText(value['thinking']),
    input,
    tool_use_id: toId(value['tool_use_id']),
    /** The tool that a search for tools found. */
    tool_name: toText(value['tool_name']),
    tool_references: toList(value['tool_references']),
    content,
    is_error: value['is_error'] === true,
    /** A file's URL or data. */
    source: isObject(source)
      ? {
          type: toText(source['type']),
          media_type: toText(source['media_type']),
          data: toText(source['data']),
          url: toText(source['url']),
        }
      : undefined,
  };
}

function sumOf(tokens: readonly (number | undefined)[]): number {
  return tokens.reduce<number>((total, each) => total + atLeastZero(each), 0);
}
