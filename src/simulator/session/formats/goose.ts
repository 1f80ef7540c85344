import { z } from 'zod';
import type { FilePart } from '../../../engine/index.ts';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { JsonLines, SessionFormat, SourceFile } from '../format.ts';
import { createDialogue, type Dialogue } from '../reading/dialogue.ts';
import {
  flag,
  list,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  toModelName,
  toText,
  toTime,
} from '../reading/lenient.ts';
import { createTally, readRecordLines, type Tally } from '../reading/tally.ts';
import {
  type DraftPart,
  noConversation,
  toRecordedWindows,
  toSession,
} from '../reading/transcript.ts';
import type { RecordedCompaction, Session } from '../session.ts';

interface Reading {
  readonly tally: Tally;
  readonly dialogue: Dialogue;
  readonly compactions: RecordedCompaction[];
  /** The message before was for the model only. */
  isHidden: boolean;
}

type GooseMessage = z.infer<typeof messageSchema>;
type GooseContent = z.infer<typeof contentSchema>;

const outcomeSchema = maybeObject({
  status: maybeText,
  value: z.unknown().optional(),
  error: z.unknown().optional(),
});

const contentSchema = z.object({
  type: maybeText,
  id: maybeId,
  text: maybeText,
  thinking: maybeText,
  data: maybeText,
  mimeType: maybeText,
  toolCall: outcomeSchema,
  toolResult: outcomeSchema,
});

const messageSchema = z.object({
  id: maybeId,
  role: z.enum(['user', 'assistant']),
  created: z.unknown().optional(),
  content: list,
  metadata: maybeObject({ userVisible: z.unknown().optional(), agentVisible: flag }),
});

const headerSchema = z.object({
  id: maybeId,
  role: z.never().optional(),
  provider_name: maybeText,
  model_config: maybeObject({ model_name: maybeText, context_limit: maybeTokens }),
});

const REQUESTS = new Set<unknown>(['frontendToolRequest', 'toolRequest']);
const RESPONSE = 'toolResponse';

/** Content for the person at the screen, or that only a provider can read. */
const SILENT = new Set<unknown>([
  'actionRequired',
  'conversationCompacted',
  'redactedThinking',
  'systemNotification',
  'toolConfirmationRequest',
]);

/** Sessions of Goose: messages line by line, or a whole export. */
export const goose: SessionFormat = {
  label: 'Goose session (JSON or JSON lines)',
  certainty: 'shape',
  detect: (file) => linesOf(file).records.some(isTelling),
  read: (file) => [readSession(file)],
  keeps: {
    tools: 'developer__shell developer__text_editor todo__todo_write',
  },
};

/** Messages line by line; those of an export stand in one document. */
function linesOf(file: SourceFile): JsonLines {
  const lines = file.lines();
  const [document] = lines.records;
  const exported = isObject(document)
    ? (document['conversation'] ?? document['messages'])
    : undefined;
  return lines.records.length === 1 && Array.isArray(exported)
    ? { ...lines, records: exported }
    : lines;
}

/** Recognizes messages with calls or results, as no other recorder writes them. */
function isTelling(record: unknown): boolean {
  const content = isObject(record) ? record['content'] : undefined;
  return Array.isArray(content) && content.some(isCall);
}

function isCall(content: unknown): boolean {
  if (!isObject(content)) return false;
  const { type, toolCall, toolResult } = content;
  return (REQUESTS.has(type) && isObject(toolCall)) || (type === RESPONSE && isObject(toolResult));
}

function readSession(file: SourceFile): Session {
  const tally = createTally();
  const lines = readRecordLines(
    linesOf(file),
    (line) => (isObject(line) ? line : undefined),
    tally,
  );
  const reading: Reading = {
    tally,
    dialogue: createDialogue(tally),
    compactions: [],
    isHidden: false,
  };
  for (const [index, line] of lines.entries()) {
    const message = messageSchema.safeParse(line).data;
    if (message !== undefined) readMessage(reading, message);
    else if (index > 0) tally.drop('message without a role');
  }
  const drafts = reading.dialogue.end();
  if (drafts.length === 0) throw noConversation(file.name, 'a session without messages');
  const header = headerSchema.safeParse(file.lines().records[0]).data;
  const { id: sessionId, provider_name: provider, model_config: config } = header ?? {};
  const { model_name: model, context_limit: contextTokens } = config ?? {};
  return {
    ...toSession(file.name, 'goose', {
      drafts,
      tally,
      model: model && toModelName(model, provider),
      sessionId,
    }),
    recordedCompactions: reading.compactions,
    ...toRecordedWindows([{ messageIndex: 0, contextTokens }]),
  };
}

function readMessage(reading: Reading, message: GooseMessage): void {
  const isHidden = message.metadata?.userVisible === false && message.metadata.agentVisible;
  if (isHidden) readHidden(reading, message);
  else if (message.role === 'assistant') readStep(reading, message);
  else readUser(reading, message);
  reading.isHidden = isHidden;
}

/** Reads what a compaction wrote for the model: first a summary, then texts to go on with. */
function readHidden({ dialogue, compactions, isHidden }: Reading, message: GooseMessage): void {
  const messageIndex = dialogue.drafts.length;
  if (isHidden || messageIndex === 0) return;
  const summary = contentsOf(message)
    .flatMap(({ text }) => text ?? [])
    .join('\n');
  compactions.push({ kind: 'full', messageIndex, ...(summary !== '' && { summary }) });
}

function contentsOf({ content }: GooseMessage): readonly GooseContent[] {
  return content.map((each) => contentSchema.parse(isObject(each) ? each : {}));
}

function readStep({ dialogue, tally }: Reading, message: GooseMessage): void {
  const contents = contentsOf(message);
  const rest = contents.filter(({ type }) => !REQUESTS.has(type));
  const step = dialogue.addStep({
    createdAt: toTime(message.created),
    recordedId: message.id,
    parts: rest.flatMap((content) => toParts(content, tally)),
  });
  for (const { type, id: callId, toolCall } of contents) {
    if (!REQUESTS.has(type)) continue;
    const value = isObject(toolCall?.value) ? toolCall.value : {};
    const { name, arguments: input = {} } = value;
    dialogue.addCall(step, { callId, tool: toText(name) ?? 'unknown', input });
  }
}

/** Reads a user message; one with results opens no turn. */
function readUser({ dialogue, tally }: Reading, message: GooseMessage): void {
  const contents = contentsOf(message);
  const results = contents.filter(({ type }) => type === RESPONSE);
  for (const result of results) {
    if (!finish(dialogue, result, tally)) tally.drop('tool result without a call');
  }
  const rest = contents.filter(({ type }) => type !== RESPONSE);
  const parts = rest.flatMap((content) => toParts(content, tally));
  if (results.length === 0) {
    const createdAt = toTime(message.created);
    return dialogue.addPrompt({ createdAt, recordedId: message.id, parts: [...parts] });
  }
  for (const part of parts) {
    dialogue.inject(part.type === 'text' ? { ...part, synthetic: true } : part);
  }
}

/** Converts a piece that a user or a model wrote or attached. */
function toParts(content: GooseContent, tally: Tally): DraftPart[] {
  const { type, text, thinking, data, mimeType: mime = 'image/png' } = content;
  if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
  if (thinking !== undefined) return thinking === '' ? [] : [{ type: 'reasoning', text: thinking }];
  if (data !== undefined && type === 'image') {
    return [{ type: 'file', mime, url: `data:${mime};base64,${data}` }];
  }
  if (!SILENT.has(type)) tally.drop('unknown content part');
  return [];
}

/** Completes a call. Results were lists of pieces, later objects with such a list. */
function finish(dialogue: Dialogue, { id: key, toolResult }: GooseContent, tally: Tally): boolean {
  if (key === undefined) return false;
  const { value, error } = toolResult ?? {};
  const { content = value, isError = false } = isObject(value) ? value : {};
  if (error !== undefined) {
    const output = typeof error === 'string' ? error : toJsonText(error);
    return dialogue.finishCall({ key, output, isError: true });
  }
  const pieces = list.parse(content).map((each) => contentSchema.parse(isObject(each) ? each : {}));
  const parts = pieces.flatMap((piece) => toParts(piece, tally));
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []));
  const attachments = parts.flatMap((part): FilePart[] =>
    part.type === 'file' ? [{ ...part, id: '' }] : [],
  );
  return dialogue.finishCall({
    key,
    output: texts.join('\n'),
    isError: isError === true,
    attachments,
  });
}
