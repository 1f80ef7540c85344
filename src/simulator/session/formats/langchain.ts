import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { type Block, textOf, toOutput, toParts } from '../reading/content.ts';
import type { RecordedCall } from '../reading/dialogue.ts';
import {
  listOf,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  toList,
  toModelName,
} from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { countLineFaults, type Tally, toInput } from '../reading/tally.ts';
import { toEarlyFinish } from '../reading/transcript.ts';
import { splitCount, toChatUsage } from '../reading/usage.ts';

type Kind = 'human' | 'ai' | 'tool' | 'system';
type LangchainMessage = z.infer<typeof messageSchema>;

const messageSchema = z.object({
  content: z.unknown().optional(),
  id: maybeId,
  name: maybeText,
  status: maybeText,
  tool_call_id: maybeId,
  tool_calls: listOf(z.object({ id: maybeId, name: maybeText, args: z.unknown().optional() })),
  usage_metadata: maybeObject({
    input_tokens: maybeTokens,
    output_tokens: maybeTokens,
    input_token_details: maybeObject({ cache_read: maybeTokens, cache_creation: maybeTokens }),
    output_token_details: maybeObject({ reasoning: maybeTokens }),
  }),
  additional_kwargs: maybeObject({
    lc_source: maybeText,
    reasoning_content: maybeText,
    tool_calls: listOf(
      z.object({
        id: maybeId,
        function: maybeObject({ name: maybeText, arguments: z.unknown().optional() }),
      }),
    ),
  }),
  response_metadata: maybeObject({
    model_name: maybeText,
    model: maybeText,
    model_provider: maybeText,
    finish_reason: maybeText,
    stop_reason: maybeText,
    token_usage: z.unknown().optional(),
  }),
});

/** Kinds of messages by type, and by the name of a class; pieces of a stream end in `Chunk`. */
const KINDS: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  ['human', 'human'],
  ['HumanMessage', 'human'],
  ['ai', 'ai'],
  ['AIMessage', 'ai'],
  ['tool', 'tool'],
  ['ToolMessage', 'tool'],
  ['system', 'system'],
  ['SystemMessage', 'system'],
]);

/** The mark of a summary that a middleware put in the place of earlier messages. */
const SUMMARIZED = 'summarization';

const BLOCKS = {
  /** Blocks that repeat calls, or that only a provider can read. */
  silent: new Set<unknown>(['function_call', 'redacted_thinking', 'tool_call', 'tool_use']),
  reason: 'unknown content block',
};

/** Messages of LangChain and LangGraph: a list, a state, or lines. */
export const langchain: SessionFormat = {
  label: 'LangChain messages (JSON or JSON lines)',
  certainty: 'shape',
  detect: (file) => findMessages(file) !== undefined,
  read: readRecording({ format: 'langchain', empty: 'a list without messages' }, readMessages),
};

/** The messages of a file; `undefined` if they are not of this format. */
function findMessages(file: SourceFile): readonly unknown[] | undefined {
  const document = file.json();
  if (document === undefined) return ownMessages(file.lines().records);
  if (Array.isArray(document)) return ownMessages(document) ?? ownMessages(document[0]);
  if (!isObject(document)) return undefined;
  const { values, messages = isObject(values) ? values['messages'] : undefined } = document;
  return ownMessages(messages) ?? ownMessages(toList(messages)[0]);
}

/** A list that says who spoke, and nothing that other libraries say. */
function ownMessages(values: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(values) || kindOf(values[0]) === undefined) return undefined;
  return values.some(isSpoken) ? values : undefined;
}

function isSpoken(value: unknown): boolean {
  const kind = kindOf(value);
  return (kind === 'human' || kind === 'ai') && 'content' in fieldsOf(value);
}

/** The kind of a message in one of its three forms: by its type, by `data`, or by the id of its class. */
function kindOf(value: unknown): Kind | undefined {
  if (!isObject(value) || 'role' in value) return undefined;
  const { lc, id, type } = value;
  const name = lc === undefined ? type : toList(id).at(-1);
  return KINDS.get(typeof name === 'string' ? name.replace(/MessageChunk$/, 'Message') : name);
}

function fieldsOf(value: unknown): Block {
  if (!isObject(value)) return {};
  const { lc, kwargs, data } = value;
  const inside = lc === undefined ? data : kwargs;
  return isObject(inside) ? inside : value;
}

function readMessages(recording: Recording, file: SourceFile): Facts {
  const { tally } = recording;
  if (file.json() === undefined) countLineFaults(file.lines(), tally);
  let isPartial = false;
  for (const value of findMessages(file) ?? []) {
    const kind = kindOf(value);
    const message = messageSchema.safeParse(fieldsOf(value)).data;
    if (kind === undefined || message === undefined) tally.drop('message without a role');
    else if (kind === 'system') recording.addSystem(textOf(message.content));
    else if (kind === 'ai') readStep(recording, message);
    else if (kind === 'tool') readResult(recording, message);
    else if (message.additional_kwargs?.lc_source === SUMMARIZED) {
      isPartial = true;
      recording.inject(textOf(message.content));
    } else {
      const parts = toParts(message.content, tally, BLOCKS);
      recording.addPrompt({ createdAt: 0, recordedId: message.id, parts });
    }
  }
  return { isPartial, isOutputFinal: recording.hasUsage() };
}

function readStep(recording: Recording, message: LangchainMessage): void {
  const { tally } = recording;
  const { content, additional_kwargs: beside, response_metadata: told } = message;
  const model = told?.model_name ?? told?.model;
  const step = recording.addStep({
    createdAt: 0,
    recordedId: message.id,
    parts: [
      ...toParts([{ thinking: beside?.reasoning_content ?? '' }], tally),
      ...toParts(Array.isArray(content) ? content.map(withSummary) : content, tally, BLOCKS),
    ],
    model: model && toModelName(model, told?.model_provider),
    finish: toEarlyFinish(told?.finish_reason ?? told?.stop_reason),
    usage: toUsage(message),
  });
  for (const call of callsOf(message, tally)) recording.addCall(step, call);
}

/** Input includes what a cache held, output what was thought. */
function toUsage({ usage_metadata: usage, response_metadata: told }: LangchainMessage) {
  const counted = splitCount({
    input: usage?.input_tokens,
    output: usage?.output_tokens,
    reasoning: usage?.output_token_details?.reasoning,
    cacheRead: usage?.input_token_details?.cache_read,
    cacheWrite: usage?.input_token_details?.cache_creation,
  });
  return counted ?? toChatUsage(told?.token_usage);
}

/** Calls in order; early releases kept them as their provider wrote them. */
function callsOf(message: LangchainMessage, tally: Tally): readonly RecordedCall[] {
  const { tool_calls: calls, additional_kwargs: beside } = message;
  const early = (beside?.tool_calls ?? []).map(({ id, function: called }) => ({
    id,
    name: called?.name,
    args: toInput(called?.arguments, tally),
  }));
  return (calls.length > 0 ? calls : early).map(
    ({ id: callId, name: tool = 'unknown', args: input = {} }) => ({ callId, tool, input }),
  );
}

/** Reads the texts and files of a result, or all of it as JSON. */
function readResult(recording: Recording, message: LangchainMessage): void {
  const { content, name: tool, status, tool_call_id: key } = message;
  const isTold = content === null || Array.isArray(content) || typeof content === 'string';
  const result = toOutput(content, recording.tally, BLOCKS);
  const output = isTold || content === undefined ? result.output : toJsonText(content);
  const isFinished = recording.finishCall({
    ...result,
    key,
    tool,
    output,
    isError: status === 'error',
  });
  if (!isFinished) recording.tally.drop('tool result without a call');
}

/** A block with the summary of thoughts that only the provider can read. */
function withSummary(block: unknown): unknown {
  if (!isObject(block) || block['type'] !== 'reasoning' || 'reasoning' in block) return block;
  return { ...block, reasoning: textOf(toList(block['summary'])) };
}
