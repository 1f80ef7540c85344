import { describe, expect, it } from 'vitest';
import { parseOutputCap, parseSwitch } from '../../src/engine/index.ts';

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
