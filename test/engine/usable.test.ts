import { describe, expect, it } from 'vitest';
import { outputReserve, parseOutputCap, parseSwitch } from '../../src/engine/index.ts';

describe('parseOutputCap', () => {
  it.each<[string | undefined, number | undefined]>([
    ['1234', 1_234],
    ['1', 1],
    ['0', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['nope', undefined],
    ['', undefined],
    [' ', undefined],
    ['Infinity', undefined],
    [undefined, undefined],
  ])('%s: %s', (text, expected) => {
    expect(parseOutputCap(text)).toBe(expected);
  });
});

describe('parseSwitch', () => {
  it.each<[string | undefined, boolean]>([
    ['1', true],
    ['true', true],
    ['TRUE', true],
    ['0', false],
    ['false', false],
    ['yes', false],
    ['', false],
    [undefined, false],
  ])('%s: %s', (text, expected) => {
    expect(parseSwitch(text)).toBe(expected);
  });
});

describe('outputReserve', () => {
  it.each<[string, number | undefined, number]>([
    ["is the model's own limit below the cap", 8_000, 8_000],
    ['is the cap where both are equal', 32_000, 32_000],
    ['is the cap where the model gives more', 128_000, 32_000],
    ['is the cap where the model declares 0', 0, 32_000],
    ['is the cap where the model declares nothing', undefined, 32_000],
  ])('%s', (_, outputTokens, expected) => {
    const limits = {
      contextTokens: 200_000,
      ...(outputTokens === undefined ? {} : { outputTokens }),
    };
    expect(outputReserve(limits, 32_000)).toBe(expected);
  });
});
