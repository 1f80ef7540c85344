import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { maybeObject, maybeTokens, toId, toList, toModelName, toText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { type CodexRecord, isConversation, isRolloutLine, parseRecord } from './codex-records.ts';
import { readConversation, toUsage } from './codex.ts';

/** The items of a request with the fields around them. */
interface ResponsesRequest {
  readonly items: readonly unknown[];
  readonly instructions?: unknown;
  readonly model?: unknown;
  /** Of the request that the last items answer. */
  readonly usage?: unknown;
}

/** Types of items that no other list of messages has. */
const TELLING = /^(?:function|custom_tool|local_shell)_call(?:_output)?$/;

const COMPACTION = 'compaction';

const usageSchema = z
  .object({
    input_tokens: maybeTokens,
    output_tokens: maybeTokens,
    input_tokens_details: maybeObject({ cached_tokens: maybeTokens }),
    output_tokens_details: maybeObject({ reasoning_tokens: maybeTokens }),
  })
  .transform(({ input_tokens_details: input, output_tokens_details: output, ...usage }) => ({
    ...usage,
    cached_input_tokens: input?.cached_tokens,
    reasoning_output_tokens: output?.reasoning_tokens,
    cache_write_input_tokens: undefined,
    total_tokens: undefined,
  }));

/** Items of the OpenAI Responses API: a request, or a list. */
export const openaiResponses: SessionFormat = {
  label: 'OpenAI Responses items (JSON)',
  certainty: 'shape',
  detect: (file) => findRequest(file) !== undefined,
  read: readRecording(
    { format: 'openai-responses', empty: 'items without messages', atPrompt: 'in-front' },
    (recording, file) => readRequest(recording, findRequest(file) ?? { items: [] }),
  ),
};

/** The request of a file; `undefined` if its items are not of this format. */
function findRequest(file: SourceFile): ResponsesRequest | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isTelling(document) ? { items: document } : undefined;
  if (!isObject(document)) return undefined;
  const { input, output, instructions, model, usage } = document;
  const prompt =
    typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
  const items = [...toList(prompt), ...toList(output)];
  return isTelling(items) ? { items, instructions, model, usage } : undefined;
}

/** Recognizes items by a call, or by a message with typed pieces. */
function isTelling(items: readonly unknown[]): boolean {
  return items.some((item) => isCall(item) || isRolloutLine(item)) && items.some(isSaid);
}

function isCall(item: unknown): boolean {
  return isObject(item) && TELLING.test(toText(item['type']) ?? '');
}

function isSaid(item: unknown): boolean {
  const record = parseRecord(item);
  return record !== undefined && isConversation(record);
}

function readRequest(recording: Recording, request: ResponsesRequest): Facts {
  const { items, instructions, model, usage } = request;
  const records = items.flatMap((item) => parseRecord(item) ?? []).map(toEvent);
  recording.tally.drop('message that is no object', items.length - records.length);
  readConversation(recording, records);
  const last = recording.drafts.at(-1);
  if (last?.role === 'assistant') last.usage ??= toUsage(usageSchema.safeParse(usage).data);
  const label = toText(model);
  return {
    model: label && toModelName(label, 'openai'),
    isPartial: records[0]?.type === 'event_msg',
    system: toId(instructions),
    isOutputFinal: last?.usage !== undefined,
  };
}

/** A compaction by the server, which stands between the items, as the event that Codex makes of one. */
function toEvent(record: CodexRecord): CodexRecord {
  if (record.payload.type !== COMPACTION) return record;
  return {
    ...record,
    type: 'event_msg',
    payload: { ...record.payload, type: 'context_compacted' },
  };
}
