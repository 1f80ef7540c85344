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
export interface ClaudeRecord {
  readonly type: string | undefined;
  readonly subtype: string | undefined;
  readonly uuid: string | undefined;
  readonly parentUuid: string | undefined;
  /** Set where `parentUuid` is null; without a parent and without this, the parent is unknown. */
  readonly isRoot: boolean;
  readonly sessionId: string | undefined;
  /** The key that streams of the Agent SDK use. */
  readonly session_id: string | undefined;
  readonly agentId: string | undefined;
  /** The sub-agent whose result it holds. */
  readonly resultAgentId: string | undefined;
  readonly timestamp: string | undefined;
  readonly version: string | undefined;
  readonly isSidechain: boolean;
  readonly isMeta: boolean;
  readonly isCompactSummary: boolean;
  readonly isApiErrorMessage: boolean;
  /** The cost of the step, which each of its records repeats. */
  readonly costUSD: number | undefined;
  readonly message: ClaudeMessage | undefined;
  readonly attachment: unknown;
  readonly compactMetadata: CompactMetadata | undefined;
  readonly microcompactMetadata: MicrocompactMetadata | undefined;
}

interface ClaudeMessage {
  readonly id: string | undefined;
  readonly model: string | undefined;
  /** `undefined` where it has no content. */
  readonly blocks: readonly ClaudeBlock[] | undefined;
  /** Absent where it was written before its end. */
  readonly stopReason: string | undefined;
  readonly usage: ClaudeUsage | undefined;
}

/** The provider's usage of a step. */
interface ClaudeUsage {
  readonly input_tokens: number | undefined;
  readonly output_tokens: number | undefined;
  readonly cache_read_input_tokens: number | undefined;
  readonly cache_creation_input_tokens: number | undefined;
  readonly cache_creation: CacheCreation | undefined;
}

interface CacheCreation {
  readonly ephemeral_5m_input_tokens: number | undefined;
  readonly ephemeral_1h_input_tokens: number | undefined;
}

interface CompactMetadata {
  readonly trigger: string | undefined;
  readonly preTokens: number | undefined;
  readonly postTokens: number | undefined;
  /** The records that stayed verbatim; absent where all were replaced or none are named. */
  readonly kept: KeptRecords | undefined;
}

/** Uuids of the first and last kept record. */
interface KeptRecords {
  readonly firstUuid: string;
  readonly lastUuid: string;
}

interface MicrocompactMetadata {
  readonly trigger: string | undefined;
  readonly preTokens: number | undefined;
  readonly tokensSaved: number | undefined;
  readonly compactedToolIds: readonly unknown[];
}

/** A content block of a message. */
export interface ClaudeBlock {
  readonly type: string | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string | undefined;
  readonly thinking: string | undefined;
  readonly input: unknown;
  readonly tool_use_id: string | undefined;
  /** The tool that a search for tools found. */
  readonly tool_name: string | undefined;
  readonly tool_references: readonly unknown[];
  readonly content: unknown;
  readonly is_error: boolean;
  readonly source: BlockSource | undefined;
}

/** A file's URL or data. */
interface BlockSource {
  readonly type: string | undefined;
  readonly media_type: string | undefined;
  readonly data: string | undefined;
  readonly url: string | undefined;
}

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

function toRecord(line: Fields): ClaudeRecord {
  return {
    type: toText(line['type']),
    subtype: toText(line['subtype']),
    uuid: toId(line['uuid']),
    parentUuid: toId(line['parentUuid']),
    isRoot: line['parentUuid'] === null,
    sessionId: toId(line['sessionId']),
    session_id: toText(line['session_id']),
    agentId: toId(line['agentId']),
    resultAgentId: toAgentId(line['toolUseResult']),
    timestamp: toText(line['timestamp']),
    version: toText(line['version']),
    isSidechain: line['isSidechain'] === true,
    isMeta: line['isMeta'] === true,
    isCompactSummary: line['isCompactSummary'] === true,
    isApiErrorMessage: line['isApiErrorMessage'] === true,
    costUSD: maybeNumber.parse(line['costUSD']),
    message: toMessage(line['message']),
    attachment: line['attachment'],
    compactMetadata: toCompactMetadata(line['compactMetadata']),
    microcompactMetadata: toMicrocompactMetadata(line['microcompactMetadata']),
  };
}

function toAgentId(result: unknown): string | undefined {
  return isObject(result) ? toId(result['agentId']) : undefined;
}

function toMessage(message: unknown): ClaudeMessage | undefined {
  if (!isObject(message)) return undefined;
  return {
    id: toId(message['id']),
    model: toText(message['model']),
    blocks: toBlocks(message['content']),
    stopReason: toText(message['stop_reason']),
    usage: toUsage(message['usage']),
  };
}

function toBlocks(content: unknown): readonly ClaudeBlock[] | undefined {
  if (typeof content === 'string') return parseBlocks([{ type: 'text', text: content }]);
  return Array.isArray(content) ? parseBlocks(content) : undefined;
}

function toUsage(usage: unknown): ClaudeUsage | undefined {
  if (!isObject(usage)) return undefined;
  return {
    input_tokens: toTokens(usage['input_tokens']),
    output_tokens: toTokens(usage['output_tokens']),
    cache_read_input_tokens: toTokens(usage['cache_read_input_tokens']),
    cache_creation_input_tokens: toTokens(usage['cache_creation_input_tokens']),
    cache_creation: toCacheCreation(usage['cache_creation']),
  };
}

function toCacheCreation(creation: unknown): CacheCreation | undefined {
  if (!isObject(creation)) return undefined;
  return {
    ephemeral_5m_input_tokens: toTokens(creation['ephemeral_5m_input_tokens']),
    ephemeral_1h_input_tokens: toTokens(creation['ephemeral_1h_input_tokens']),
  };
}

function toCompactMetadata(metadata: unknown): CompactMetadata | undefined {
  if (!isObject(metadata)) return undefined;
  return {
    trigger: toText(metadata['trigger']),
    preTokens: toTokens(metadata['preTokens']),
    postTokens: toTokens(metadata['postTokens']),
    kept: toKept(metadata),
  };
}

function toKept({
  preservedSegment: segment,
  preservedMessages: all,
}: Fields): KeptRecords | undefined {
  const uuids = isObject(all) ? toList(all['uuids']) : [];
  const [first, last] = isObject(segment)
    ? [segment['headUuid'], segment['tailUuid']]
    : [uuids[0], uuids.at(-1)];
  const [firstUuid, lastUuid] = [toId(first), toId(last)];
  return firstUuid === undefined || lastUuid === undefined ? undefined : { firstUuid, lastUuid };
}

function toMicrocompactMetadata(metadata: unknown): MicrocompactMetadata | undefined {
  if (!isObject(metadata)) return undefined;
  return {
    trigger: toText(metadata['trigger']),
    preTokens: toTokens(metadata['preTokens']),
    tokensSaved: toTokens(metadata['tokensSaved']),
    compactedToolIds: toList(metadata['compactedToolIds']),
  };
}

function toBlock(value: Readonly<Record<string, unknown>>): ClaudeBlock {
  return {
    type: toText(value['type']),
    id: toId(value['id']),
    name: toText(value['name']),
    text: toText(value['text']),
    thinking: toText(value['thinking']),
    input: value['input'],
    tool_use_id: toId(value['tool_use_id']),
    tool_name: toText(value['tool_name']),
    tool_references: toList(value['tool_references']),
    content: value['content'],
    is_error: value['is_error'] === true,
    source: toSource(value['source']),
  };
}

function toSource(source: unknown): BlockSource | undefined {
  if (!isObject(source)) return undefined;
  return {
    type: toText(source['type']),
    media_type: toText(source['media_type']),
    data: toText(source['data']),
    url: toText(source['url']),
  };
}

function sumOf(tokens: readonly (number | undefined)[]): number {
  return tokens.reduce<number>((total, each) => total + atLeastZero(each), 0);
}
