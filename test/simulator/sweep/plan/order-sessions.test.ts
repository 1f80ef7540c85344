import { describe, expect, it } from 'vitest';
import { largestFirst } from '../../../../src/simulator/sweep/plan/order-sessions.ts';

/** Sessions as `file size`. */
const ordered = (...sessions: readonly string[]) => {
  const read = sessions.map((text) => {
    const [file = '', size] = text.split(' ');
    return { ref: { file }, size: Number(size) };
  });
  return largestFirst(read, [...read.keys()]).map((index) => sessions[index]);
};

describe('largestFirst', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['begins with the largest', ['a 1', 'b 3', 'c 2'], ['b 3', 'c 2', 'a 1']],
    ['stays with a file', ['a 1', 'b 2', 'a 3'], ['a 3', 'a 1', 'b 2']],
    ['goes by the largest of a file', ['a 1', 'b 2', 'c 5', 'b 9'], ['b 9', 'b 2', 'c 5', 'a 1']],
    ['keeps the order of sessions of one size', ['b 1', 'a 1', 'b 1'], ['b 1', 'b 1', 'a 1']],
  ])('%s', (_, sessions, expected) => {
    expect(ordered(...sessions)).toEqual(expected);
  });

  it('gives only those that are asked for', () => {
    const sessions = [1, 2, 3].map((size) => ({ ref: { file: `${size}` }, size }));
    expect(largestFirst(sessions, [0, 2])).toEqual([2, 0]);
  });
});
