import type { Message, Part } from '../message.ts';
import type { RenderPolicy } from '../policy.ts';
import { isSent, type ModelMessage, renderMessage } from '../render.ts';

/** What is said of a call whose id another call has. */
export const CALL_ID_USED_TWICE = 'a call id is used twice';

/** Calls and results are the same whatever stands in the place of texts. */
const ANY_RENDER: RenderPolicy = { clearedOutput: '', markerQuestion: '', summaryAs: 'assistant' };

const NO_CALLS: readonly string[] = [];

/** What each list of parts calls; messages with the same parts are made anew for each run. */
const knownCalls = new WeakMap<readonly Part[], readonly string[] | 'faulty'>();

/**
 * The ids of the calls that a message is sent with, where each has its result and an id of its own; nothing where
 * not, and for a summary, which may be sent in another form.
 */
export function pairedCallsOf(message: Message): readonly string[] | undefined {
  if (message.role === 'user') return NO_CALLS;
  if (message.summary === true) return undefined;
  if (!isSent(message)) return NO_CALLS;
  const known = knownCalls.get(message.parts) ?? learnCalls(message);
  return known === 'faulty' ? undefined : known;
}

/** Whether others stand in the place of some messages that have their ids and the ids of their calls, and are in order. */
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

/** Whether two messages call the same, in the same order. */
export function haveSameCalls(calls: readonly string[], others: readonly string[]): boolean {
  return (
    calls === others ||
    (calls.length === others.length && calls.every((call, index) => call === others[index]))
  );
}

/**
 * What is wrong with the calls and results of some model messages that stand on their own. `isUsed` is
 * asked once for each call, and says whether its id has been used before.
 */
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

function learnCalls(message: Message): readonly string[] | 'faulty' {
  const calls = pairCalls(message);
  knownCalls.set(message.parts, calls);
  return calls;
}

function pairCalls(message: Message): readonly string[] | 'faulty' {
  const ids = new Set<string>();
  const sent = renderMessage(message, ANY_RENDER);
  const problems = pairingProblems(sent, (callId) => {
    const isOld = ids.has(callId);
    ids.add(callId);
    return isOld;
  });
  return problems.length === 0 ? [...ids] : 'faulty';
}
