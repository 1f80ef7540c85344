import cl100k from 'gpt-tokenizer/bpeRanks/cl100k_base';
import o200k from 'gpt-tokenizer/bpeRanks/o200k_base';
import { expect, it } from 'vitest';
import { findEncoding, readTokens } from '../../../src/simulator/tokens/encodings.ts';
import { readVocabulary } from '../../../src/simulator/tokens/vocabulary.ts';

it.each([
  ['cl100k_base', cl100k],
  ['o200k_base', o200k],
] as const)('the shipped tokens of %s are those of the library', (name, published) => {
  const tokens = readTokens(name);
  expect(tokens).toHaveLength(findEncoding(name).size);
  const bytes = published.map((token) => Buffer.from(token as string).toString('latin1'));
  // A difference would be printed at length.
  expect(tokens.findIndex((token, rank) => token !== bytes[rank])).toBe(-1);
  const texts = published.filter((token) => typeof token === 'string');
  const vocabulary = readVocabulary(name);
  expect(vocabulary).toHaveLength(texts.length);
  expect(vocabulary.findIndex((text, index) => text !== texts[index])).toBe(-1);
});
