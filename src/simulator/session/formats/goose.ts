import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import {
  blocksOf,
  type Fields,
  fieldsOf,
  objectsIn,
  textOf,
  toId,
  toModel,
  toText,
  toTokens,
  valueAt,
  wordsIn,
} from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';

const CALLS = wordsIn('frontendToolRequest toolRequest');
const RESULTS = wordsIn('toolResponse');

const SILENT = wordsIn(`
  actionRequired conversationCompacted redactedThinking systemNotification
  toolConfirmationRequest`);

/** Sessions of Goose: messages line by line, or a whole export. */
export const goose: SessionFormat = {
  label: 'Goose session (JSON or JSON lines)',
  certainty: 'shape',
  detect: (file) => linesOf(file).records.some(isTelling),
  read: readRecording({ format: 'goose', silent: SILENT }, readMessages),
  keeps: { tools: 'developer__shell developer__text_editor todo__todo_write' },
};

function linesOf(file: SourceFile) {
  const lines = file.lines();
  const exported = valueAt(lines.records[0], 'conversation messages');
  const isExport = lines.records.length === 1 && Array.isArray(exported);
  return isExport ? { ...lines, records: exported } : lines;
}

function isTelling(record: unknown) {
  return objectsIn(fieldsOf(record)['content']).some(
    ({ type, toolCall, toolResult }) =>
      (CALLS.has(type) && isObject(toolCall)) || (RESULTS.has(type) && isObject(toolResult)),
  );
}

function readMessages(recording: Recording, file: SourceFile): Facts {
  let wasHidden = false;
  for (const [index, message] of recording.readLines(linesOf(file)).entries()) {
    const { role, content, metadata } = message;
    if (role !== 'user' && role !== 'assistant') {
      if (index > 0) recording.tally.drop('message without a role');
      continue;
    }
    const { userVisible, agentVisible } = fieldsOf(metadata);
    const isHidden = userVisible === false && agentVisible === true;
    // A compaction writes for the model only: first a summary, then texts to go on with.
    if (!isHidden) readMessage(recording, message);
    else if (!wasHidden) recording.addCompaction({ summary: textOf(content) });
    wasHidden = isHidden;
  }
  const head = fieldsOf(file.lines().records[0]);
  const header = 'role' in head ? {} : head;
  const { model_name: model, context_limit: window } = fieldsOf(header['model_config']);
  recording.addWindow(toTokens(window), 0);
  return { sessionId: toId(header['id']), model: toModel(model, header['provider_name']) };
}

function readMessage(recording: Recording, message: Fields) {
  const { id, role, created: time, content: told } = message;
  const ofTools = role === 'assistant' ? CALLS : RESULTS;
  const blocks = blocksOf(told);
  const tools = blocks.filter(({ type }) => ofTools.has(type));
  const content = blocks.filter(({ type }) => !ofTools.has(type));
  if (role === 'assistant') recording.readStep({ id, time, content, calls: tools.map(toCall) });
  else if (tools.length === 0) recording.readPrompt({ id, time, content });
  else {
    for (const result of tools) readResult(recording, result);
    recording.readInjected(content);
  }
}

function toCall({ id, toolCall }: Fields) {
  return { ...fieldsOf(fieldsOf(toolCall)['value']), id };
}

/** Results were lists of blocks, later objects with such a list. */
function readResult(recording: Recording, { id, toolResult }: Fields) {
  const { value, error } = fieldsOf(toolResult);
  const { content = value, isError } = fieldsOf(value);
  if (error === undefined) recording.readResult({ id, content, isError });
  else recording.readResult({ id, output: toText(error) ?? toJsonText(error), isError: true });
}
