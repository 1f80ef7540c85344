import { createHash } from 'node:crypto';
import { keepIn } from '../lib/collections.ts';
import { copyOf } from '../lib/text.ts';
import { type EncodingName, tokenizerOf } from './encodings.ts';
import { loadTokenizer, type Tokenizer } from './tokenizer.ts';

/** Token counters by model. All counting of one process should share one instance. */
export interface Counters {
  /** The count that holds for a model. */
  of(modelId: string): Promise<(text: string) => number>;
  /** The count of an encoding. */
  ofEncoding(name: EncodingName): Promise<(text: string) => number>;
}

const DEFAULT_MAX_ENTRIES = 100_000;
const LEAST_DIGESTED_LENGTH = 200;
/** Characters of base64url in a digest: more than 128 bits. */
const DIGEST_LENGTH = 22;
const MOST_RECENT_CHARS = 2 ** 22;

/** Counters that load each tokenizer when a model first needs it. */
export function createCounters(): Counters {
  const byName = new Map<EncodingName, Promise<(text: string) => number>>();
  const ofEncoding = (name: EncodingName) =>
    keepIn(byName, name, async () => createCountCache(await loadTokenizer(name)).count);
  return { of: (modelId) => ofEncoding(tokenizerOf(modelId).name), ofEncoding };
}

/** A tokenizer that counts a text once as long as it remembers it, in bounded memory; at most so many counts. */
export function createCountCache(
  tokenizer: Tokenizer,
  { maxEntries = DEFAULT_MAX_ENTRIES } = {},
): Tokenizer {
  const counts = new Map<string, number>();
  // In a ring: a map looks for its first key through all that went.
  const keys: string[] = [];
  let oldest = 0;
  const countAnew = (text: string) => {
    const key = toKey(text);
    const known = counts.get(key);
    if (known !== undefined) return known;
    const tokens = tokenizer.count(text);
    const gone = keys[oldest];
    if (gone !== undefined) counts.delete(gone);
    const own = key === text ? copyOf(text) : key;
    keys[oldest] = own;
    counts.set(own, tokens);
    oldest = (oldest + 1) % maxEntries;
    return tokens;
  };
  // A session's texts are counted several times in a row, which takes no digest as long as they are in memory.
  const recent = new Map<string, number>();
  let recentChars = 0;
  return {
    ...tokenizer,
    count: (text) => {
      const known = recent.get(text);
      if (known !== undefined) return known;
      if (recentChars > MOST_RECENT_CHARS || recent.size >= maxEntries) {
        recent.clear();
        recentChars = 0;
      }
      recentChars += text.length;
      const tokens = countAnew(text);
      recent.set(text, tokens);
      return tokens;
    },
  };
}

/** A short text itself, or the digest of a long one. No text is as long as a digest and its own key. */
function toKey(text: string): string {
  if (text.length < LEAST_DIGESTED_LENGTH && text.length !== DIGEST_LENGTH) return text;
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);
}
