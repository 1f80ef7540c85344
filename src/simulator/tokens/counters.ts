import { createHash } from 'node:crypto';
import { types } from 'node:util';
import { keepIn } from '../lib/collections.ts';
import { type Keep, openKeep } from '../lib/keep.ts';
import { copyOf } from '../lib/text.ts';
import { type EncodingName, tokenizerOf } from './encodings.ts';
import { loadTokenizer, type Tokenizer } from './tokenizer.ts';

/** Token counters by model. All counting of one process should share one instance. */
export interface Counters {
  /** The count that holds for a model. */
  of(modelId: string): Promise<(text: string) => number>;
  /** The count of an encoding. */
  ofEncoding(name: EncodingName): Promise<(text: string) => number>;
  /** Saves the counts for the next process, if there is a folder. */
  save(): void;
}

interface CountersOptions {
  /** Folder of counts that other processes may use at the same time; none means that they are forgotten. */
  readonly cacheFolder?: string | undefined;
}

interface CountCacheOptions {
  /** Counts that are kept in memory; the oldest makes room for the next. */
  readonly maxEntries?: number;
  /** Keeps the counts of longer texts for the next process. */
  readonly kept?: KeptCounts | undefined;
}

/** Counts by the digests of their texts that outlive their process. */
interface KeptCounts {
  get(digest: string): number | undefined;
  add(digest: string, tokens: number): void;
  /** Keeps the counts added since the last time beside those of other processes. */
  save(): void;
}

const DEFAULT_MAX_ENTRIES = 100_000;
/** Shortest text that is kept and known by its digest: that of a shorter one could be guessed. */
const LEAST_KEPT_LENGTH = 200;
/** Counts that are kept; the oldest go. */
const MOST_KEPT = 100_000;
/** Characters of base64url in a digest: more than 128 bits. */
const DIGEST_LENGTH = 22;

/** Counters that load each tokenizer when a model first needs it. */
export function createCounters({ cacheFolder }: CountersOptions = {}): Counters {
  const byName = new Map<EncodingName, Promise<(text: string) => number>>();
  const keep = openKeep(cacheFolder);
  const opened: KeptCounts[] = [];

  async function load(name: EncodingName): Promise<(text: string) => number> {
    const tokenizer = await loadTokenizer(name);
    const kept = keepCounts(keep, `${name}-${tokenizer.version}`);
    opened.push(kept);
    return createCountCache(tokenizer, { kept }).count;
  }

  function ofEncoding(name: EncodingName): Promise<(text: string) => number> {
    return keepIn(byName, name, () => load(name));
  }

  return {
    of: (modelId) => ofEncoding(tokenizerOf(modelId).name),
    ofEncoding,
    save: () => {
      for (const kept of opened) kept.save();
    },
  };
}

/** A tokenizer that counts a text once as long as it remembers it, in bounded memory. */
export function createCountCache(
  tokenizer: Tokenizer,
  { maxEntries = DEFAULT_MAX_ENTRIES, kept }: CountCacheOptions = {},
): Tokenizer {
  const counts = new Map<string, number>();
  return {
    ...tokenizer,
    count: (text) => {
      const key = toKey(text);
      const longTexts = text.length < LEAST_KEPT_LENGTH ? undefined : kept;
      const known = counts.get(key) ?? longTexts?.get(key);
      if (known !== undefined) return known;
      const tokens = tokenizer.count(text);
      longTexts?.add(key, tokens);
      counts.set(key === text ? copyOf(text) : key, tokens);
      const [oldest] = counts.size > maxEntries ? counts.keys() : [];
      if (oldest !== undefined) counts.delete(oldest);
      return tokens;
    },
  };
}

/** A short text itself, or the digest of a long one. No text is as long as a digest and its own key. */
function toKey(text: string): string {
  if (text.length < LEAST_KEPT_LENGTH && text.length !== DIGEST_LENGTH) return text;
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);
}

/** The counts under a key, read on first use. What is damaged costs time, never a result. */
function keepCounts(keep: Keep, key: string): KeptCounts {
  const read = () => {
    const value = keep.get(key);
    const counts = types.isMap(value) ? [...value] : [];
    return new Map(
      counts.flatMap(([digest, tokens]) =>
        typeof digest === 'string' && typeof tokens === 'number' ? [[digest, tokens]] : [],
      ),
    );
  };
  let known: Map<string, number> | undefined;
  const added = new Map<string, number>();
  return {
    get: (digest) => added.get(digest) ?? (known ??= read()).get(digest),
    add: (digest, tokens) => void added.set(digest, tokens),
    save: () => {
      if (added.size === 0) return;
      known = new Map([...read(), ...added].slice(-MOST_KEPT));
      added.clear();
      keep.put(key, known);
    },
  };
}
