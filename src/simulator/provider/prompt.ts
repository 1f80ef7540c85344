/** A request as a prompt cache sees it: system prompt and tools first, then what the messages hold. */
export interface Prompt {
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
  /** Live cached tokens behind the point where this request departs from the one before it. */
  readonly lostTokens: number;
  /** True if everything cached for this conversation had expired. */
  readonly isCold: boolean;
}

/** One piece of a request that a prompt cache knows again. */
export interface PromptBlock {
  readonly tokens: number;
  /** Its text; absent where only the same object is the same content. */
  readonly words?: Words | undefined;
}

/** A text of a request; equal texts are equal content. */
export interface Words {
  readonly by: 'user' | 'assistant';
  readonly type: string;
  readonly text: string;
}

/** The first blocks of a request. Requests that continue one another share their prefixes. */
export interface Prefix {
  readonly length: number;
  readonly tokens: number;
  readonly first: PromptBlock | undefined;
  readonly last: PromptBlock | undefined;
  readonly before: Prefix | undefined;
}

/** The prefix without blocks, which every other one goes on from. */
export const NO_BLOCKS: Prefix = {
  length: 0,
  tokens: 0,
  first: undefined,
  last: undefined,
  before: undefined,
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
    };
  }
  return longer;
}

/** The longest prefix with which both begin. */
export function commonPrefix(one: Prefix, other: Prefix): Prefix {
  if (!isSameBlock(one.first, other.first)) return NO_BLOCKS;
  let some = cutPrefix(one, other.length);
  let others = cutPrefix(other, one.length);
  let common = some;
  while (some !== others) {
    if (!isSameBlock(some.last, others.last)) common = beforeLast(some);
    some = beforeLast(some);
    others = beforeLast(others);
  }
  return common;
}

/** The first blocks of a prefix, as many as asked or all. */
export function cutPrefix(prefix: Prefix, length: number): Prefix {
  let cut = prefix;
  while (cut.length > length) cut = beforeLast(cut);
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
