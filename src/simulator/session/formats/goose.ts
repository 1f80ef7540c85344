import { z } from 'zod';
import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { JsonLines, SessionFormat, SourceFile } from '../format.ts';
import { asInjected, type Block, blocks, textOf, toOutput, toParts } from '../reading/content.ts';
import {
  flag,
  maybeId,
  maybeObject,
  maybeText,
  maybeTokens,
  toId,
  toModelName,
  toText,
  toTime,
} from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { readRecordLines } from '../reading/tally.ts';

type GooseMessage = z.infer<typeof messageSchema>;

const messageSchema = z.object({
  id: maybeId,
  role: z.enum(['user', 'assistant']),
  created: z.unknown().optional(),
  content: blocks,
  metadata: maybeObject({ userVisible: z.unknown().optional(), agentVisible: flag }),
});

const headerSchema = z.object({
  id: maybeId,
  role: z.never().optional(),
  provider_name: maybeText,
  model_config: maybeObject({ model_name: maybeText, context_limit: maybeTokens }),
});

const CALLS = new Set<unknown>(['frontendToolRequest', 'toolRequest']);
const RESULTS = new Set<unknown>(['toolResponse']);

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
  read: readRecording({ format: 'goose' }, readMessages),
  keeps: {
    tools: 'developer__shell developer__text_editor todo__todo_write',
  },
};

/** Messages line by line; those of an export stand in one document. */
function linesOf(file: SourceFile): JsonLines {
  const lines = file.lines();
  const [document] = lines.records;
  const exported = isObject(document) && (document['conversation'] ?? document['messages']);
  const isExport = lines.records.length === 1 && Array.isArray(exported);
  return isExport ? { ...lines, records: exported } : lines;
}

/** Recognizes messages with calls or results, as no other recorder writes them. */
function isTelling(record: unknown): boolean {
  const content = isObject(record) ? record['content'] : undefined;
  return Array.isArray(content) && content.some(isCall);
}

function isCall(content: unknown): boolean {
  if (!isObject(content)) return false;
  const { type, toolCall, toolResult } = content;
  return (CALLS.has(type) && isObject(toolCall)) || (RESULTS.has(type) && isObject(toolResult));
}

function readMessages(recording: Recording, file: SourceFile): Facts {
  const { tally } = recording;
  const lines = readRecordLines(
    linesOf(file),
    (line) => (isObject(line) ? line : undefined),
    tally,
  );
  let wasHidden = false;
  for (const [index, line] of lines.entries()) {
    const message = messageSchema.safeParse(line).data;
    if (message === undefined) {
      if (index > 0) tally.drop('message without a role');
      continue;
    }
    const { content, metadata } = message;
    const isHidden = metadata?.userVisible === false && metadata.agentVisible;
    // A compaction writes for the model only: first a summary, then texts to go on with.
    if (!isHidden) readMessage(recording, message);
    else if (!wasHidden) recording.addCompaction({ summary: textOf(content) });
    wasHidden = isHidden;
  }
  const header = headerSchema.safeParse(file.lines().records[0]).data;
  const { id: sessionId, provider_name: provider, model_config: config } = header ?? {};
  const { model_name: model, context_limit: contextTokens } = config ?? {};
  recording.addWindow(contextTokens, 0);
  return { sessionId, model: model && toModelName(model, provider) };
}

/** Reads a message; a user message with results opens no turn. */
function readMessage(recording: Recording, message: GooseMessage): void {
  const { id: recordedId, role, created, content } = message;
  const { tally } = recording;
  const ofTools = role === 'assistant' ? CALLS : RESULTS;
  const tools = content.filter(({ type }) => ofTools.has(type));
  const rest = content.filter(({ type }) => !ofTools.has(type));
  const said = { createdAt: toTime(created), recordedId };
  if (role === 'assistant') {
    const step = recording.addStep({ ...said, parts: toParts(rest, tally, { silent: SILENT }) });
    for (const call of tools) recording.addCall(step, toCall(call));
    return;
  }
  for (const result of tools) addResult(recording, result);
  const parts = toParts(rest, tally, { silent: SILENT });
  if (tools.length === 0) recording.addPrompt({ ...said, parts });
  else for (const part of parts) recording.inject(asInjected(part));
}

function toCall({ id, toolCall }: Block) {
  const value = isObject(toolCall) && isObject(toolCall['value']) ? toolCall['value'] : {};
  const { name, arguments: input = {} } = value;
  return { callId: toId(id), tool: toText(name) ?? 'unknown', input };
}

/** Completes a call. Results were lists of blocks, later objects with such a list. */
function addResult(recording: Recording, { id, toolResult }: Block): void {
  const { value, error } = isObject(toolResult) ? toolResult : {};
  const { content = value, isError } = isObject(value) ? value : {};
  const failed = typeof error === 'string' ? error : toJsonText(error);
  recording.addResult(
    toId(id),
    error === undefined
      ? { ...toOutput(content, recording.tally, { silent: SILENT }), isError: isError === true }
      : { output: failed, isError: true },
  );
}
