import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readFound, readRecording, type Recording } from '../reading/recording.ts';
import * as claude from './claude-code-conversation.ts';

const FOREIGN_KEYS = ['parts', 'tool_call_id', 'tool_calls', 'toolInvocations', 'ts'];
/** Types of content that no other provider has; `image` and `document` only with a source. */
const TELLING = /^(?:compaction|(?:\w+_)?tool_(?:use|result)|(?:redacted_)?thinking)$/;
const SOURCED = kit.wordsIn('document image');

/** Messages of the Anthropic API: a request, or a list. */
export const anthropicMessages: SessionFormat = {
  label: 'Anthropic messages (JSON)',
  certainty: 'shape',
  ...readFound(
    findRequest,
    { empty: 'a request without messages', ...claude.CLAUDE_BLOCKS },
    readRequest,
  ),
};

const START = 'session_start';
const BOOKKEEPING = kit.wordsIn(`agent_turn_outcome session_settings ${START} todo_state`);
const SUMMARY_KEYS = ['summaryText', 'summary', 'text'];

/** Sessions of Droid: messages of the Anthropic API, one a line. */
export const droid: SessionFormat = {
  label: 'Droid session (JSON lines)',
  detect: (file) => kit.hasLines(file, isStart, isMessage),
  read: readRecording(claude.CLAUDE_BLOCKS, readSession),
};

function findRequest(file: SourceFile): kit.Fields | undefined {
  const document = file.json();
  const request = Array.isArray(document) ? { messages: document } : kit.fieldsOf(document);
  const messages: unknown = request['messages'];
  if (!Array.isArray(messages) || !isOwn(messages)) return undefined;
  const isWhole = 'system' in request && 'max_tokens' in request;
  return isWhole || kit.objectsIn(messages).some(hasTellingBlock) ? request : undefined;
}

function isOwn(messages: readonly unknown[]): boolean {
  const isOfOther = kit
    .objectsIn(messages)
    .some((message) => FOREIGN_KEYS.some((key) => key in message));
  return recordOf(messages[0]).isSaid && !isOfOther;
}

function hasTellingBlock({ content }: kit.Fields) {
  return kit
    .objectsIn(content)
    .some(
      ({ type, source }) =>
        TELLING.test(kit.orEmpty(type)) || (SOURCED.has(type) && isObject(source)),
    );
}

function recordOf(message: unknown): claude.ClaudeRecord {
  return claude.toRecord({ type: kit.fieldsOf(message)['role'], message });
}

function readRequest(recording: Recording, { messages, system, model, tools }: kit.Fields): Facts {
  const isSaid = (message: kit.Fields) => recordOf(message).isSaid;
  const told = recording.readObjects(messages, kit.NO_ROLE, isSaid);
  const records = told.map(recordOf);
  claude.readConversation(recording, records);
  const blocks = kit.blocksOf(system);
  const texts = blocks.flatMap(({ text }) => kit.toText(text) ?? []);
  recording.tally.drop('unknown content block', blocks.length - texts.length);
  return {
    model: kit.toModel(model, 'anthropic'),
    system: texts.join('\n\n') || undefined,
    definitions: kit.definitionsIn(tools),
    isOutputFinal: recording.hasUsage(),
    cacheTtlMs: claude.cacheTtlOf(records),
  };
}

function isStart({ type, id }: kit.Fields): boolean {
  return type === START && kit.toId(id) !== undefined;
}

function isMessage({ type, message }: kit.Fields) {
  return (
    type === 'message' && claude.toRecord({ type: kit.fieldsOf(message)['role'], message }).isSaid
  );
}

function readSession(recording: Recording, file: SourceFile): Facts {
  const lines = recording.readLines(file.lines());
  const records = lines.flatMap((line) => toLines(recording, line)).map(claude.toRecord);
  claude.readConversation(recording, claude.withoutRepeats(records, recording.tally));
  return { sessionId: lines.find(isStart)?.['id'] };
}

/** A line as a transcript has it; a compaction is a boundary with its summary behind it. */
function toLines({ tally }: Recording, line: kit.Fields): kit.Objects {
  const { type, id: uuid, timestamp, message } = line;
  if (isMessage(line)) return [{ type: kit.fieldsOf(message)['role'], uuid, timestamp, message }];
  if (type === 'compaction_state') {
    const content = SUMMARY_KEYS.flatMap((key) => kit.toText(line[key]) ?? [])[0];
    const boundary = { type: 'system', subtype: 'compact_boundary', timestamp };
    const summary = { type: 'user', isCompactSummary: true, message: { content } };
    return content === undefined ? [boundary] : [boundary, summary];
  }
  if (type === 'message') tally.drop(kit.NO_ROLE);
  else if (!BOOKKEEPING.has(type)) tally.dropUnknown(type);
  return [];
}
