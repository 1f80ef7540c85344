import { leapFrom, type Leaping } from '../../engine/internal.ts';

/** A request as a prompt cache sees it: system prompt and tools first, then what the messages hold. */
export interface Prompt {
  /** All of it. */
  readonly whole: Prefix;
  /** Where the client asks to cache: what comes before each mark, shortest first. */
  readonly marks: readonly Prefix[];
}

/** How the input of one request came about, in true tokens; the three kinds add up to the request. */
export interface CacheSplit {
  readonly readTokens: number;
  /** Written to the cache and billed as such; 0 where a provider does not bill writes. */
  readonly writeTokens: number;
  readonly freshTokens: number;
  /** What lay live in the cache behind the point where this request departs from the one before it. */
  readonly lostTokens: number;
  /** Whether everything that had been cached for this conversation had run out before. */
  readonly isCold: boolean;
}

/** One piece of a request that a prompt cache knows again. */
export interface PromptBlock {
  /** True tokens. */
  readonly tokens: number;
  /** What it says; absent where only the same object is the same content. */
  readonly words?: Words | undefined;
}

/** A text of a request; whoever writes it anew says the same. */
export interface Words {
  readonly by: 'user' | 'assistant';
  readonly type: string;
  readonly text: string;
}

/** The first blocks of a request. One that goes on shares what came before, so that a block more costs the same however many there are. */
export interface Prefix extends Leaping<Prefix> {
  /** True tokens of all of them. */
  readonly tokens: number;
  readonly first: PromptBlock | undefined;
  readonly last: PromptBlock | undefined;
  /** All but its last block; absent of one without any. */
  readonly before: Prefix | undefined;
}

/** The prefix without blocks, which every other one goes on from. */
export const NO_BLOCKS: Prefix = {
  length: 0,
  tokens: 0,
  first: undefined,
  last: undefined,
  before: undefined,
  leap: undefined,
};

/** The prompt of some blocks, with marks behind as many of them as each breakpoint says, ascending. */
export function toPrompt(blocks: readonly PromptBlock[], breakpoints: readonly number[]): Prompt {
  const whole = extendPrefix(NO_BLOCKS, blocks);
  return { whole, marks: breakpoints.map((length) => cutPrefix(whole, length)) };
}

/** A prefix with more blocks. */
export function extendPrefix(prefix: Prefix, blocks: readonly PromptBlock[]): Prefix {
  let longer = prefix;
  for (const block of blocks) {
    longer = {
      length: longer.length + 1,
      tokens: longer.tokens + block.tokens,
      first: longer.first ?? block,
      last: block,
      before: longer,
      leap: leapFrom(longer),
    };
  }
  return longer;
}

/** The longest prefix with which both begin; found at once where one went on from the other. */
export function commonPrefix(one: Prefix, other: Prefix): Prefix {
  if (!isSameBlock(one.first, other.first)) return NO_BLOCKS;
  let some = cutPrefix(one, other.length);
  let others = cutPrefix(other, one.length);
  let common = some;
  while (some !== others) {
    if (!isSameBlock(some.last, others.last)) common = beforeLast(some);
    // Where they part already at the end of a leap, nothing on the way is common.
    const isApart = !isSameBlock(some.leap?.last, others.leap?.last);
    some = (isApart ? some.leap : some.before) ?? NO_BLOCKS;
    others = (isApart ? others.leap : others.before) ?? NO_BLOCKS;
  }
  return common;
}

/** The first blocks of a prefix, as many as asked or all. */
export function cutPrefix(prefix: Prefix, length: number): Prefix {
  let cut = prefix;
  while (cut.length > length) {
    const { leap } = cut;
    cut = leap !== undefined && leap.length >= length ? leap : beforeLast(cut);
  }
  return cut;
}

function isSameBlock(one: PromptBlock | undefined, other: PromptBlock | undefined): boolean {
  if (one === other) return true;
  if (one?.words === undefined || other?.words === undefined) return false;
  const [some, others] = [one.words, other.words];
  const isAlike = some.by === others.by && some.type === others.type;
  return one.tokens === other.tokens && isAlike && some.text === others.text;
}

function beforeLast({ before }: Prefix): Prefix {
  return before ?? NO_BLOCKS;
}
