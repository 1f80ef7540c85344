import { describe, expect, it } from 'vitest';
import { isSameModel } from '../../../src/simulator/provider/same-model.ts';

describe('isSameModel', () => {
  it.each<[string, string, boolean]>([
    ['anthropic/claude-opus-4-5', 'anthropic/claude-opus-4-5', true],
    ['anthropic/claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5', true],
    ['anthropic/claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5@20251101', true],
    ['anthropic/claude-opus-4-0', 'anthropic/claude-opus-4-20250514', true],
    ['openai/gpt-4o-2024-08-06', 'openai/gpt-4o', true],
    ['mistral/devstral-latest', 'mistral/devstral', true],
    ['anthropic/claude-opus-4-5', 'anthropic/claude-opus-4-1', false],
    ['anthropic/claude-opus-4-5', 'anthropic/claude-opus-4', false],
    ['openai/gpt-5', 'openai/gpt-5-mini', false],
    ['anthropic/claude-opus-4-5', 'somebody/claude-opus-4-5', false],
    ['unknown/claude-opus-4-5-20251101', 'anthropic/claude-opus-4-5', true],
    ['unknown/claude-opus-4-1', 'anthropic/claude-opus-4-5', false],
  ])('%s, %s', (a, b, expected) => {
    expect(isSameModel(a, b)).toBe(expected);
    expect(isSameModel(b, a)).toBe(expected);
  });
});
