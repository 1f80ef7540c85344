import type { Message } from '../message.ts';
import type { RenderPolicy } from '../policy.ts';
import { isSent, type ModelMessage, renderMessage } from '../render.ts';

/** The messages that a checker has seen, by their ids and those of their calls. */
export interface Seen {
  /** Adds messages, and returns what is wrong with them beside those added before. */
  takeIn(messages: readonly Message[], render: RenderPolicy): Novelty;
  /** Forgets messages whose ids no other seen message has. */
  forget(messages: readonly Message[]): void;
  forgetAll(): void;
}

/** Faults of new messages beside those seen before. */
export interface Novelty {
  /** Messages whose ids others have. */
  readonly repeated: readonly Message[];
  /** Messages with calls that do not pair up. */
  readonly unpaired: readonly Unpaired[];
}

/** A message with each fault of its calls and results. */
interface Unpaired {
  readonly message: Message;
  readonly problems: readonly string[];
}

const NO_CALLS: readonly string[] = [];
const NOTHING: readonly never[] = [];
const CALL_ID_USED_TWICE = 'a call id is used twice';

/** A memory of no message yet. */
export function createSeen(): Seen {
  const messageIds = new Set<string>();
  const callIds = new Set<string>();
  return {
    takeIn: (messages, render) => {
      let repeated: readonly Message[] = NOTHING;
      let unpaired: readonly Unpaired[] = NOTHING;
      for (const message of messages) {
        if (wasSeen(messageIds, message.id)) repeated = [...repeated, message];
        const problems = problemsIn(message, render, (callId) => wasSeen(callIds, callId));
        if (problems.length > 0) unpaired = [...unpaired, { message, problems }];
      }
      return { repeated, unpaired };
    },
    forget: (messages) => {
      for (const message of messages) {
        messageIds.delete(message.id);
        for (const callId of callIdsOf(message)) callIds.delete(callId);
      }
    },
    forgetAll: () => {
      messageIds.clear();
      callIds.clear();
    },
  };
}

/** Tests if messages have the ids and call ids of others at the same places, and pair their calls up. */
export function haveSameIds(messages: readonly Message[], others: readonly Message[]): boolean {
  return messages.every((message, index) => {
    const other = others[index];
    if (message === other) return true;
    if (other === undefined || message.id !== other.id) return false;
    const calls = pairedCallsOf(message);
    const otherCalls = pairedCallsOf(other);
    return calls !== undefined && otherCalls !== undefined && haveSameCalls(calls, otherCalls);
  });
}

/**
 * The ids of the calls that a message is sent with. A call always comes with its result, so they pair up while no id is
 * used twice; absent where one is, and for a summary, which may be sent in another form.
 */
export function pairedCallsOf(message: Message): readonly string[] | undefined {
  if (message.role === 'user') return NO_CALLS;
  if (message.summary === true) return undefined;
  if (!isSent(message)) return NO_CALLS;
  const calls = callsIn(message);
  return calls.length < 2 || new Set(calls).size === calls.length ? calls : undefined;
}

/** The faults of calls and results in model messages. `isUsed` is called once for each call. */
export function pairingProblems(
  sent: readonly ModelMessage[],
  isUsed: (callId: string) => boolean,
): readonly string[] {
  const open = new Set<string>();
  const problems: string[] = [];
  for (const content of sent.flatMap((message) => message.content)) {
    if (content.type === 'tool-call') {
      if (isUsed(content.callId)) problems.push(CALL_ID_USED_TWICE);
      open.add(content.callId);
    }
    if (content.type === 'tool-result' && !open.delete(content.callId)) {
      problems.push('a result has no call before it');
    }
  }
  return open.size === 0 ? problems : [...problems, 'a call has no result'];
}

function problemsIn(
  message: Message,
  render: RenderPolicy,
  isUsed: (callId: string) => boolean,
): readonly string[] {
  const calls = pairedCallsOf(message);
  if (calls === undefined) {
    if (!message.parts.some((part) => part.type === 'tool')) return NOTHING;
    return pairingProblems(renderMessage(message, render), isUsed);
  }
  let problems: readonly string[] = NOTHING;
  for (const call of calls) if (isUsed(call)) problems = [...problems, CALL_ID_USED_TWICE];
  return problems;
}

function haveSameCalls(calls: readonly string[], others: readonly string[]): boolean {
  return calls.length === others.length && calls.every((call, index) => call === others[index]);
}

function callIdsOf(message: Message): readonly string[] {
  return message.role === 'user' || !isSent(message) ? NO_CALLS : callsIn(message);
}

function callsIn({ parts }: Message): readonly string[] {
  let calls: string[] | undefined;
  for (const part of parts) if (part.type === 'tool') (calls ??= []).push(part.callId);
  return calls ?? NO_CALLS;
}

/** Adds an id; true where it was there before. */
function wasSeen(ids: Set<string>, id: string): boolean {
  const { size } = ids;
  return ids.add(id).size === size;
}
