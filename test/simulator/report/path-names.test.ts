import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namePaths } from '../../../src/simulator/report/path-names.ts';

describe('namePaths', () => {
  it.each<[string, string[], string[]]>([
    ['short paths whole', ['a/b.json', 'c.json'], ['a/b.json', 'c.json']],
    [
      'long paths by their end',
      ['home/user/one.json', 'home/user/two.json'],
      ['…/user/one.json', '…/user/two.json'],
    ],
    [
      'paths that end alike by as much as tells them apart',
      ['home/user/1111/history.json', 'home/user/2222/history.json', 'home/user/one.json'],
      ['…/user/1111/history.json', '…/user/2222/history.json', '…/user/one.json'],
    ],
    [
      'what is alike up to its start by all of it',
      ['x/a/long/folder/history.json', 'a/long/folder/history.json'],
      ['x/a/long/folder/history.json', 'a/long/folder/history.json'],
    ],
  ])('names %s', (_, paths, expected) => {
    const names = namePaths(paths, 16);
    expect(paths.map((path) => names.get(path))).toEqual(expected);
  });

  const path = fc
    .array(fc.constantFrom('a', 'bb', 'session'), { minLength: 1, maxLength: 8 })
    .map((folders) => folders.join('/'));
  it('names no two paths alike', () => {
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 8 }), (paths) => {
        expect(new Set(namePaths(paths, 8).values()).size).toBe(paths.length);
      }),
    );
  });
});
