import cl100k from 'gpt-tokenizer/bpeRanks/cl100k_base';
import o200k from 'gpt-tokenizer/bpeRanks/o200k_base';
import { describe, expect, it } from 'vitest';
import {
  findEncoding,
  readTokens,
  readVocabulary,
  type TokenizerChoice,
  tokenizerOf,
  tokenizersOf,
} from '../../../src/simulator/tokens/encodings.ts';

const O200K: TokenizerChoice = { name: 'o200k_base', evidence: 'measured' };
const CL100K: TokenizerChoice = { name: 'cl100k_base', evidence: 'measured' };
const STAND_IN: TokenizerChoice = { name: 'o200k_base', evidence: 'estimated' };

describe('tokenizerOf', () => {
  it.each<[model: string, choice: TokenizerChoice]>([
    ['openai/gpt-4o', O200K],
    ['openai/gpt-4o-mini', O200K],
    ['openai/gpt-4.1-nano', O200K],
    ['openai/gpt-4.5-preview', O200K],
    ['openai/gpt-5', O200K],
    ['openai/gpt-5.1-codex-max', O200K],
    ['openai/o1', O200K],
    ['openai/o3-mini', O200K],
    ['openai/o4-mini-deep-research', O200K],
    ['openai/chatgpt-4o-latest', O200K],
    ['groq/openai/gpt-oss-120b', O200K],
    ['GPT-5', O200K],
    ['openai/gpt-4', CL100K],
    ['openai/gpt-4-0613', CL100K],
    ['openai/gpt-4-turbo', CL100K],
    ['openai/gpt-4-turbo-2024-04-09', CL100K],
    ['openai/gpt-4-32k', CL100K],
    ['openai/gpt-4-vision-preview', CL100K],
    ['openai/gpt-3.5-turbo', CL100K],
    ['azure/gpt-35-turbo', CL100K],
    ['anthropic/claude-sonnet-4-5', STAND_IN],
    ['google/gemini-2.5-pro', STAND_IN],
    ['other/o1x', STAND_IN],
    ['other/o1.5', STAND_IN],
    ['other/o10', STAND_IN],
    ['other/gpt-4all', STAND_IN],
    ['other/gpt-4-x-alpaca', STAND_IN],
    ['gpt-5/', STAND_IN],
    ['', STAND_IN],
  ])('counts %s', (model, choice) => {
    expect(tokenizerOf(model)).toEqual(choice);
  });
});

it('names each model once with what counts it', () => {
  expect(tokenizersOf(['openai/gpt-4', 'lab/a', 'lab/a'])).toEqual({
    'openai/gpt-4': CL100K,
    'lab/a': STAND_IN,
  });
});

it.each([
  ['cl100k_base', cl100k],
  ['o200k_base', o200k],
] as const)('has the tokens of %s that the library has', (name, published) => {
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
