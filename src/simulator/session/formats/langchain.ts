import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import * as kit from '../reading/fields.ts';
import { type Facts, readFound, type Recording } from '../reading/recording.ts';
import { splitCount } from '../reading/transcript.ts';

const SPOKEN = kit.wordsIn('ai human');
const KIND = /^(?:(human|ai|tool|system)|(Human|AI|Tool|System)Message(?:Chunk)?)$/;
const SUMMARIZED = 'summarization';
const SILENT = kit.wordsIn('function_call redacted_thinking tool_call tool_use');

/** Messages of LangChain and LangGraph: a list, a state, or lines. */
export const langchain: SessionFormat = {
  label: 'LangChain messages (JSON or JSON lines)',
  certainty: 'shape',
  ...readFound(
    findMessages,
    { empty: 'a list without messages', silent: SILENT, reason: 'unknown content block' },
    readMessages,
  ),
};

function findMessages(file: SourceFile) {
  const document = file.json();
  if (document === undefined) return ownMessages(file.lines().records);
  const messages = Array.isArray(document)
    ? document
    : kit.valueAt(document, 'messages values.messages');
  return ownMessages(messages) ?? ownMessages(kit.toList(messages)[0]);
}

function ownMessages(values: unknown) {
  if (!Array.isArray(values) || kindOf(values[0]) === undefined) return undefined;
  const isSpoken = (value: unknown) => SPOKEN.has(kindOf(value)) && 'content' in messageOf(value);
  return values.some(isSpoken) ? values : undefined;
}

function kindOf(value: unknown) {
  if (!isObject(value) || 'role' in value) return undefined;
  const { lc, id, type } = value;
  const name = lc === undefined ? type : kit.toList(id).at(-1);
  const [, kind, ofClass = kind] = KIND.exec(kit.orEmpty(name)) ?? [];
  return ofClass?.toLowerCase();
}

function messageOf(value: unknown) {
  const { lc, kwargs, data } = kit.fieldsOf(value);
  const inside = lc === undefined ? data : kwargs;
  return isObject(inside) ? inside : kit.fieldsOf(value);
}

function readMessages(recording: Recording, messages: readonly unknown[], file: SourceFile): Facts {
  if (file.json() === undefined) kit.countLineFaults(file.lines(), recording.tally);
  let isPartial = false;
  for (const value of messages) {
    const kind = kindOf(value);
    const message = messageOf(value);
    const { id, content } = message;
    if (kind === undefined) recording.tally.drop(kit.NO_ROLE);
    else if (kind === 'system') recording.addSystem(content);
    else if (kind === 'ai') readStep(recording, message);
    else if (kind === 'tool') {
      const { name, status, tool_call_id: callId } = message;
      recording.readResult({ id: callId, name, content, isError: status === 'error' });
    } else if (kit.valueAt(message, 'additional_kwargs.lc_source') === SUMMARIZED) {
      isPartial = true;
      recording.readInjected(content);
    } else recording.readPrompt({ id, content });
  }
  return { isPartial, isOutputFinal: recording.hasUsage() };
}

function readStep(recording: Recording, message: kit.Fields) {
  const { id, content, response_metadata: told, additional_kwargs: beside } = message;
  const calls = kit.objectsIn(message['tool_calls']);
  // Early releases kept calls and usage as their provider wrote them.
  const early = kit.objectsIn(kit.fieldsOf(beside)['tool_calls']);
  recording.readStep({
    id,
    thinking: kit.fieldsOf(beside)['reasoning_content'],
    content: Array.isArray(content) ? content.map(withSummary) : content,
    calls: calls.length > 0 ? calls : early,
    model: kit.toModel(kit.valueAt(told, 'model_name model'), kit.fieldsOf(told)['model_provider']),
    finish: kit.valueAt(told, 'finish_reason stop_reason'),
    usage: splitCount(message['usage_metadata']) ?? splitCount(kit.fieldsOf(told)['token_usage']),
  });
}

/** A block with the summary of thoughts that only the provider can read. */
function withSummary(block: unknown) {
  if (!isObject(block) || block['type'] !== 'reasoning' || 'reasoning' in block) return block;
  return { ...block, reasoning: kit.textOf(kit.toList(block['summary'])) };
}
