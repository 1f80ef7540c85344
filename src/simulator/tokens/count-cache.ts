import { createHash } from 'node:crypto';
import { copyOf } from '../lib/text.ts';
import type { CountFile } from './count-file.ts';
import { DIGEST_LENGTH } from './count-records.ts';
import type { Tokenizer } from './tokenizer.ts';

/** How much a count cache remembers, and where. */
export interface CountCacheOptions {
  /** Counts that are kept in memory; the oldest makes room for the next. */
  readonly maxEntries?: number;
  /** Keeps the counts of longer texts for the next process. */
  readonly file?: CountFile | undefined;
}

const DEFAULT_MAX_ENTRIES = 100_000;

/** Shortest text that a file keeps and that is known by its digest: that of a shorter one could be guessed. */
const MIN_FILE_LENGTH = 200;

/** A tokenizer that counts a text once as long as it remembers it, in bounded memory. */
export function createCountCache(
  tokenizer: Tokenizer,
  { maxEntries = DEFAULT_MAX_ENTRIES, file }: CountCacheOptions = {},
): Tokenizer {
  const counts = new Map<string, number>();

  return {
    name: tokenizer.name,
    version: tokenizer.version,
    count: (text) => {
      const key = toKey(text);
      const longTexts = text.length < MIN_FILE_LENGTH ? undefined : file;
      const known = counts.get(key) ?? longTexts?.get(key);
      if (known !== undefined) return known;
      const tokens = tokenizer.count(text);
      longTexts?.add(key, tokens);
      counts.set(key === text ? copyOf(text) : key, tokens);
      if (counts.size > maxEntries) dropOldest(counts);
      return tokens;
    },
  };
}

/** A short text itself, or the digest of a long one. No text is as long as a digest and its own key. */
function toKey(text: string): string {
  if (text.length < MIN_FILE_LENGTH && text.length !== DIGEST_LENGTH) return text;
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);
}

function dropOldest(counts: Map<string, number>): void {
  const oldest = counts.keys().next();
  if (!oldest.done) counts.delete(oldest.value);
}
