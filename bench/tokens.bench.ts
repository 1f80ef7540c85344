import { Buffer } from 'node:buffer';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Tiktoken } from 'js-tiktoken/lite';
import o200kRanks from 'js-tiktoken/ranks/o200k_base';
import { loadTokenizer, type Tokenizer } from '../src/simulator/tokens/tokenizer.ts';
import type { Suite, SuiteResult } from './suite.ts';
import { clockMs, processorMs, takeTurns } from './support/take-turns.ts';
import { generatedTexts, hardTexts, recordedTexts } from './tokens-corpus.ts';

const ENCODING = 'o200k_base';
const MIN_RATIO = 5;
const MAX_SECONDS_PER_MEGABYTE = 2;
const RECORDED = resolve(import.meta.dirname, '../../shared/sessions');
const ROUNDS = 3;

/** How fast tokens are counted, the first time a text is seen, beside js-tiktoken. */
export const tokenCounting: Suite = { id: 'tokens', name: 'Token counting', run: measure };

async function measure(): Promise<SuiteResult> {
  const texts = generatedTexts();
  const generated = await compare(texts);
  const recorded = existsSync(RECORDED) ? await compare(recordedTexts(foldersOf(RECORDED))) : null;
  const slowest = await findSlowest();
  return {
    notes: [
      `${toMegabytes(generated.bytes)} MB of generated texts`,
      recorded === null
        ? 'no recorded texts, for there is no ../shared'
        : `${toMegabytes(recorded.bytes)} MB of recorded texts`,
      `${Object.keys(hardTexts).length} hard texts, of which the slowest is ${slowest.kind}`,
    ],
    figures: [
      { name: 'tokens.megabytesPerSecond', value: generated.megabytesPerSecond, unit: 'MB/s' },
      ratio('tokens.ratioToJsTiktoken', generated.ratio, MIN_RATIO),
      ...(recorded === null
        ? []
        : [ratio('tokens.recordedRatioToJsTiktoken', recorded.ratio, MIN_RATIO)]),
      {
        name: 'tokens.slowestInput',
        value: slowest.secondsPerMegabyte,
        unit: 's/MB',
        atMost: MAX_SECONDS_PER_MEGABYTE,
      },
    ],
  };
}

function ratio(name: string, value: number, atLeast: number) {
  return { name, value, unit: 'ratio', atLeast };
}

function foldersOf(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

interface Comparison {
  readonly bytes: number;
  /** How many times as fast as js-tiktoken. */
  readonly ratio: number;
  readonly megabytesPerSecond: number;
}

async function compare(texts: readonly string[]): Promise<Comparison> {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const oracle = new Tiktoken(o200kRanks);
  const { ours, theirs } = await takeTurns(ROUNDS, {
    // Each round has a tokenizer of its own, which has seen no text.
    ours: async () => {
      const { count } = await loadTokenizer(ENCODING);
      return clockMs(() => countAll(texts, count));
    },
    theirs: () => clockMs(() => countAll(texts, (text) => oracle.encode(text, [], []).length)),
  });
  return { bytes, ratio: theirs.p50 / ours.p50, megabytesPerSecond: bytes / 1_000 / ours.p50 };
}

function countAll(texts: readonly string[], count: (text: string) => number): number {
  return texts.reduce((sum, text) => sum + count(text), 0);
}

interface Slowest {
  readonly kind: string;
  readonly secondsPerMegabyte: number;
}

async function findSlowest(): Promise<Slowest> {
  const tokenizer = await loadTokenizer(ENCODING);
  return Object.entries(hardTexts)
    .map(([kind, build]) => ({ kind, secondsPerMegabyte: secondsPerMegabyte(build(), tokenizer) }))
    .reduce((a, b) => (b.secondsPerMegabyte > a.secondsPerMegabyte ? b : a));
}

/** Of processor time: what else the machine does is no fault of the text. */
function secondsPerMegabyte(text: string, tokenizer: Tokenizer): number {
  return (1_000 * processorMs(() => tokenizer.count(text))) / Buffer.byteLength(text);
}

function toMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
