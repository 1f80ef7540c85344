import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import {
  flag,
  list,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  toTime,
} from '../reading/lenient.ts';
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

/** A result that is written as text, under a heading that names the tool. */
interface WrittenResult {
  readonly tool: string;
  readonly blocks: readonly ClineBlock[];
}

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
  isPartial: boolean;
  /** Ids of condensations whose messages are still recorded. */
  readonly condenseIds: ReadonlySet<string | undefined>;
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
  isSummary: flag,
  condenseId: maybeId,
  condenseParent: maybeId,
  isTruncationMarker: flag,
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

/** The start of what the program tells about the editor with each message. */
const ENVIRONMENT_START = '<environment_details>';

/** The start of a result that is written as text. */
const RESULT_START = /^\[([\w-]+)(?: for .*?)?\] Result:\s*/s;

/**
 * Messages that stay behind a summary of the assistant's; a summary of the user's is the last message at its time. Source: Roo Code,
 * `src/core/condense/index.ts`, `N_MESSAGES_TO_KEEP`.
 */
const KEPT_BEHIND_SUMMARY = 3;

/** Sessions of Cline and Roo Code: messages with their session, or a bare history. */
export const cline: SessionFormat = {
  label: 'Cline or Roo Code session (JSON)',
  certainty: 'shape',
  detect: (file) => findSession(file) !== undefined,
  read: (file) => [readSession(file)],
  keeps: {
    tools:
      'execute_command run_commands read_files replace_in_file write_to_file search_files list_files ask_followup_question attempt_completion new_task',
    reasons: 'marker truncation',
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
  const condenseIds = new Set(messages.flatMap(({ condenseParent }) => condenseParent ?? []));
  const reading: Reading = {
    tally,
    dialogue,
    compactions: [],
    isPartial: false,
    condenseIds,
    keptCount: 0,
  };
  const ends = messages.map((message) => {
    readMessage(reading, message);
    noteThinning(reading, message);
    return dialogue.drafts.length;
  });
  reading.compactions.push(...condensationsOf(reading, messages, ends));
  const drafts = dialogue.end();
  return { drafts, compactions: compactionsOf(reading), isPartial: reading.isPartial };
}

function readMessage(reading: Reading, message: ClineMessage): void {
  if (message.metadata?.kind === 'compaction_summary') readSummary(reading, message);
  else if (message.isTruncationMarker) reading.tally.drop('truncation marker');
  else if (message.isSummary) readCondensation(reading, message);
  else if (message.role === 'assistant') readStep(reading, message);
  else readUser(reading, message);
}

/** Leaves out a summary of messages that are still recorded; another stands in for them. */
function readCondensation(reading: Reading, message: ClineMessage): void {
  if (reading.condenseIds.has(message.condenseId)) return;
  reading.isPartial = true;
  reading.dialogue.inject(summaryOf(message));
}

/** The condensations among the messages; `ends` counts the messages of the session up to each. */
function condensationsOf(
  { condenseIds }: Reading,
  messages: readonly ClineMessage[],
  ends: readonly number[],
): readonly RecordedCompaction[] {
  return messages.flatMap((message, index): readonly RecordedCompaction[] => {
    const { isSummary, condenseId, role } = message;
    if (!isSummary || condenseId === undefined || !condenseIds.has(condenseId)) return [];
    const place = ends[index] ?? 0;
    const keptCount = role === 'assistant' ? KEPT_BEHIND_SUMMARY : 0;
    const messageIndex = ends[Math.min(index + keptCount, ends.length - 1)] ?? place;
    const kept = messageIndex > place && { firstKeptMessageIndex: place };
    return place === 0
      ? []
      : [{ kind: 'full', messageIndex, summary: summaryOf(message), ...kept }];
  });
}

/** The texts of a summary, without the state of the editor. */
function summaryOf({ content }: ClineMessage): string {
  const texts = blocksOf(content).flatMap(({ type, text }) => (type === 'text' && text) || []);
  return texts.filter((text) => !isOfProgram(text)).join('\n');
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
  const { type, text = '', thinking = text, path = '', content } = block;
  if (type === 'text') return text === '' ? [] : [toText(text)];
  if (type === 'thinking' || type === 'reasoning') {
    return thinking === '' ? [] : [{ type: 'reasoning', text: thinking }];
  }
  if (type === 'image') return [toImage(block)];
  if (type === 'file' && typeof content === 'string') {
    return [{ type: 'text', text: `${path}\n${content}`, synthetic: true }];
  }
  if (type !== 'redacted_thinking') tally.drop('unknown content block');
  return [];
}

function toText(text: string): DraftPart {
  return { type: 'text', text, ...(isOfProgram(text) && { synthetic: true }) };
}

function isOfProgram(text: string): boolean {
  return text.startsWith(NOTICE_START) || text.startsWith(ENVIRONMENT_START);
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
  for (const result of results) {
    if (!finish(dialogue, result, tally)) tally.drop('tool result without a call');
  }
  const content = blocks.filter(isContent);
  const written = results.length === 0 && answersStep(dialogue) ? writtenResultsIn(content) : [];
  finishWritten(dialogue, written, tally);
  const used = new Set(written.flatMap((each) => each.blocks));
  const parts = toContentParts(
    content.filter((block) => !used.has(block)),
    tally,
  );
  if (results.length + written.length === 0) {
    dialogue.addPrompt({ createdAt: toTime(message.ts), recordedId: message.id, parts });
  } else
    for (const part of parts)
      dialogue.inject(part.type === 'text' ? { ...part, synthetic: true } : part);
}

function finish(dialogue: Dialogue, block: ClineBlock, tally: Tally): boolean {
  const { tool_use_id: key, content, is_error: isError } = block;
  if (key === undefined) return false;
  const blocks = blocksOf(content);
  tally.drop('unknown content block', blocks.filter(isUnreadable).length);
  return dialogue.finishCall({
    key,
    output: toOutput(content),
    isError: isError === true,
    attachments: filesIn(blocks),
  });
}

function isUnreadable({ type, text }: ClineBlock): boolean {
  return type !== undefined && type !== 'image' && text === undefined;
}

/** Images in a result. */
function filesIn(blocks: readonly ClineBlock[]): readonly FilePart[] {
  return blocks.flatMap((block) => (block.type === 'image' ? [toImage(block)] : []));
}

function answersStep({ drafts }: Dialogue): boolean {
  return drafts.at(-1)?.role === 'assistant';
}

/** Results that are written as texts: each heading begins one, and what follows belongs to it, except the state of the editor. */
function writtenResultsIn(blocks: readonly ClineBlock[]): readonly WrittenResult[] {
  const results: { tool: string; blocks: ClineBlock[] }[] = [];
  for (const block of blocks) {
    const { type, text = '' } = block;
    const tool = RESULT_START.exec(text)?.[1];
    if (tool !== undefined) results.push({ tool, blocks: [block] });
    else if (type === 'image' || (type === 'text' && !isOfProgram(text))) {
      results.at(-1)?.blocks.push(block);
    }
  }
  return results;
}

/** Finishes calls of the last step by tool; a step without calls wrote them in its text, where they stay. */
function finishWritten(dialogue: Dialogue, results: readonly WrittenResult[], tally: Tally): void {
  const step = dialogue.drafts.at(-1);
  if (step === undefined) return;
  const hasCalls = step.parts.some(({ type }) => type === 'tool');
  for (const { tool, blocks } of results) {
    if (!hasCalls) dialogue.addCall(step, { tool, input: {} });
    const texts = blocks.flatMap(({ text }) => text ?? []);
    const output = texts.join('\n').replace(RESULT_START, '').trim();
    const isFinished = dialogue.finishCall({ tool, output, attachments: filesIn(blocks) });
    if (!isFinished) tally.drop('tool result without a call');
  }
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
