import { join } from 'node:path';
import { keepIn } from '../lib/collections.ts';
import { createCountCache } from './count-cache.ts';
import { type CountFile, createCountFile } from './count-file.ts';
import type { EncodingName } from './encodings.ts';
import { tokenizerOf } from './tokenizer-of.ts';
import { loadTokenizer } from './tokenizer.ts';

/** What counts the tokens of texts, by model. Everything that one process counts is to share it. */
export interface Counters {
  /** The count that holds for a model. */
  of(modelId: string): Promise<(text: string) => number>;
  /** The count of an encoding. */
  ofEncoding(name: EncodingName): Promise<(text: string) => number>;
  /** Keeps for the next process what was counted, where there is a folder for it. */
  save(): void;
}

/** Where counts are kept; plain data, so that a worker can have the same. */
export interface CountersOptions {
  /** Folder of counts that other processes may use at the same time; none means that they are forgotten. */
  readonly cacheFolder?: string | undefined;
}

/** Counters that load each tokenizer when a model first needs it. */
export function createCounters({ cacheFolder }: CountersOptions = {}): Counters {
  const byName = new Map<EncodingName, Promise<(text: string) => number>>();
  const files: CountFile[] = [];

  async function load(name: EncodingName): Promise<(text: string) => number> {
    const tokenizer = await loadTokenizer(name);
    if (cacheFolder === undefined) return createCountCache(tokenizer).count;
    const file = createCountFile(join(cacheFolder, `${name}-${tokenizer.version}`));
    files.push(file);
    return createCountCache(tokenizer, { file }).count;
  }

  function ofEncoding(name: EncodingName): Promise<(text: string) => number> {
    return keepIn(byName, name, () => load(name));
  }

  return {
    of: (modelId) => ofEncoding(tokenizerOf(modelId).name),
    ofEncoding,
    save: () => {
      for (const file of files) file.save();
    },
  };
}
