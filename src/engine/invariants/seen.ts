import type { Message } from '../message.ts';
import type { RenderPolicy } from '../policy.ts';
import { isSent, renderMessage } from '../render.ts';
import {
  type Entry,
  extendLine,
  findAhead,
  mayShow,
  startAgain,
  startWalk,
  type Walk,
} from './line.ts';
import { CALL_ID_USED_TWICE, pairedCallsOf, pairingProblems } from './pairing.ts';

/** Messages that a checker has seen, by their ids and those of their calls. */
export interface Seen {
  /**
   * Takes in messages if it is known that they are in order, by themselves and beside all that were seen; else
   * nothing changes.
   */
  follow(messages: readonly Message[]): boolean;
  /** Takes in more messages, and tells what of them it had seen before, or is not in order by itself. */
  takeIn(messages: readonly Message[], context: Context): Novelty;
  /** Forgets messages whose ids no others have that were seen. */
  forget(messages: readonly Message[]): void;
  /** Forgets all but these. */
  keepOnly(messages: readonly Message[], render: RenderPolicy): void;
  forgetAll(): void;
}

/** Beside what messages are taken in. */
export interface Context {
  readonly render: RenderPolicy;
  /** All messages that were seen and not forgotten. */
  readonly kept: () => readonly Message[];
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

/** What was seen: messages on a line as far as the walk goes, and others by their ids. */
interface Sight {
  readonly walk: Walk;
  /** Absent before the first of them, as are those of calls. */
  messageIds: Set<string> | undefined;
  callIds: Set<string> | undefined;
  /** Whether all are among the others, because some may have the ids of messages on the line. */
  hasLeft: boolean;
}

const NO_CALLS: readonly string[] = [];
const NOTHING: readonly never[] = [];

/** Nothing was seen yet. */
export function createSeen(): Seen {
  const sight: Sight = {
    walk: startWalk(),
    messageIds: undefined,
    callIds: undefined,
    hasLeft: false,
  };
  return {
    follow: (messages) => follow(sight, messages),
    takeIn: (messages, { render, kept }) => {
      const novelty = takeIn(sight, messages, render);
      if (novelty !== undefined) return novelty;
      leaveLine(sight, kept(), render);
      return takeIn(sight, messages, render) ?? { repeated: NOTHING, unpaired: NOTHING };
    },
    forget: (messages) => {
      for (const message of messages) {
        sight.messageIds?.delete(message.id);
        for (const callId of callIdsOf(message)) sight.callIds?.delete(callId);
      }
    },
    keepOnly: (messages, render) => leaveLine(sight, messages, render),
    forgetAll: () => {
      clear(sight);
      startAgain(sight.walk);
      sight.hasLeft = false;
    },
  };
}

function follow(sight: Sight, messages: readonly Message[]): boolean {
  if (sight.hasLeft) return false;
  const { walk } = sight;
  const { at } = walk;
  for (const message of messages) {
    const entry = findAhead(walk, message) ?? extendLine(walk, message);
    if (entry === undefined || isAmongOthers(sight, entry)) {
      walk.at = at;
      return false;
    }
    walk.at = entry;
  }
  return true;
}

/** What is new of messages; nothing where the line does not tell. */
function takeIn(
  sight: Sight,
  messages: readonly Message[],
  render: RenderPolicy,
): Novelty | undefined {
  let repeated: readonly Message[] = NOTHING;
  let unpaired: readonly Unpaired[] = NOTHING;
  for (const message of messages) {
    const entry = sight.hasLeft ? undefined : findAhead(sight.walk, message);
    if (entry !== undefined && !isAmongOthers(sight, entry)) {
      sight.walk.at = entry;
      continue;
    }
    if (!sight.hasLeft && mayShow(sight.walk, message.id, callIdsOf(message))) return undefined;
    if (wasSeen((sight.messageIds ??= new Set()), message.id)) repeated = [...repeated, message];
    const problems = problemsIn(sight, message, render);
    if (problems.length > 0) unpaired = [...unpaired, { message, problems }];
  }
  return { repeated, unpaired };
}

function isAmongOthers({ messageIds, callIds }: Sight, { id, calls }: Entry): boolean {
  if (messageIds?.has(id) === true) return true;
  return callIds !== undefined && calls.some((call) => callIds.has(call));
}

/** From now on messages are told apart by their ids alone. */
function leaveLine(sight: Sight, kept: readonly Message[], render: RenderPolicy): void {
  clear(sight);
  sight.hasLeft = true;
  takeIn(sight, kept, render);
}

function clear(sight: Sight): void {
  sight.messageIds = undefined;
  sight.callIds = undefined;
}

/** Whether an id had been seen; from now on it has. */
function wasSeen(ids: Set<string>, id: string): boolean {
  const { size } = ids;
  return ids.add(id).size === size;
}

/** What was said and called in a message that is in order by itself is not looked through again. */
function problemsIn(sight: Sight, message: Message, render: RenderPolicy): readonly string[] {
  const callIds = (sight.callIds ??= new Set());
  const calls = pairedCallsOf(message);
  if (calls === undefined) {
    if (!message.parts.some((part) => part.type === 'tool')) return NOTHING;
    return pairingProblems(renderMessage(message, render), (callId) => wasSeen(callIds, callId));
  }
  let problems: readonly string[] = NOTHING;
  for (const call of calls) {
    if (wasSeen(callIds, call)) problems = [...problems, CALL_ID_USED_TWICE];
  }
  return problems;
}

function callIdsOf(message: Message): readonly string[] {
  if (message.role === 'user' || !isSent(message)) return NO_CALLS;
  return (
    pairedCallsOf(message) ??
    message.parts.flatMap((part) => (part.type === 'tool' ? [part.callId] : []))
  );
}
