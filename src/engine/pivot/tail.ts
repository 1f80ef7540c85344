import { type TailRule } from '../policy.ts';
import { isPrompt, type Message } from '../message.ts';

/** Where a tail starts: its first message, and the index of that message. */
export interface Tail {
  readonly startId: string;
  readonly startIndex: number;
}

/** What the tail may hold besides the number of turns. */
export interface TailOptions extends Pick<TailRule, 'turns' | 'splitsTurns'> {
  readonly budgetTokens: number;
}

/** Estimated tokens of consecutive messages in the form in which a model gets them. */
export type SliceSize = (messages: readonly Message[]) => number;

/** Messages from `start` up to but without `end`. */
interface Turn {
  readonly start: number;
  readonly end: number;
}

const USABLE_SHARE = 0.25;
const MINIMUM_BUDGET_TOKENS = 2_000;

/** Tail rules by the release from which each holds. Source: OpenCode release history (section 5). */
export const tailRules = {
  /** An oversized newest turn leaves no tail. */
  'v1.14.19': { turns: 2, splitsTurns: false, maximumBudgetTokens: 8_000 },
  /** The turn that no longer fits is kept from where it does. */
  'v1.14.21': { turns: 2, splitsTurns: true, maximumBudgetTokens: 8_000 },
  /** As many turns as the budget holds. */
  'v1.18.15': { turns: Infinity, splitsTurns: true, maximumBudgetTokens: 15_000 },
} satisfies Record<string, TailRule>;

/** The name of a tail rule. */
export type TailRuleName = keyof typeof tailRules;

/** Tokens that the tail may take: what is configured, or a quarter of what is usable within bounds. */
export function preserveBudget(
  usableTokens: number,
  options: {
    readonly maximumBudgetTokens: number;
    /** Taken as it is, also 0; absent means the quarter. */
    readonly preserveRecentTokens?: number | undefined;
  },
): number {
  const quarter = Math.floor(usableTokens * USABLE_SHARE);
  const bounded = Math.min(options.maximumBudgetTokens, Math.max(MINIMUM_BUDGET_TOKENS, quarter));
  return options.preserveRecentTokens ?? bounded;
}

/**
 * The tail that a pivot keeps: the newest turns whose sizes fit the budget together, and, if turns may
 * be split, the longest end of the next older one that fits the rest. None where that would be the
 * whole history. A turn starts at a user message that is no marker.
 */
export function selectTail(
  messages: readonly Message[],
  options: TailOptions,
  sizeOf: SliceSize,
): Tail | undefined {
  let startIndex = messages.length;
  let budgetTokens = options.budgetTokens;
  for (const turn of newestTurns(messages, options.turns)) {
    const tokens = sizeOf(messages.slice(turn.start, turn.end));
    if (tokens > budgetTokens) {
      if (options.splitsTurns) startIndex = splitIndex(messages, { turn, budgetTokens }, sizeOf);
      break;
    }
    startIndex = turn.start;
    budgetTokens -= tokens;
  }
  const first = messages[startIndex];
  return first === undefined || startIndex === 0 ? undefined : { startId: first.id, startIndex };
}

function newestTurns(messages: readonly Message[], count: number): readonly Turn[] {
  const starts = messages.flatMap((message, index) => (isPrompt(message) ? [index] : []));
  const turns = starts.map((start, index) => ({
    start,
    end: starts[index + 1] ?? messages.length,
  }));
  return count <= 0 ? [] : turns.slice(-count).toReversed();
}

/** The first message after a turn's own prompt from which the turn fits; the turn's end if none does. */
function splitIndex(
  messages: readonly Message[],
  { turn, budgetTokens }: { readonly turn: Turn; readonly budgetTokens: number },
  sizeOf: SliceSize,
): number {
  if (budgetTokens <= 0) return turn.end;
  for (let start = turn.start + 1; start < turn.end; start += 1) {
    if (sizeOf(messages.slice(start, turn.end)) <= budgetTokens) return start;
  }
  return turn.end;
}
