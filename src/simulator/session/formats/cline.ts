import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import { list, maybeId, maybeObject, maybeText, maybeTokens, toTime } from '../reading/lenient.ts';
import { createTally, type Tally } from '../reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  finishSession,
  noConversation,
  type RecordedUsage,
} from '../reading/transcript.ts';
import { splitCount } from '../reading/usage.ts';
import type { RecordedCompaction, Session } from '../session.ts';

/** The messages of a file with the fields around them. */
interface ClineDocument {
  readonly messages: readonly unknown[];
  readonly sessionId?: string;
  readonly system?: string;
}

interface ClineConversation {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
  /** Earlier or intermediate messages are missing. */
  readonly isPartial: boolean;
}

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
  isPartial: boolean;
  /** Set once a message reports that messages between were compacted. */
  thinned?: Pick<RecordedCompaction, 'trigger'>;
  /** Messages up to the last one that such a compaction kept. */
  keptCount: number;
}

type ClineMessage = z.infer<typeof messageSchema>;

type ClineBlock = z.infer<typeof blockSchema>;

const metricsSchema = maybeObject({
  inputTokens: maybeTokens,
  outputTokens: maybeTokens,
  cacheReadTokens: maybeTokens,
  cacheWriteTokens: maybeTokens,
  tokens: maybeObject({ prompt: maybeTokens, completion: maybeTokens, cached: maybeTokens }),
});

const messageSchema = z.object({
  id: maybeId,
  role: z.enum(['user', 'assistant']),
  content: z.unknown().optional(),
  ts: z.unknown().optional(),
  modelInfo: maybeObject({
    id: maybeId,
    provider: maybeText,
    modelId: maybeText,
    providerId: maybeText,
  }),
  metrics: metricsSchema,
  metadata: maybeObject({
    kind: maybeText,
    compaction: maybeText,
    reason: maybeText,
    summary: maybeText,
    tokensBefore: maybeTokens,
  }),
});

const blockSchema = z.object({
  type: maybeText,
  text: maybeText,
  thinking: maybeText,
  id: maybeId,
  name: maybeText,
  input: z.unknown().optional(),
  tool_use_id: maybeId,
  is_error: z.unknown().optional(),
  content: z.unknown().optional(),
  path: maybeText,
  data: maybeText,
  mediaType: maybeText,
  source: maybeObject({ media_type: maybeText, data: maybeText, url: maybeText }),
});

/** The start of a notice in a prompt about the compaction behind it. */
const NOTICE_START = '<SYSTEM_NOTICE>';

/** The start of a result in the older form, which writes calls as text. */
const RESULT_START = /^\[(\w+)(?: for [^\]]*)?\] Result:\s*/;

/** Sessions of Cline: messages with their session, or the older bare history. */
export const cline: SessionFormat = {
  label: 'Cline session (JSON)',
  certainty: 'shape',
  detect: (file) => findSession(file) !== undefined,
  read: (file) => [readSession(file)],
  keeps: {
    tools:
      'execute_command run_commands read_files replace_in_file write_to_file search_files list_files ask_followup_question attempt_completion new_task',
  },
};

/** A message, or `undefined` if it is none. */
export function parseMessage(value: unknown): ClineMessage | undefined {
  return messageSchema.safeParse(value).data;
}

/** The usage of a step; absent if it has none. */
export function usageOf({ metrics }: ClineMessage): RecordedUsage | undefined {
  const tokens = metrics?.tokens;
  return splitCount({
    input: metrics?.inputTokens ?? tokens?.prompt,
    output: metrics?.outputTokens ?? tokens?.completion,
    cacheRead: metrics?.cacheReadTokens ?? tokens?.cached,
    cacheWrite: metrics?.cacheWriteTokens,
  });
}

/** The session of a file, with its fields or as a bare history; `undefined` if there is none. */
function findSession(file: SourceFile): ClineDocument | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isHistory(document) ? { messages: document } : undefined;
  if (!isObject(document)) return undefined;
  const { messages, sessionId, agent, system_prompt: system } = document;
  if (typeof sessionId !== 'string' || typeof agent !== 'string') return undefined;
  if (!Array.isArray(messages)) return undefined;
  if (messages.length > 0 && parseMessage(messages[0]) === undefined) return undefined;
  return { messages, sessionId, ...(typeof system === 'string' && { system }) };
}

/** Recognizes a history by the time of its messages. */
function isHistory(values: readonly unknown[]): boolean {
  const [first] = values;
  const isTimed = isObject(first) && typeof first['ts'] === 'number' && 'content' in first;
  return isTimed && parseMessage(first) !== undefined;
}

function readSession(file: SourceFile): Session {
  const tally = createTally();
  const { messages: values = [], sessionId, system } = findSession(file) ?? {};
  const recorded = values.flatMap((value) => parseMessage(value) ?? []);
  tally.drop('message without a role', values.length - recorded.length);
  const { drafts, compactions, isPartial } = readConversation(recorded, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'a Cline session without messages');
  return {
    name: file.name,
    format: 'cline',
    ...(sessionId !== undefined && { sessionId }),
    isSide: false,
    isPartial,
    ...(system !== undefined && { system }),
    recordedCompactions: compactions,
    isOutputFinal: true,
    ...finishSession(drafts, tally),
  };
}

/** Reads messages in order. */
function readConversation(messages: readonly ClineMessage[], tally: Tally): ClineConversation {
  const dialogue = createDialogue(tally);
  const reading: Reading = { tally, dialogue, compactions: [], isPartial: false, keptCount: 0 };
  for (const message of messages) {
    readMessage(reading, message);
    noteThinning(reading, message);
  }
  const drafts = dialogue.end();
  return { drafts, compactions: compactionsOf(reading), isPartial: reading.isPartial };
}

function readMessage(reading: Reading, message: ClineMessage): void {
  if (message.metadata?.kind === 'compaction_summary') readSummary(reading, message);
  else if (message.role === 'assistant') readStep(reading, message);
  else readUser(reading, message);
}

/** Reads a summary; one before all messages is only the start of the session. */
function readSummary(reading: Reading, { metadata, content }: ClineMessage): void {
  const { compactions, dialogue } = reading;
  const { summary = toOutput(content), tokensBefore } = metadata ?? {};
  if (dialogue.drafts.length === 0) {
    reading.isPartial = true;
    return dialogue.inject(toOutput(content));
  }
  compactions.push({
    kind: 'full',
    messageIndex: dialogue.drafts.length,
    summary,
    ...(tokensBefore !== undefined && { tokensBefore }),
  });
}

/** A result as text: a string, its texts line by line, or JSON. */
function toOutput(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  const isBlocks =
    Array.isArray(content) && content.every((each) => isObject(each) && each['type']);
  if (!isBlocks) return toJsonText(content);
  return blocksOf(content)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
}

/** Content blocks; a string is one block. */
function blocksOf(content: unknown): readonly ClineBlock[] {
  const values = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return list.parse(values).flatMap((value) => blockSchema.safeParse(value).data ?? []);
}

function readStep({ dialogue, tally }: Reading, message: ClineMessage): void {
  const blocks = blocksOf(message.content);
  const step = dialogue.addStep({
    createdAt: toTime(message.ts),
    recordedId: message.id,
    parts: toContentParts(blocks.filter(isContent), tally),
    model: modelNameOf(message),
    usage: usageOf(message),
  });
  for (const { type, id: callId, name: tool = 'unknown', input = {} } of blocks) {
    if (type === 'tool_use') dialogue.addCall(step, { callId, tool, input });
  }
}

/** Parts that a user or a model wrote or attached, without calls and results. */
function toContentParts(blocks: readonly ClineBlock[], tally: Tally): DraftPart[] {
  return blocks.flatMap((block) => toPart(block, tally));
}

function toPart(block: ClineBlock, tally: Tally): readonly DraftPart[] {
  const { type, text = '', thinking = '', path = '', content } = block;
  if (type === 'text') return text === '' ? [] : [toText(text)];
  if (type === 'thinking') return thinking === '' ? [] : [{ type: 'reasoning', text: thinking }];
  if (type === 'image') return [toImage(block)];
  if (type === 'file' && typeof content === 'string') {
    return [{ type: 'text', text: `${path}\n${content}`, synthetic: true }];
  }
  if (type !== 'redacted_thinking') tally.drop('unknown content block');
  return [];
}

function toText(text: string): DraftPart {
  const isNotice = text.startsWith(NOTICE_START);
  return { type: 'text', text, ...(isNotice && { synthetic: true }) };
}

function toImage({ source, data = source?.data ?? '', mediaType }: ClineBlock): FilePart {
  const mime = mediaType ?? source?.media_type ?? 'image/png';
  return { type: 'file', id: '', mime, url: source?.url ?? `data:${mime};base64,${data}` };
}

function isContent({ type }: ClineBlock): boolean {
  return type !== 'tool_use' && type !== 'tool_result';
}

/** `provider/model` of a step; absent if it names no model. */
function modelNameOf({ modelInfo: info }: ClineMessage): string | undefined {
  const model = info?.id ?? info?.modelId;
  return model === undefined
    ? undefined
    : `${info?.provider ?? info?.providerId ?? 'unknown'}/${model}`;
}

/** Reads a user message. One with results opens no turn; the program wrote its other parts. */
function readUser({ dialogue, tally }: Reading, message: ClineMessage): void {
  const blocks = blocksOf(message.content);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const rest = blocks.filter(isContent);
  for (const result of results) {
    if (!finish(dialogue, result)) tally.drop('tool result without a call');
  }
  const isAnswer = results.length > 0 || readWrittenResult(dialogue, rest);
  if (results.length === 0 && isAnswer) return;
  const parts = toContentParts(rest, tally);
  if (!isAnswer) {
    dialogue.addPrompt({ createdAt: toTime(message.ts), recordedId: message.id, parts });
  } else {
    for (const part of parts) {
      dialogue.inject(part.type === 'text' ? { ...part, synthetic: true } : part);
    }
  }
}

function finish(dialogue: Dialogue, block: ClineBlock): boolean {
  const { tool_use_id: key, content, is_error: isError } = block;
  if (key === undefined) return false;
  return dialogue.finishCall({
    key,
    output: toOutput(content),
    isError: isError === true,
    attachments: filesIn(content),
  });
}

/** Images in a result. */
function filesIn(content: unknown): readonly FilePart[] {
  if (typeof content === 'string') return [];
  return blocksOf(content).flatMap((block) => (block.type === 'image' ? [toImage(block)] : []));
}

/** Reads a result written as text; its call stays in the text of the step. */
function readWrittenResult(dialogue: Dialogue, blocks: readonly ClineBlock[]): boolean {
  const texts = blocks.flatMap(({ text }) => text ?? []);
  const [first = '', ...rest] = texts;
  const [start, tool] = RESULT_START.exec(first) ?? [];
  const step = dialogue.drafts.at(-1);
  if (start === undefined || tool === undefined || step?.role !== 'assistant') return false;
  dialogue.addCall(step, { tool, input: {} });
  return dialogue.finishCall({ output: [first.slice(start.length), ...rest].join('\n').trim() });
}

function noteThinning(reading: Reading, { metadata }: ClineMessage): void {
  const count = reading.dialogue.drafts.length;
  if (metadata?.kind === 'compaction') {
    const isManual = metadata.reason?.startsWith('manual') ?? false;
    reading.thinned =
      metadata.reason === undefined ? {} : { trigger: isManual ? 'manual' : 'auto' };
    reading.isPartial = true;
  }
  if (metadata?.compaction === 'preserved') reading.keptCount = count;
}

/** The compactions; one that keeps prompts and answers happened after the last of them. */
function compactionsOf({
  compactions,
  thinned,
  keptCount,
}: Reading): readonly RecordedCompaction[] {
  if (thinned === undefined || keptCount === 0) return compactions;
  const compaction = { kind: 'full' as const, ...thinned, messageIndex: keptCount };
  return [...compactions, compaction].toSorted((a, b) => a.messageIndex - b.messageIndex);
}
