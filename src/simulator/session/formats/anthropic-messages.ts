import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { toList, toModelName, toText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import type { Tally } from '../reading/tally.ts';
import { readConversation } from './claude-code-conversation.ts';
import {
  cacheTtlOf,
  type ClaudeRecord,
  isConversation,
  parseBlocks,
  parseRecord,
} from './claude-code-records.ts';

/** The messages of a request with the fields around them. */
interface AnthropicRequest {
  readonly messages: readonly unknown[];
  readonly system?: unknown;
  readonly model?: unknown;
}

/** Keys of messages of the same roles that other programs write. */
const FOREIGN_KEYS = ['parts', 'tool_call_id', 'tool_calls', 'toolInvocations', 'ts'];

/** Types of content that no other provider has; `image` and `document` only with a source. */
const TELLING = /^(?:compaction|(?:\w+_)?tool_(?:use|result)|(?:redacted_)?thinking)$/;
const SOURCED = new Set<unknown>(['document', 'image']);

/** Records that Claude Code writes where a summary took the place of earlier messages. */
const BOUNDARY = {
  type: 'system',
  subtype: 'compact_boundary',
  compactMetadata: { trigger: 'auto' },
};
const SUMMARY = { type: 'user', isCompactSummary: true, isVisibleInTranscriptOnly: true };

/** Messages of the Anthropic API: a request, or a list. */
export const anthropicMessages: SessionFormat = {
  label: 'Anthropic messages (JSON)',
  certainty: 'shape',
  detect: (file) => findRequest(file) !== undefined,
  read: readRecording(
    { format: 'anthropic-messages', empty: 'a request without messages', atPrompt: 'in-front' },
    (recording, file) => readRequest(recording, findRequest(file) ?? { messages: [] }),
  ),
};

/** The request of a file; `undefined` if its messages are not of this format. */
function findRequest(file: SourceFile): AnthropicRequest | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isTelling(document) ? { messages: document } : undefined;
  if (!isObject(document)) return undefined;
  const { messages, system, model } = document;
  if (!Array.isArray(messages)) return undefined;
  const isRequest = system !== undefined && 'max_tokens' in document && isOwn(messages);
  return isRequest || isTelling(messages) ? { messages, system, model } : undefined;
}

function isTelling(messages: readonly unknown[]): boolean {
  return isOwn(messages) && messages.some(hasTellingBlock);
}

/** Tells of messages none of which is plainly another program's. */
function isOwn(messages: readonly unknown[]): boolean {
  return toRecord(messages[0]) !== undefined && !messages.some(isForeign);
}

function isForeign(value: unknown): boolean {
  return isObject(value) && FOREIGN_KEYS.some((key) => key in value);
}

/** A message as a record of a transcript, which has the same content; `undefined` if it is none. */
function toRecord(message: unknown): ClaudeRecord | undefined {
  const role = isObject(message) ? message['role'] : undefined;
  const record = parseRecord({ type: role, message });
  return record !== undefined && isConversation(record) ? record : undefined;
}

function hasTellingBlock(message: unknown): boolean {
  const content = isObject(message) ? message['content'] : undefined;
  if (!Array.isArray(content)) return false;
  return content.some((block) => {
    if (!isObject(block)) return false;
    const { type } = block;
    return TELLING.test(toText(type) ?? '') || (SOURCED.has(type) && isObject(block['source']));
  });
}

function readRequest(recording: Recording, request: AnthropicRequest): Facts {
  const { messages, system, model } = request;
  const { tally } = recording;
  const records = messages.flatMap((message) => toRecord(message) ?? []);
  tally.drop('message without a role', messages.length - records.length);
  const marked = messages.flatMap((message) => [...boundaryOf(message), message]);
  readConversation(recording, marked.flatMap(toRecords));
  const label = toText(model);
  return {
    model: label && toModelName(label, 'anthropic'),
    system: systemOf(system, tally) || undefined,
    isOutputFinal: recording.hasUsage(),
    cacheTtlMs: cacheTtlOf(records),
  };
}

/** Records before a message that holds what the server made of earlier ones, and the message without it. */
function boundaryOf(message: unknown): readonly unknown[] {
  const summaries = blocksOf(message).filter(isCompaction);
  if (summaries.length === 0) return [];
  const texts = summaries.flatMap((block) =>
    isObject(block) ? (toText(block['content']) ?? []) : [],
  );
  return [BOUNDARY, { ...SUMMARY, message: { role: 'user', content: texts.join('\n') } }];
}

/** A message as records of a transcript; one may be a record already. */
function toRecords(value: unknown): readonly ClaudeRecord[] {
  const isRecord = isObject(value) && 'isVisibleInTranscriptOnly' in value;
  if (value === BOUNDARY || isRecord) return [parseRecord(value)].flatMap((record) => record ?? []);
  const content = blocksOf(value).filter((block) => !isCompaction(block));
  const rest = isObject(value) && Array.isArray(value['content']) ? { ...value, content } : value;
  return [toRecord(rest)].flatMap((record) => record ?? []);
}

function blocksOf(message: unknown): readonly unknown[] {
  return toList(isObject(message) ? message['content'] : undefined);
}

function isCompaction(block: unknown): boolean {
  return isObject(block) && block['type'] === 'compaction';
}

/** The system prompt: a string, or blocks. */
function systemOf(system: unknown, tally: Tally): string {
  if (typeof system === 'string') return system;
  const blocks = parseBlocks(Array.isArray(system) ? system : []);
  const texts = blocks.flatMap(({ text }) => text ?? []);
  tally.drop('unknown content block', blocks.length - texts.length);
  return texts.join('\n\n');
}
