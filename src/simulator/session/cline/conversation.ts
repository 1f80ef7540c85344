import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import type { RecordedCompaction } from '../session.ts';
import type { Tally } from '../reading/tally.ts';
import { toTime } from '../reading/time.ts';
import type { DraftMessage } from '../reading/transcript.ts';
import {
  blocksOf,
  type ClineBlock,
  type ClineMessage,
  modelNameOf,
  toOutput,
  usageOf,
} from './message.ts';
import { filesIn, toContentParts } from './parts.ts';

/** What the messages of one session come to. */
export interface ClineConversation {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
  /** Something that came before, or between, is no longer in the file. */
  readonly isPartial: boolean;
}

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
  isPartial: boolean;
  /** Set once a message tells that what stood between the messages was compacted. */
  thinned?: Pick<RecordedCompaction, 'trigger'>;
  /** How many messages came up to the last that such a compaction kept. */
  keptCount: number;
}

/** How the older recorder, which calls tools in its text, begins what came of a call. */
const RESULT_START = /^\[(\w+)(?: for [^\]]*)?\] Result:\s*/;

/** Reads the messages of one session in order. */
export function readConversation(
  messages: readonly ClineMessage[],
  tally: Tally,
): ClineConversation {
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

/** A summary that nothing precedes is where the session starts, not something that happened in it. */
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

/** A message that brings results opens no turn: what else it holds was put there by the program. */
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

/** Reads a result that stands in the text; the call itself stays in the text of its step. */
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

/** A compaction that leaves prompts and answers where they were happened after the last of them that it kept. */
function compactionsOf({
  compactions,
  thinned,
  keptCount,
}: Reading): readonly RecordedCompaction[] {
  if (thinned === undefined || keptCount === 0) return compactions;
  const compaction = { kind: 'full' as const, ...thinned, messageIndex: keptCount };
  return [...compactions, compaction].toSorted((a, b) => a.messageIndex - b.messageIndex);
}

function isContent({ type }: ClineBlock): boolean {
  return type !== 'tool_use' && type !== 'tool_result';
}
