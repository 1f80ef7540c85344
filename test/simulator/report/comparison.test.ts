import { describe, expect, it } from 'vitest';
import { leftOutLines } from '../../../src/simulator/report/comparison.ts';

const sessionsOf = (count: number, reason: string) =>
  Array.from({ length: count }, (_, index) => ({ session: `${reason} ${index}`, reason }));

describe('leftOutLines', () => {
  it('names every session where few have a reason in common', () => {
    expect(leftOutLines([...sessionsOf(1, 'refused'), ...sessionsOf(2, 'loop')])).toEqual([
      'refused 0: refused',
      'loop 0: loop',
      'loop 1: loop',
    ]);
  });

  it('counts the others where many have', () => {
    const mixed = [
      ...sessionsOf(4, 'loop'),
      ...sessionsOf(1, 'refused'),
      ...sessionsOf(200, 'loop'),
    ];
    const lines = leftOutLines(mixed, (text) => `<${text}>`);
    expect(lines).toHaveLength(7);
    expect(lines[4]).toBe('<loop 0>: <loop>');
    expect(lines.slice(5)).toEqual(['199 other sessions: <loop>', '<refused 0>: <refused>']);
  });

  it('ends after some lines where every session has a reason of its own', () => {
    const own = Array.from({ length: 30 }, (_, index) => sessionsOf(1, `${index} tokens`)[0]!);
    const lines = leftOutLines([...own, ...sessionsOf(7, 'loop')]);
    expect(lines).toHaveLength(21);
    expect(lines[19]).toBe('19 tokens 0: 19 tokens');
    expect(lines[20]).toBe('17 other sessions, see JSON');
  });
});
