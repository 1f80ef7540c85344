import { createCallIds } from '../reading/call-ids.ts';
import { createPending } from '../reading/pending.ts';
import type { RecordedCompaction } from '../session.ts';
import type { Tally } from '../reading/tally.ts';
import { addStep, type DraftMessage, type DraftPart } from '../reading/transcript.ts';
import { dropUnknown } from '../reading/unknown-records.ts';
import type { ChatLog, Replacement } from './log.ts';
import { isInjected, type Responses, toStepParts, toUserParts } from './parts.ts';
import {
  contentOf,
  type GeminiMessage,
  type GeminiResponse,
  isStep,
  isUnknown,
  isUser,
  timeOf,
} from './record.ts';
import { toUsage } from './usage.ts';

/** What the messages of a chat come to. */
export interface GeminiConversation {
  readonly drafts: readonly DraftMessage[];
  readonly compactions: readonly RecordedCompaction[];
}

/** How many messages of the session there were before a message of the chat, and with it. */
interface Place {
  readonly before: number;
  readonly after: number;
}

/** Reads the messages of a chat in order. */
export function readConversation(log: ChatLog, tally: Tally): GeminiConversation {
  const messages = [...log.messages.values()];
  dropUnknown(
    tally,
    messages.filter(isUnknown).map(({ type, role }) => type ?? role),
  );
  const drafts: DraftMessage[] = [];
  const readMessage = createReader(drafts, collectResponses(messages, tally), tally);
  const places = new Map<string, Place>();
  for (const [id, message] of log.messages) {
    const before = drafts.length;
    readMessage(message);
    places.set(id, { before, after: drafts.length });
  }
  readMessage(undefined);
  const compactions = log.replacements
    .flatMap((each) => toCompaction(each, places))
    .toSorted((a, b) => a.messageIndex - b.messageIndex);
  return { drafts, compactions };
}

/** Reads message by message; `undefined` is the end. */
function createReader(
  drafts: DraftMessage[],
  responses: Responses,
  tally: Tally,
): (message: GeminiMessage | undefined) => void {
  const pending = createPending(drafts, tally);
  const onlyNew = createCallFilter(tally);
  const readUser = (message: GeminiMessage) => {
    const parts = toUserParts(message, tally);
    for (const part of parts) pending.add(part);
    if (parts.every(isInjected)) return;
    drafts.push({ role: 'user', ...originOf(message), parts: pending.take() });
  };
  const readStep = (message: GeminiMessage) => {
    pending.place(timeOf(message));
    const parts = toStepParts(message, responses, tally).flatMap(onlyNew);
    const model = message.model === undefined ? undefined : `google/${message.model}`;
    const usage = toUsage(message.tokens);
    addStep(drafts, { role: 'assistant', ...originOf(message), parts, model, usage }, tally);
  };
  return (message) => {
    if (message === undefined) pending.place(0);
    else if (isUser(message)) readUser(message);
    else if (isStep(message)) readStep(message);
  };
}

function createCallFilter(tally: Tally): (part: DraftPart) => readonly DraftPart[] {
  const ids = createCallIds(tally);
  const calledIds = new Set<string>();
  return (part) => {
    if (part.type !== 'tool' || part.callId === undefined) return [part];
    const callId = ids.ofCall(part.callId, { name: part.tool, input: part.state.input });
    const isNew = !calledIds.has(callId);
    if (!isNew) tally.drop('repeated tool call');
    calledIds.add(callId);
    return isNew ? [{ ...part, callId }] : [];
  };
}

function originOf(message: GeminiMessage): Pick<DraftMessage, 'recordedId' | 'createdAt'> {
  return { recordedId: message.id, createdAt: timeOf(message) };
}

/** Results in messages of their own by the id of their call; of several with one id the first holds. */
function collectResponses(messages: readonly GeminiMessage[], tally: Tally): Responses {
  const calledIds = new Set(messages.filter(isStep).flatMap(callIdsOf));
  const responses = new Map<string, GeminiResponse>();
  for (const { functionResponse: told } of messages.filter(isUser).flatMap(contentOf)) {
    if (told === undefined) continue;
    const { id } = told;
    if (id === undefined || !calledIds.has(id)) tally.drop('tool result without a call');
    else if (!responses.has(id)) responses.set(id, told);
  }
  return responses;
}

function callIdsOf(message: GeminiMessage): readonly (string | undefined)[] {
  const called = contentOf(message).map(({ functionCall }) => functionCall?.id);
  return [...message.toolCalls.map(({ id }) => id), ...called];
}

/** A replacement that nothing precedes is where the session starts. */
function toCompaction(
  { afterId = '', firstKeptId = '', summary }: Replacement,
  places: ReadonlyMap<string, Place>,
): readonly RecordedCompaction[] {
  const messageIndex = places.get(afterId)?.after ?? 0;
  const firstKeptMessageIndex = places.get(firstKeptId)?.before;
  if (messageIndex === 0) return [];
  const isKept = firstKeptMessageIndex !== undefined && firstKeptMessageIndex < messageIndex;
  return [
    {
      kind: 'full',
      messageIndex,
      ...(summary !== '' && { summary }),
      ...(isKept && { firstKeptMessageIndex }),
    },
  ];
}
