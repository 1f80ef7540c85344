import { expect, it, vi } from 'vitest';
import { loadTokenizer } from '../../../src/simulator/tokens/tokenizer.ts';

const loaded = vi.hoisted((): string[] => []);

vi.mock('gpt-tokenizer/bpeRanks/o200k_base', (importOriginal) => {
  loaded.push('o200k_base');
  return importOriginal();
});

vi.mock('gpt-tokenizer/bpeRanks/cl100k_base', (importOriginal) => {
  loaded.push('cl100k_base');
  return importOriginal();
});

it('loads a table when its encoding is asked for, and no other', async () => {
  expect(loaded).toEqual([]);
  await loadTokenizer('cl100k_base');
  expect(loaded).toEqual(['cl100k_base']);
});
