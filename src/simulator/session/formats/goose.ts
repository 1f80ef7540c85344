import { isObject } from '../../lib/json.ts';
import { toJsonText } from '../files/source-file.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';

const CALLS = kit.wordsIn('frontendToolRequest toolRequest');
const RESULTS = kit.wordsIn('toolResponse');

const SILENT = kit.wordsIn(`
  actionRequired conversationCompacted redactedThinking systemNotification
  toolConfirmationRequest`);

/** Sessions of Goose: messages line by line, or a whole export. */
export const goose: SessionFormat = {
  label: 'Goose session (JSON or JSON lines)',
  certainty: 'shape',
  detect: (file) => linesOf(file).records.some(isTelling),
  read: readRecording({ silent: SILENT }, readMessages),
};

function linesOf(file: SourceFile) {
  const lines = file.lines();
  const exported = kit.valueAt(lines.records[0], 'conversation messages');
  const isExport = lines.records.length === 1 && Array.isArray(exported);
  return isExport ? { ...lines, records: exported } : lines;
}

function isTelling(record: unknown) {
  return kit
    .objectsIn(kit.fieldsOf(record)['content'])
    .some(
      ({ type, toolCall, toolResult }) =>
        (CALLS.has(type) && isObject(toolCall)) || (RESULTS.has(type) && isObject(toolResult)),
    );
}

function readMessages(recording: Recording, file: SourceFile): Facts {
  let wasHidden = false;
  for (const [index, message] of recording.readLines(linesOf(file)).entries()) {
    const { role, content, metadata } = message;
    if (role !== 'user' && role !== 'assistant') {
      if (index > 0) recording.tally.drop(kit.NO_ROLE);
      continue;
    }
    const { userVisible, agentVisible } = kit.fieldsOf(metadata);
    const isHidden = userVisible === false && agentVisible === true;
    // A compaction writes for the model only: first a summary, then texts to go on with.
    if (!isHidden) readMessage(recording, message);
    else if (!wasHidden) recording.addCompaction({ summary: kit.textOf(content) });
    wasHidden = isHidden;
  }
  const head = kit.fieldsOf(file.lines().records[0]);
  const header = 'role' in head ? {} : head;
  const { model_name: model, context_limit: window } = kit.fieldsOf(header['model_config']);
  recording.addWindow(window, 0);
  return { sessionId: header['id'], model: kit.toModel(model, header['provider_name']) };
}

function readMessage(recording: Recording, message: kit.Fields) {
  const { id, role, created: time, content: told } = message;
  const ofTools = role === 'assistant' ? CALLS : RESULTS;
  const blocks = kit.blocksOf(told);
  const tools = blocks.filter(({ type }) => ofTools.has(type));
  const content = blocks.filter(({ type }) => !ofTools.has(type));
  if (role === 'assistant') recording.readStep({ id, time, content, calls: tools.map(toCall) });
  else if (tools.length === 0) recording.readPrompt({ id, time, content });
  else {
    for (const result of tools) readResult(recording, result);
    recording.readInjected(content);
  }
}

function toCall({ id, toolCall }: kit.Fields) {
  return { ...kit.fieldsOf(kit.fieldsOf(toolCall)['value']), id };
}

/** Results were lists of blocks, later objects with such a list. */
function readResult(recording: Recording, { id, toolResult }: kit.Fields) {
  const { value, error } = kit.fieldsOf(toolResult);
  const { content = value, isError } = kit.fieldsOf(value);
  if (error === undefined) recording.readResult({ id, content, isError });
  else recording.readResult({ id, output: kit.toText(error) ?? toJsonText(error), isError: true });
}
