import { type Limits } from '../state.ts';
import { isPrompt, markerOf, type Message } from '../message.ts';
import type { Policy } from '../policy.ts';
import { estimateMessages } from '../render/weigh.ts';
import { shortenOutputs } from './shorten.ts';
import { headMessages, shownMessages } from './summary.ts';

/** A smaller form of a head: what to ask about first, and what to fold in afterwards. */
export interface SmallerHead {
  readonly head: readonly Message[];
  /** Later chunks, each to be folded into the summary of those before. */
  readonly rest: readonly (readonly Message[])[];
  /** Whether only the chunk that was asked about was divided; chunks after it stay. */
  readonly isHalf?: boolean;
}

/** One way to make a summary request smaller. */
type Rung = (head: readonly Message[], policy: Policy, targetTokens: number) => SmallerHead;

const SHORT_OUTPUT_CHARS = 2_000;
/** Share of a window that a request may fill by an estimate that may be wrong by as much again. */
const TARGET_SHARE = 0.5;

const cutOutputs: Rung = (head, policy) => ({ head: shorten(head, policy), rest: [] });

/** The newest messages that fit, after the prompt that they answer. A marker alone is nothing to sum up. */
const dropOldest: Rung = (head, policy, targetTokens) => {
  const short = shorten(head, policy);
  const [newest = [], before = []] = chunkBy(short.toReversed(), policy, targetTokens);
  const isMarkerAlone = newest.every((message) => markerOf(message) !== undefined);
  const start = short.length - newest.length - (isMarkerAlone ? before.length : 0);
  const prompt = short.slice(0, start).findLast((message) => isPrompt(message));
  const isOpened = short[start]?.role === 'user';
  return { head: [...(prompt && !isOpened ? [prompt] : []), ...short.slice(start)], rest: [] };
};

/** All that is sent, in chunks; the marker alone, which is not, would make one of nothing. */
const foldChunks: Rung = (head, policy, targetTokens) => {
  const short = shorten(shownMessages(head, policy.summary), policy);
  const [first = [], ...rest] = chunkBy(short, policy, targetTokens / 2);
  return { head: first, rest };
};

/** From the least loss to the most requests. */
const LADDER: readonly Rung[] = [cutOutputs, dropOldest, foldChunks];

/**
 * The next smaller form of a head, when what was asked about was too large, and the rung after it; nothing
 * when the ladder is at its end. A rung that would send as much again is left out.
 */
export function shrinkHead(
  head: readonly Message[],
  rung: number,
  context: {
    readonly policy: Policy;
    readonly limits: Limits;
    readonly asked: readonly Message[];
  },
): (SmallerHead & { readonly rung: number }) | undefined {
  const step = LADDER[rung];
  if (step === undefined) return undefined;
  const { policy, limits, asked } = context;
  const sentTokens = weighSent(asked, policy);
  const windowTokens = limits.inputTokens || limits.contextTokens || sentTokens;
  const smaller = step(head, policy, Math.min(sentTokens, windowTokens) * TARGET_SHARE);
  const isSmaller = weighSent(smaller.head, policy) < sentTokens;
  return isSmaller ? { ...smaller, rung: rung + 1 } : shrinkHead(head, rung + 1, context);
}

/**
 * The last resort, for a window smaller than the policy knows: one chunk in two, down to single messages. What is not sent
 * makes none.
 */
export function halveChunk(
  asked: readonly Message[],
  rung: number,
  { summary }: Policy,
): (SmallerHead & { readonly rung: number }) | undefined {
  const shown = shownMessages(asked, summary);
  if (shown.length < 2) return undefined;
  const middle = Math.ceil(shown.length / 2);
  return { head: shown.slice(0, middle), rest: [shown.slice(middle)], isHalf: true, rung };
}

/** Outputs that the policy cuts as short anyway are left to it. */
function shorten(head: readonly Message[], { summary }: Policy): readonly Message[] {
  const { toolOutputChars = Infinity } = summary;
  return toolOutputChars <= SHORT_OUTPUT_CHARS ? head : shortenOutputs(head, SHORT_OUTPUT_CHARS);
}

function weighSent(head: readonly Message[], policy: Policy): number {
  return estimateMessages(headMessages(head, policy.summary), policy);
}

/** Consecutive messages in chunks of about that size; a message that is larger stands alone. */
function chunkBy(
  messages: readonly Message[],
  policy: Policy,
  tokens: number,
): readonly (readonly Message[])[] {
  const chunks: Message[][] = [];
  let roomTokens = 0;
  for (const message of messages) {
    const size = weighSent([message], policy);
    if (chunks.length === 0 || size > roomTokens) {
      chunks.push([]);
      roomTokens = tokens;
    }
    chunks.at(-1)?.push(message);
    roomTokens -= size;
  }
  return chunks;
}
