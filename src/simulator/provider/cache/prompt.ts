import { cutPrefix, extendPrefix, NO_BLOCKS, type Prefix, type PromptBlock } from './prefix.ts';

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

/** The prompt of some blocks, with marks behind as many of them as each breakpoint says, ascending. */
export function toPrompt(blocks: readonly PromptBlock[], breakpoints: readonly number[]): Prompt {
  const whole = extendPrefix(NO_BLOCKS, blocks);
  return { whole, marks: breakpoints.map((length) => cutPrefix(whole, length)) };
}
