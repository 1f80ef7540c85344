import { isObject } from '../../lib/json.ts';
import { toId, toList, toText, toTokens } from '../reading/lenient.ts';
import type { Tally } from '../reading/tally.ts';
import { toLocalTime } from '../reading/time.ts';
import { type ClaudeBlock, parseBlocks } from './block.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One line of a transcript. Of `toolUseResult`, a second copy of tool outputs, only an id is read. */
export interface ClaudeRecord {
  readonly type: string | undefined;
  readonly subtype: string | undefined;
  readonly uuid: string | undefined;
  readonly parentUuid: string | undefined;
  /** Whether it says that it follows nothing; without this, and without a parent, nobody knows. */
  readonly isRoot: boolean;
  readonly sessionId: string | undefined;
  /** As the streams of the Agent SDK spell it. */
  readonly session_id: string | undefined;
  readonly agentId: string | undefined;
  /** The sub-agent whose result the record holds. */
  readonly resultAgentId: string | undefined;
  readonly timestamp: string | undefined;
  readonly version: string | undefined;
  readonly isSidechain: boolean;
  readonly isMeta: boolean;
  readonly isCompactSummary: boolean;
  readonly isApiErrorMessage: boolean;
  readonly message: ClaudeMessage | undefined;
  readonly attachment: unknown;
  readonly compactMetadata: CompactMetadata | undefined;
  readonly microcompactMetadata: MicrocompactMetadata | undefined;
}

/** What a user, a model or a tool said. */
interface ClaudeMessage {
  readonly id: string | undefined;
  readonly model: string | undefined;
  /** Its pieces; `undefined` where it has no content. */
  readonly blocks: readonly ClaudeBlock[] | undefined;
  /** Why it ended; absent where it was written down while it came. */
  readonly stopReason: string | undefined;
  readonly usage: ClaudeUsage | undefined;
}

/** The provider's count for a step. */
export interface ClaudeUsage {
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
  /** What stayed verbatim; absent where all before went, or where nothing says. */
  readonly kept: KeptRecords | undefined;
}

/** The first and the last record of what a compaction kept, by their uuids. */
export interface KeptRecords {
  readonly firstUuid: string;
  readonly lastUuid: string;
}

interface MicrocompactMetadata {
  readonly trigger: string | undefined;
  readonly preTokens: number | undefined;
  readonly tokensSaved: number | undefined;
  readonly compactedToolIds: readonly unknown[];
}

/** Stands where a turn began with a prompt that its recorder does not write down. */
export const LOST_PROMPT: ClaudeRecord = toRecord({ type: 'lost-prompt' });

const CONVERSATION = new Set(['user', 'assistant']);

/** Types that tell nothing that a model saw, besides the boundaries among `system` and the texts in `attachment`. */
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

/** A line as a record, or `undefined` if it is no object. */
export function parseRecord(line: unknown): ClaudeRecord | undefined {
  return isObject(line) ? toRecord(line) : undefined;
}

/** The records in order, each once. */
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

/** The content of a record's message; a text is a single block. */
export function blocksOf({ message }: ClaudeRecord): readonly ClaudeBlock[] {
  return message?.blocks ?? [];
}

/** Whether the record is one of a user or a model, whatever it holds. */
export function isConversation({ type, message }: ClaudeRecord): boolean {
  return CONVERSATION.has(type ?? '') && message?.blocks !== undefined;
}

/** Whether the record says that history before it was replaced by a summary. */
export function isBoundary({ type, subtype }: ClaudeRecord): boolean {
  return type === 'system' && subtype === 'compact_boundary';
}

/** Whether the record is of a type that is neither conversation nor known bookkeeping. */
export function isUnknown(record: ClaudeRecord): boolean {
  return !isConversation(record) && !BOOKKEEPING.has(record.type ?? '');
}

/** When the record was written, in ms; 0 if it does not say. */
export function timeOf({ timestamp }: ClaudeRecord): number {
  return toLocalTime(timestamp);
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
