import { createHash } from 'node:crypto';
import type { Tokenizer } from './tokenizer.ts';

/** How much a count cache remembers. */
export interface CountCacheOptions {
  /** Counts that are kept; the oldest makes room for the next. */
  maxEntries?: number;
}

const DEFAULT_MAX_ENTRIES = 100_000;

/** Longest text that is its own key: V8 copies substrings up to this length, longer ones keep their whole text in memory. */
const OWN_KEY_LENGTH = 12;

/** A tokenizer that counts a text once as long as it remembers it, in bounded memory. */
export function createCountCache(
  tokenizer: Tokenizer,
  { maxEntries = DEFAULT_MAX_ENTRIES }: CountCacheOptions = {},
): Tokenizer {
  const counts = new Map<string, number>();

  return {
    name: tokenizer.name,
    count: (text) => {
      const key = toKey(text);
      const known = counts.get(key);
      if (known !== undefined) return known;
      const tokens = tokenizer.count(text);
      counts.set(key, tokens);
      if (counts.size > maxEntries) dropOldest(counts);
      return tokens;
    },
  };
}

/** A short text itself, or the digest of a long one, which is longer than any short text. */
function toKey(text: string): string {
  if (text.length <= OWN_KEY_LENGTH) return text;
  return `${createHash('sha256').update(text).digest('base64')}:${text.length}`;
}

function dropOldest(counts: Map<string, number>): void {
  const oldest = counts.keys().next();
  if (!oldest.done) counts.delete(oldest.value);
}
