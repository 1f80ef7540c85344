import type { Message } from '../message.ts';
import type { RenderPolicy } from '../policy.ts';
import { isSent, renderMessage } from '../render.ts';
import { CALL_ID_USED_TWICE, pairedCallsOf, pairingProblems } from './pairing.ts';

/** Messages that a checker has seen, by their ids and those of their calls. */
export interface Seen {
  /** Takes in more messages, and tells what of them it had seen before, or is not in order by itself. */
  takeIn(messages: readonly Message[], render: RenderPolicy): Novelty;
  forget(messages: readonly Message[]): void;
  forgetAll(): void;
}

/** What is wrong with messages beside all that were seen before them. */
export interface Novelty {
  /** Those whose ids others have. */
  readonly repeated: readonly Message[];
  /** Those with calls that do not pair up. */
  readonly unpaired: readonly Unpaired[];
}

/** A message with what is wrong with its calls and results, each time that it is. */
export interface Unpaired {
  readonly message: Message;
  readonly problems: readonly string[];
}

const NO_CALLS: readonly string[] = [];
const NOTHING: readonly never[] = [];

/** Nothing was seen yet. */
export function createSeen(): Seen {
  const messageIds = new Set<string>();
  const callIds = new Set<string>();
  const isUsed = (callId: string) => wasSeen(callIds, callId);
  return {
    takeIn: (messages, render) => {
      let repeated: readonly Message[] = NOTHING;
      let unpaired: readonly Unpaired[] = NOTHING;
      for (const message of messages) {
        if (wasSeen(messageIds, message.id)) repeated = [...repeated, message];
        const problems = problemsIn(message, render, isUsed);
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

/** Whether an id had been seen; from now on it has. */
function wasSeen(ids: Set<string>, id: string): boolean {
  const { size } = ids;
  return ids.add(id).size === size;
}

/** What was said and called in a message that is in order by itself is not looked through again. */
function problemsIn(
  message: Message,
  render: RenderPolicy,
  isUsed: (callId: string) => boolean,
): readonly string[] {
  const calls = pairedCallsOf(message);
  if (calls === undefined) return pairingProblems(renderMessage(message, render), isUsed);
  let problems: readonly string[] = NOTHING;
  for (const call of calls) if (isUsed(call)) problems = [...problems, CALL_ID_USED_TWICE];
  return problems;
}

function callIdsOf(message: Message): readonly string[] {
  if (message.role === 'user' || !isSent(message)) return NO_CALLS;
  return (
    pairedCallsOf(message) ??
    message.parts.flatMap((part) => (part.type === 'tool' ? [part.callId] : []))
  );
}
