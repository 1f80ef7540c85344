import { estimateText } from '../estimate.ts';
import { isPrompt, isSummary, markerOf, type Message } from '../message.ts';
import { overflowRules } from '../overflow.ts';
import type { Policy, TailRule } from '../policy.ts';
import type { Limits } from '../usable.ts';
import { flattenMessage } from './flatten.ts';

/** Where a tail starts: its first message, and the index of that message. */
export interface Tail {
  readonly startId: string;
  readonly startIndex: number;
}

/** Limits of the tail. */
export interface TailOptions extends Pick<TailRule, 'turns' | 'splitsTurns'> {
  readonly budgetTokens: number;
}

/** Estimated tokens of consecutive messages in the form in which a model gets them. */
export type SliceSize = (messages: readonly Message[]) => number;

interface Turn {
  readonly start: number;
  readonly end: number;
}

/** The name of a tail rule. */
export type TailRuleName = keyof typeof tailRules;

/** One entry of a session as the tail of a checkpoint sees it. */
export interface CheckpointEntry {
  readonly isUser: boolean;
  /** Estimated tokens of its text; absent where it leaves none, as checkpoints and system updates do. */
  readonly sizeTokens?: number;
}

/** How much a checkpoint keeps verbatim. */
export interface CheckpointTailOptions {
  readonly keepTokens: number;
  /** The checkpoint before kept a tail, which can be summarised. */
  readonly hasPreviousTail: boolean;
}

interface Shown {
  readonly isUser: boolean;
  readonly sizeTokens: number;
  readonly index: number;
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
  'v1.18.17': { splitsTurns: true, maximumBudgetTokens: 15_000 },
} satisfies Record<string, TailRule>;

const CHECKPOINT_OUTPUT_CHARS = 2_000;

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
 * The tail that a pivot keeps: the newest turns whose sizes fit the budget together, and, if turns may be split, the
 * longest end of the next older one that fits the rest. None where that would be the whole history. A turn starts at a
 * user message that is no marker.
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

/** Most estimated tokens of newest turns that a pivot keeps, if it keeps turns. */
export function tailBudgetTokens(
  { cut, trigger }: Pick<Policy, 'cut' | 'trigger'>,
  limits: Limits,
): number | undefined {
  if (cut.keep !== 'recent-turns') return undefined;
  const { maximumBudgetTokens, tokens: preserveRecentTokens } = cut;
  const usableTokens = overflowRules[trigger.overflow].usable(limits, trigger);
  return preserveBudget(usableTokens, { maximumBudgetTokens, preserveRecentTokens });
}

/**
 * The index at which the tail of a checkpoint starts: the newest entry always stays, older ones while they fit, then
 * back to a user message however far that is. Where everything would stay, only the latest exchange does; where that is
 * everything, nothing does (the number of entries). `undefined` without any text to compact. Source: OpenCode release
 * history (section 11; 2.0 and from 2026-07-10).
 */
export function selectCheckpointTail(
  entries: readonly CheckpointEntry[],
  options: CheckpointTailOptions,
): number | undefined {
  const shown = entries.flatMap(({ isUser, sizeTokens }, index) =>
    sizeTokens === undefined ? [] : [{ isUser, sizeTokens, index }],
  );
  const [oldest] = shown;
  if (oldest === undefined) return undefined;
  const fitting = shown.slice(0, fittingStart(shown, options.keepTokens) + 1);
  const start = fitting.findLastIndex(({ isUser }) => isUser);
  if (start > 0) return shown[start]?.index;
  const latestUser = shown.findLastIndex(({ isUser }) => isUser);
  if (latestUser > 0) return shown[latestUser]?.index;
  return options.hasPreviousTail ? oldest.index : entries.length;
}

/** The text that a checkpoint keeps of messages without markers. Source: OpenCode 2.0. */
export function keepText(messages: readonly Message[], keepTokens: number, policy: Policy) {
  const texts = messages.map((message) => textOf(message, policy));
  const entries = messages.map((message, index) => {
    const text = texts[index] ?? '';
    const isUser = message.role === 'user';
    return text === '' ? { isUser } : { isUser, sizeTokens: estimateText(text, policy) };
  });
  const hasPreviousTail = messages.some(
    (message) => isSummary(message) && message.parts.length > 1,
  );
  const start = selectCheckpointTail(entries, { keepTokens, hasPreviousTail }) ?? 0;
  const kept = start === 0 ? [] : texts.slice(start).filter((text) => text !== '');
  return { start, recent: kept.join('\n\n') };
}

/** Tests if a view has text that is in no checkpoint yet. */
export function hasText(view: readonly Message[], policy: Policy): boolean {
  return view.some((message) => textOf(message, policy) !== '');
}

function newestTurns(messages: readonly Message[], count?: number): readonly Turn[] {
  const starts = messages.flatMap((message, index) => (isPrompt(message) ? [index] : []));
  const turns = starts.map((start, index) => ({
    start,
    end: starts[index + 1] ?? messages.length,
  }));
  if (count === undefined) return turns.toReversed();
  return count <= 0 ? [] : turns.slice(-count).toReversed();
}

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

function fittingStart(shown: readonly Shown[], keepTokens: number): number {
  let start = shown.length - 1;
  let totalTokens = shown[start]?.sizeTokens ?? 0;
  while (start > 0) {
    totalTokens += shown[start - 1]?.sizeTokens ?? 0;
    if (totalTokens > keepTokens) return start;
    start -= 1;
  }
  return start;
}

function textOf(message: Message, { render: { clearedOutput } }: Policy): string {
  if (isSummary(message) || markerOf(message) !== undefined) return '';
  return flattenMessage(message, { clearedOutput, toolOutputChars: CHECKPOINT_OUTPUT_CHARS });
}
