import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { blocksOf } from '../reading/content.ts';
import { type Fields, fieldsOf, objectsIn, toModel, toText } from '../reading/lenient.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { CLAUDE_BLOCKS, readConversation } from './claude-code-conversation.ts';
import { cacheTtlOf, type ClaudeRecord, toRecord } from './claude-code-records.ts';

const FOREIGN_KEYS = ['parts', 'tool_call_id', 'tool_calls', 'toolInvocations', 'ts'];

/** Types of content that no other provider has; `image` and `document` only with a source. */
const TELLING = /^(?:compaction|(?:\w+_)?tool_(?:use|result)|(?:redacted_)?thinking)$/;
const SOURCED = new Set<unknown>(['document', 'image']);

/** Messages of the Anthropic API: a request, or a list. */
export const anthropicMessages: SessionFormat = {
  label: 'Anthropic messages (JSON)',
  certainty: 'shape',
  detect: (file) => findRequest(file) !== undefined,
  read: readRecording(
    { format: 'anthropic-messages', empty: 'a request without messages', ...CLAUDE_BLOCKS },
    (recording, file) => readRequest(recording, findRequest(file) ?? {}),
  ),
};

function findRequest(file: SourceFile): Fields | undefined {
  const document = file.json();
  const request = Array.isArray(document) ? { messages: document } : fieldsOf(document);
  const messages: unknown = request['messages'];
  if (!Array.isArray(messages) || !isOwn(messages)) return undefined;
  const isWhole = 'system' in request && 'max_tokens' in request;
  return isWhole || objectsIn(messages).some(hasTellingBlock) ? request : undefined;
}

function isOwn(messages: readonly unknown[]): boolean {
  const isOfOther = objectsIn(messages).some((message) =>
    FOREIGN_KEYS.some((key) => key in message),
  );
  return recordOf(messages[0]).isSaid && !isOfOther;
}

function hasTellingBlock({ content }: Fields): boolean {
  return objectsIn(content).some(
    ({ type, source }) =>
      TELLING.test(toText(type) ?? '') || (SOURCED.has(type) && isObject(source)),
  );
}

function recordOf(message: unknown): ClaudeRecord {
  return toRecord({ type: fieldsOf(message)['role'], message });
}

function readRequest(recording: Recording, { messages, system, model }: Fields): Facts {
  const told = recording.readObjects(messages, 'message without a role');
  const records = told.map(recordOf).filter(({ isSaid }) => isSaid);
  recording.tally.drop('message without a role', told.length - records.length);
  readConversation(recording, records);
  const blocks = blocksOf(system);
  const texts = blocks.flatMap(({ text }) => toText(text) ?? []);
  recording.tally.drop('unknown content block', blocks.length - texts.length);
  return {
    model: toModel(model, 'anthropic'),
    system: texts.join('\n\n') || undefined,
    isOutputFinal: recording.hasUsage(),
    cacheTtlMs: cacheTtlOf(records),
  };
}
