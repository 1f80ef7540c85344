import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readRecording, type Recording } from '../reading/recording.ts';
import { splitCount } from '../reading/transcript.ts';
import { type CodexRecord, isConversation, isRolloutLine, toRecord } from './codex-records.ts';
import { CODEX_BLOCKS, readConversation } from './codex.ts';

/** Types of items that no other list of messages has. */
const TELLING = /^(?:function|custom_tool|local_shell)_call(?:_output)?$/;

/** Items of the OpenAI Responses API: a request, or a list. */
export const openaiResponses: SessionFormat = {
  label: 'OpenAI Responses items (JSON)',
  certainty: 'shape',
  detect: (file) => {
    // A call, or a message with typed pieces.
    const items = itemsOf(requestOf(file));
    const isOwn = items.some(
      (item) => TELLING.test(kit.toText(kit.fieldsOf(item)['type']) ?? '') || isRolloutLine(item),
    );
    return isOwn && kit.objectsIn(items).map(toRecord).some(isConversation);
  },
  read: readRecording({ empty: 'items without messages', ...CODEX_BLOCKS }, (recording, file) =>
    readRequest(recording, requestOf(file)),
  ),
};

function requestOf(file: SourceFile) {
  const document = file.json();
  return Array.isArray(document) ? { input: document } : kit.fieldsOf(document);
}

function itemsOf({ input, output }: kit.Fields) {
  const isPrompt = typeof input === 'string';
  const asked = isPrompt ? [{ type: 'message', role: 'user', content: input }] : kit.toList(input);
  return [...asked, ...kit.toList(output)];
}

function readRequest(recording: Recording, request: kit.Fields): Facts {
  const { instructions, model, usage, tools } = request;
  const items = itemsOf(request);
  const records = kit.objectsIn(items).map(toRecord).map(toEvent);
  recording.tally.drop('message that is no object', items.length - records.length);
  readConversation(recording, records);
  const last = recording.drafts.at(-1);
  // The usage is that of the request that the last items answer.
  if (last?.role === 'assistant') last.usage ??= splitCount(usage);
  return {
    model: kit.toModel(model, 'openai'),
    isPartial: records[0]?.type === 'event_msg',
    system: kit.toId(instructions),
    definitions: kit.definitionsIn(tools),
    isOutputFinal: last?.usage !== undefined,
  };
}

/** A compaction by the server, which stands between the items, as the event that Codex makes of one. */
function toEvent(record: CodexRecord) {
  const { payload } = record;
  if (payload['type'] !== 'compaction') return record;
  return { ...record, type: 'event_msg', payload: { ...payload, type: 'context_compacted' } };
}
