import { describe, expect, it } from 'vitest';
import {
  findByShortId,
  isShortId,
  shortIdOf,
} from '../../../../src/simulator/session/files/short-ids.ts';

const FILES = [
  '/p/3f2a0001-1111-4111-8111-111111111111.jsonl',
  '/p/3f2b0001-1111-4111-8111-111111111111.jsonl',
  '/p/rollout-2026-01-02T03-04-05-0199aaaa-1111-7111-8111-111111111111.jsonl',
  '/p/rollout-2026-01-02T03-09-05-0199aaab-1111-7111-8111-111111111111.jsonl',
  '/data/opencode.db',
];

describe('short ids', () => {
  it('are the start of a UUID or of a hash of the path, the shortest that leads back', () => {
    const ids = FILES.map((file) => shortIdOf(file, FILES));
    expect(ids.slice(0, 2)).toEqual(['3f2a', '3f2b']);
    expect(ids.map(({ length }) => length)).toEqual([4, 4, 4, 4, 4]);
    expect(ids.map((id) => findByShortId(id, FILES))).toEqual(FILES);
    expect(findByShortId('0199aaab', FILES)).toBe(FILES[3]);
  });

  it('are the same below any home', () => {
    const ids = ['/home/ann', '/Users/a-longer-name'].map((home) => {
      const file = `${home}/data/opencode.db`;
      const id = shortIdOf(file, [file], home);
      expect(findByShortId(id, [file], home)).toBe(file);
      return id;
    });
    expect(ids[0]).toBe(ids[1]);
  });

  it('keep the index of a session in a file of several', () => {
    const id = shortIdOf('/data/opencode.db#3', FILES);
    expect(id).toMatch(/^[\da-f]{4}#3$/);
    expect(findByShortId(id, FILES)).toBe('/data/opencode.db#3');
  });

  it('tell two recordings of one session apart', () => {
    const copies = [FILES[0]!, FILES[0]!.replace('/p/', '/q/')];
    const ids = copies.map((file) => shortIdOf(file, copies));
    expect(ids.map((id) => findByShortId(id, copies))).toEqual(copies);
    expect(() => findByShortId('3f2a', copies)).toThrow(
      `Expected '3f2a' to be the start of one id, got that of 2: '${copies[0]}', '${copies[1]}'; more of it tells which.`,
    );
  });

  it('are taken with dashes and in capitals, and unknown ones are refused', () => {
    expect(findByShortId('3F2A0001-11', FILES)).toBe(FILES[0]);
    expect(() => findByShortId('ffff', FILES)).toThrow(
      "Expected 'ffff' to be a file or the start of the id of a session on this machine, got neither among 5 files where agents keep them.",
    );
  });

  it.each([
    ['3f2a', true],
    ['3f2a0001-1111', true],
    ['3f2a#2', true],
    ['3f2', false],
    ['session.json', false],
  ])('tests if %s is one: %s', (name, is) => {
    expect(isShortId(name)).toBe(is);
  });
});
