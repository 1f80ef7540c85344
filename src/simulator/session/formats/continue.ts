import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import {
  list,
  listOf,
  maybeId,
  maybeObject,
  maybeText,
  mimeIn,
  toModelName,
  toText,
} from '../reading/lenient.ts';
import { createTally, type Tally, toInput } from '../reading/tally.ts';
import { type DraftPart, noConversation, toSession } from '../reading/transcript.ts';
import { toChatUsage } from '../reading/usage.ts';
import type { RecordedCompaction, Session } from '../session.ts';

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
  /** Thoughts that stand before the step that they belong to. */
  thoughts: readonly DraftPart[];
  readonly systemTexts: string[];
  /** Earlier messages were replaced by a summary. */
  isPartial: boolean;
  /** Calls whose output their step tells. */
  readonly answeredIds: Set<string>;
}

type Item = z.infer<typeof itemSchema>;
type ContinueMessage = Item['message'];

const callSchema = z.object({
  id: maybeId,
  function: maybeObject({ name: maybeText, arguments: z.unknown().optional() }),
});

const contextSchema = z.object({ content: maybeText });

const itemSchema = z.object({
  message: z.object({
    role: z.enum(['assistant', 'system', 'thinking', 'tool', 'user']),
    content: z.unknown().optional(),
    toolCalls: listOf(callSchema),
    toolCallId: maybeId,
    usage: z.unknown().optional(),
  }),
  contextItems: listOf(contextSchema),
  toolCallStates: listOf(
    z.object({ toolCallId: maybeId, status: maybeText, output: listOf(contextSchema) }),
  ),
  reasoning: maybeObject({ text: maybeText }),
  conversationSummary: maybeText,
});

/** States of a call that will not get an output any more, or has it. */
const ANSWERED = new Set<string | undefined>(['done', 'errored', 'canceled']);
const FAILED = new Set<string | undefined>(['errored', 'canceled']);

/** Sessions of Continue: of its command line, and of its extensions. */
export const continueSession: SessionFormat = {
  label: 'Continue session (JSON)',
  certainty: 'mark',
  detect: (file) => historyOf(file) !== undefined,
  read: (file) => [readSession(file)],
  keeps: {
    tools: 'Bash CheckBackgroundJob Edit Fetch List MultiEdit Read Search UploadArtifact Write',
  },
};

/** The history of a session; `undefined` if it is none of Continue. */
function historyOf(file: SourceFile): readonly unknown[] | undefined {
  const document = file.json();
  if (!isObject(document) || typeof document['sessionId'] !== 'string') return undefined;
  const { history } = document;
  return Array.isArray(history) && history.some(isItem) ? history : undefined;
}

function isItem(value: unknown): boolean {
  return isObject(value) && 'contextItems' in value && itemSchema.safeParse(value).success;
}

function readSession(file: SourceFile): Session {
  const tally = createTally();
  const history = historyOf(file) ?? [];
  const items = history.flatMap((value) => itemSchema.safeParse(value).data ?? []);
  tally.drop('message without a role', history.length - items.length);
  const reading: Reading = {
    tally,
    dialogue: createDialogue(tally),
    compactions: [],
    thoughts: [],
    systemTexts: [],
    isPartial: false,
    answeredIds: new Set(),
  };
  for (const item of items) readItem(reading, item);
  const drafts = reading.dialogue.end();
  if (drafts.length === 0) throw noConversation(file.name, 'a session without messages');
  const document = file.json();
  const { sessionId, workspaceDirectory } = isObject(document) ? document : {};
  const folder = toText(workspaceDirectory);
  const system = reading.systemTexts.join('\n\n');
  return {
    ...toSession(file.name, 'continue', { drafts, tally }),
    ...(typeof sessionId === 'string' && { sessionId }),
    ...(folder && { folder }),
    isPartial: reading.isPartial,
    ...(system !== '' && { system }),
    recordedCompactions: reading.compactions,
    isOutputFinal: true,
  };
}

function readItem(reading: Reading, item: Item): void {
  const { dialogue } = reading;
  const { message, conversationSummary: summary } = item;
  const { role, content } = message;
  if (summary !== undefined && summary === content) {
    // The command line keeps nothing of what it summarized.
    reading.isPartial = true;
    return dialogue.inject(summary);
  }
  if (role === 'system') reading.systemTexts.push(textOf(content));
  else if (role === 'thinking') reading.thoughts = thoughtsOf(textOf(content));
  else if (role === 'tool') readResult(reading, message);
  else if (role === 'user') readPrompt(reading, item);
  else readStep(reading, item);
  const messageIndex = dialogue.drafts.length;
  if (summary && messageIndex > 0) {
    reading.compactions.push({ kind: 'full', messageIndex, summary });
  }
}

function thoughtsOf(text: string): readonly DraftPart[] {
  return text === '' ? [] : [{ type: 'reasoning', text }];
}

/** Reads a prompt with the files and texts that were attached to it, which are sent in front. */
function readPrompt({ dialogue, tally }: Reading, { message, contextItems }: Item): void {
  for (const { content = '' } of contextItems) dialogue.inject(content);
  dialogue.addPrompt({ createdAt: 0, parts: toContentParts(message.content, tally) });
}

function readStep(reading: Reading, item: Item): void {
  const { dialogue, tally, answeredIds, thoughts } = reading;
  const { message, reasoning, toolCallStates } = item;
  const told = thoughtsOf(reasoning?.text ?? '');
  reading.thoughts = [];
  const model = isObject(message.usage) ? toText(message.usage['model']) : undefined;
  const step = dialogue.addStep({
    createdAt: 0,
    parts: [...(told.length > 0 ? told : thoughts), ...toContentParts(message.content, tally)],
    model: model && toModelName(model),
    usage: toChatUsage(message.usage),
  });
  for (const { id: callId, function: called } of message.toolCalls) {
    const input = toInput(called?.arguments, tally);
    dialogue.addCall(step, { callId, tool: called?.name ?? 'unknown', input });
  }
  for (const { toolCallId: key, status, output } of toolCallStates) {
    if (key === undefined || !ANSWERED.has(status)) continue;
    const texts = output.flatMap(({ content }) => content ?? []);
    dialogue.finishCall({ key, output: texts.join('\n'), isError: FAILED.has(status) });
    answeredIds.add(key);
  }
}

/** Reads a result with a message of its own; the step of its call may have told it. */
function readResult({ dialogue, tally, answeredIds }: Reading, message: ContinueMessage): void {
  const { toolCallId: key, content } = message;
  if (key !== undefined && answeredIds.has(key)) return;
  const isFinished = key !== undefined && dialogue.finishCall({ key, output: textOf(content) });
  if (!isFinished) tally.drop('tool result without a call');
}

function toContentParts(content: unknown, tally: Tally): DraftPart[] {
  return piecesOf(content).flatMap((piece): DraftPart[] => {
    const text = toText(piece['text']);
    if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
    const image = isObject(piece['imageUrl']) ? toText(piece['imageUrl']['url']) : undefined;
    if (image === undefined) tally.drop('unknown content part');
    return image === undefined ? [] : [toFile(image)];
  });
}

function toFile(url: string): Omit<FilePart, 'id'> {
  return { type: 'file', mime: mimeIn(url) ?? 'image/*', url };
}

function piecesOf(content: unknown): readonly Readonly<Record<string, unknown>>[] {
  const values = typeof content === 'string' ? [{ text: content }] : list.parse(content);
  return values.map((value) => (isObject(value) ? value : {}));
}

function textOf(content: unknown): string {
  return piecesOf(content)
    .flatMap((piece) => toText(piece['text']) ?? [])
    .join('\n');
}
