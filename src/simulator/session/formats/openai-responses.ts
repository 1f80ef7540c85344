import { isObject } from '../../lib/json.ts';
import type { SessionFormat, SourceFile } from '../format.ts';
import { toList, toModelName, toText } from '../reading/lenient.ts';
import { createTally } from '../reading/tally.ts';
import { finishSession, noConversation } from '../reading/transcript.ts';
import type { Session } from '../session.ts';
import { isConversation, isRolloutLine, parseRecord } from './codex-records.ts';
import { readConversation } from './codex.ts';

/** The items of a request with the fields around them. */
interface ResponsesRequest {
  readonly items: readonly unknown[];
  readonly instructions?: unknown;
  readonly model?: unknown;
}

/** Types of items that no other list of messages has. */
const TELLING = /^(?:function|custom_tool|local_shell)_call(?:_output)?$/;

/** Items of the OpenAI Responses API: a request, or a list. */
export const openaiResponses: SessionFormat = {
  label: 'OpenAI Responses items (JSON)',
  certainty: 'shape',
  detect: (file) => findRequest(file) !== undefined,
  read: (file) => [readRequest(file)],
};

/** The request of a file; `undefined` if its items are not of this format. */
function findRequest(file: SourceFile): ResponsesRequest | undefined {
  const document = file.json();
  if (Array.isArray(document)) return isTelling(document) ? { items: document } : undefined;
  if (!isObject(document)) return undefined;
  const { input, output, instructions, model } = document;
  const items = [...toList(input), ...toList(output)];
  return isTelling(items) ? { items, instructions, model } : undefined;
}

/** Recognizes items by a call, or by a message with typed pieces. */
function isTelling(items: readonly unknown[]): boolean {
  return items.some((item) => isCall(item) || isRolloutLine(item)) && items.some(isSaid);
}

function isCall(item: unknown): boolean {
  return isObject(item) && TELLING.test(toText(item['type']) ?? '');
}

function isSaid(item: unknown): boolean {
  const record = parseRecord(item);
  return record !== undefined && isConversation(record);
}

function readRequest(file: SourceFile): Session {
  const tally = createTally();
  const { items = [], instructions, model } = findRequest(file) ?? {};
  const records = items.flatMap((item) => parseRecord(item) ?? []);
  tally.drop('message that is no object', items.length - records.length);
  const { drafts } = readConversation(records, tally);
  if (drafts.length === 0) throw noConversation(file.name, 'items without messages');
  const system = toText(instructions) ?? '';
  const label = toText(model);
  return {
    name: file.name,
    format: 'openai-responses',
    isSide: false,
    isPartial: false,
    ...(system !== '' && { system }),
    recordedCompactions: [],
    isOutputFinal: false,
    ...finishSession(drafts, tally, label && toModelName(label, 'openai')),
  };
}
