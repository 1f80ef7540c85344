import { describe, expect, it } from 'vitest';
import { runOf } from '../../../../src/simulator/session/redact/character-run.ts';

describe('a run', () => {
  it.each([
    ['is one letter over and over', 'xxxxxxxxx', { character: 'x', times: 9 }],
    ['is one letter of two units over and over', '𠮷'.repeat(8), { character: '𠮷', times: 8 }],
    ['may have megabytes', 'x'.repeat(8_000_000), { character: 'x', times: 8_000_000 }],
    ['is none of fewer than eight', 'xxxxxxx', undefined],
    ['is none that ends with another letter', 'xxxxxxxxy', undefined],
    ['is none that ends within a letter', '𠮷'.repeat(8).slice(0, -1), undefined],
    ['is none of nothing', '', undefined],
  ])('%s', (_, text, run) => {
    expect(runOf(text)).toEqual(run);
  });
});
