import { describe, expect, it } from 'vitest';
import { parseWhole, parseWholeIfGiven } from '../../../src/cli/options/parse-whole.ts';

describe('parseWhole', () => {
  it.each<[string, Parameters<typeof parseWhole>[2], number]>([
    ['1', undefined, 1],
    ['0', { least: 0 }, 0],
    ['007', { most: 7 }, 7],
    ['9007199254740991', {}, Number.MAX_SAFE_INTEGER],
  ])('takes %s in %j', (text, range, value) => {
    expect(parseWhole('--jobs', text, range)).toBe(value);
  });

  it.each<[string, Parameters<typeof parseWhole>[2], string]>([
    ['0', undefined, "of at least 1, got '0'"],
    ['1', { least: 2 }, "of at least 2, got '1'"],
    ['8', { most: 7 }, "from 1 to 7, got '8'"],
    ['', { least: 0, most: 7 }, "from 0 to 7, got ''"],
    ['-1', { least: 0 }, "of at least 0, got '-1'"],
    ['1.5', {}, "of at least 1, got '1.5'"],
    ['1e3', {}, "of at least 1, got '1e3'"],
    ['9007199254740992', {}, "of at least 1, got '9007199254740992'"],
    ['\u001b[31m1', {}, String.raw`of at least 1, got '\u001b[31m1'`],
  ])('refuses %j in %j', (text, range, words) => {
    const message = `Expected '--jobs' to be a whole number ${words}.`;
    expect(() => parseWhole('--jobs', text, range)).toThrow(message);
  });

  it('leaves an option absent that is not given', () => {
    expect(parseWholeIfGiven('--jobs', undefined)).toBeUndefined();
    expect(parseWholeIfGiven('--jobs', '3')).toBe(3);
  });
});
