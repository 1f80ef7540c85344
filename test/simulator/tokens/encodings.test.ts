import { createHash } from 'node:crypto';
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

// The checksums are those of tiktoken's `openai_public.py`, for files with a token in base64 and its rank a line.
it.each([
  ['cl100k_base', '223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7', 99_475],
  ['o200k_base', '446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d', 198_427],
])('has the tokens of %s that are published', (name, checksum, texts) => {
  const tokens = readTokens(name).map((token) => Buffer.from(token, 'latin1'));
  expect(tokens).toHaveLength(findEncoding(name).size);
  const lines = tokens.map((token, rank) => `${token.toString('base64')} ${rank}\n`);
  expect(createHash('sha256').update(lines.join('')).digest('hex')).toBe(checksum);
  // Without parts of a character, and what begins with a byte order mark.
  expect(readVocabulary(name)).toHaveLength(texts);
});
