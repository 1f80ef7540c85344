import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue, type RecordedCall } from '../reading/dialogue.ts';
import {
  listOf,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  mimeIn,
  toId,
  toList,
  toModelName,
  toText,
} from '../reading/lenient.ts';
import { countLineFaults, createTally, type Tally, toInput } from '../reading/tally.ts';
import {
  type DraftPart,
  noConversation,
  type RecordedUsage,
  toEarlyFinish,
  toSession,
} from '../reading/transcript.ts';
import { splitCount, toChatUsage } from '../reading/usage.ts';
import type { Session } from '../session.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly systemTexts: string[];
  /** Earlier messages were replaced by a summary. */
  isPartial: boolean;
}

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

/** Kinds of messages by their types, with the names of classes that stream them in pieces. */
const KINDS: ReadonlyMap<unknown, Kind> = new Map<unknown, Kind>([
  ['human', 'human'],
  ['HumanMessage', 'human'],
  ['HumanMessageChunk', 'human'],
  ['ai', 'ai'],
  ['AIMessage', 'ai'],
  ['AIMessageChunk', 'ai'],
  ['tool', 'tool'],
  ['ToolMessage', 'tool'],
  ['ToolMessageChunk', 'tool'],
  ['system', 'system'],
  ['SystemMessage', 'system'],
  ['SystemMessageChunk', 'system'],
]);
const SPOKEN = new Set<Kind | undefined>(['human', 'ai']);

/** The mark of a summary that a middleware put in the place of earlier messages. */
const SUMMARIZED = 'summarization';

/** Blocks that repeat calls, or that only a provider can read. */
const SILENT = new Set<unknown>(['function_call', 'redacted_thinking', 'tool_call', 'tool_use']);

/** Messages of LangChain and LangGraph: a list, a state, or lines. */
export const langchain: SessionFormat = {
  label: 'LangChain messages (JSON or JSON lines)',
  certainty: 'shape',
  detect: (file) => findMessages(file) !== undefined,
  read: (file) => [readMessages(file)],
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
  const isOwn = values.some((value) => SPOKEN.has(kindOf(value)) && 'content' in fieldsOf(value));
  return isOwn ? values : undefined;
}

/** The kind of a message in one of its three forms: by its type, by `data`, or by the id of its class. */
function kindOf(value: unknown): Kind | undefined {
  if (!isObject(value) || 'role' in value) return undefined;
  const { lc, id, type } = value;
  return lc === undefined ? KINDS.get(type) : KINDS.get(toList(id).at(-1));
}

function fieldsOf(value: unknown): Fields {
  if (!isObject(value)) return {};
  const { lc, kwargs, data } = value;
  const inside = lc === undefined ? data : kwargs;
  return isObject(inside) ? inside : value;
}

function readMessages(file: SourceFile): Session {
  const tally = createTally();
  const values = findMessages(file) ?? [];
  if (file.json() === undefined) countLineFaults(file.lines(), tally);
  const reading: Reading = {
    tally,
    dialogue: createDialogue(tally),
    systemTexts: [],
    isPartial: false,
  };
  for (const value of values) readMessage(reading, value);
  const drafts = reading.dialogue.end();
  if (drafts.length === 0) throw noConversation(file.name, 'a list without messages');
  const system = reading.systemTexts.join('\n\n');
  return {
    ...toSession(file.name, 'langchain', { drafts, tally }),
    isPartial: reading.isPartial,
    ...(system !== '' && { system }),
    isOutputFinal: drafts.some(({ usage }) => usage !== undefined),
  };
}

function readMessage(reading: Reading, value: unknown): void {
  const kind = kindOf(value);
  const message = messageSchema.safeParse(fieldsOf(value)).data;
  if (kind === undefined || message === undefined) reading.tally.drop('message without a role');
  else if (kind === 'system') reading.systemTexts.push(textOf(message.content));
  else if (kind === 'ai') readStep(reading, message);
  else if (kind === 'tool') readResult(reading, message);
  else readPrompt(reading, message);
}

/** Reads a prompt; one that a middleware wrote stands for what is gone. */
function readPrompt(reading: Reading, message: LangchainMessage): void {
  const { dialogue, tally } = reading;
  if (message.additional_kwargs?.lc_source === SUMMARIZED) {
    reading.isPartial = true;
    return dialogue.inject(textOf(message.content));
  }
  const parts = toContentParts(message.content, tally);
  dialogue.addPrompt({ createdAt: 0, recordedId: message.id, parts });
}

function readStep({ dialogue, tally }: Reading, message: LangchainMessage): void {
  const { additional_kwargs: beside, response_metadata: told } = message;
  const thought = beside?.reasoning_content;
  const model = told?.model_name ?? told?.model;
  const step = dialogue.addStep({
    createdAt: 0,
    recordedId: message.id,
    parts: [
      ...(thought ? [{ type: 'reasoning' as const, text: thought }] : []),
      ...toContentParts(message.content, tally),
    ],
    model: model && toModelName(model, told?.model_provider),
    finish: toEarlyFinish(told?.finish_reason ?? told?.stop_reason),
    usage: toUsage(message),
  });
  for (const call of callsOf(message, tally)) dialogue.addCall(step, call);
}

/** Input includes what a cache held, output what was thought. */
function toUsage({ usage_metadata: usage, response_metadata: told }: LangchainMessage) {
  const counted: RecordedUsage | undefined = splitCount({
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
  if (calls.length > 0) {
    return calls.map(({ id: callId, name: tool = 'unknown', args: input = {} }) => ({
      callId,
      tool,
      input,
    }));
  }
  return (beside?.tool_calls ?? []).map(({ id: callId, function: called }) => ({
    callId,
    tool: called?.name ?? 'unknown',
    input: toInput(called?.arguments, tally),
  }));
}

function readResult({ dialogue, tally }: Reading, message: LangchainMessage): void {
  const { content, name: tool, status, tool_call_id: key } = message;
  const files = toContentParts(content, tally).flatMap((part): readonly FilePart[] =>
    part.type === 'file' ? [{ ...part, id: '' }] : [],
  );
  const result = { key, tool, output: outputOf(content), isError: status === 'error' };
  const isFinished = dialogue.finishCall({ ...result, attachments: files });
  if (!isFinished) tally.drop('tool result without a call');
}

function outputOf(content: unknown): string {
  if (content === undefined || content === null) return '';
  return Array.isArray(content) || typeof content === 'string'
    ? textOf(content)
    : toJsonText(content);
}

function toContentParts(content: unknown, tally: Tally): DraftPart[] {
  return blocksOf(content).flatMap((block) => toPart(block, tally));
}

/** Blocks of a message; a string is one block, also among others. */
function blocksOf(content: unknown): readonly Fields[] {
  const values = Array.isArray(content) ? content : [content ?? ''];
  return values.map((value) => (isObject(value) ? value : { text: value }));
}

function toPart(block: Fields, tally: Tally): readonly DraftPart[] {
  const { type, text: said, thinking, reasoning } = block;
  const text = toText(said);
  const thought = toText(thinking) ?? toText(reasoning) ?? summaryOf(block);
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
  if (thought !== undefined) return thought === '' ? [] : [{ type: 'reasoning', text: thought }];
  const url = urlOf(block);
  if (url !== undefined) return [{ type: 'file', mime: mimeIn(url) ?? 'image/*', url }];
  if (!SILENT.has(type)) tally.drop('unknown content block');
  return [];
}

/** The summary of thoughts that only the provider can read. */
function summaryOf({ type, summary }: Fields): string | undefined {
  if (type !== 'reasoning') return undefined;
  return toList(summary)
    .flatMap((piece) => (isObject(piece) ? (toText(piece['text']) ?? []) : []))
    .join('\n');
}

/** The address of an image or another file: three libraries write it in three ways. */
function urlOf(block: Fields): string | undefined {
  const { image_url: image, url, base64, data, source, mime_type: mime } = block;
  const linked = isObject(image) ? image['url'] : (image ?? url);
  if (typeof linked === 'string') return linked;
  const held = isObject(source) ? source : { media_type: mime, data: base64 ?? data };
  const bytes = toId(held['data']);
  return bytes && `data:${toText(held['media_type']) ?? 'image/*'};base64,${bytes}`;
}

function textOf(content: unknown): string {
  return blocksOf(content)
    .flatMap(({ text }) => toText(text) ?? [])
    .join('\n');
}
