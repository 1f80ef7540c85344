import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backThrough, backTo, push, type Stack } from '../../src/engine/stack.ts';

const MANY = 1_000;

function stackOf(items: readonly number[]): Stack<number> | undefined {
  return items.reduce<Stack<number> | undefined>(push, undefined);
}

describe('a stack', () => {
  it('goes back to the newest item that passes a test which all older ones pass', () => {
    fc.assert(
      fc.property(fc.nat(200), fc.integer({ min: -1, max: 200 }), (length, newest) => {
        const stack = stackOf(Array.from({ length }, (_, index) => index));
        const expected = newest < 0 || length === 0 ? undefined : Math.min(newest, length - 1);
        expect(backTo(stack, (item) => item <= newest)?.item).toBe(expected);
      }),
    );
  });

  it('goes back to the oldest item that passes a test which all newer ones pass', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(200), (length, oldest) => {
        const stack = stackOf(Array.from({ length }, (_, index) => index)) as Stack<number>;
        const expected = Math.min(oldest, length - 1);
        expect(backThrough(stack, (item) => item >= expected).item).toBe(expected);
      }),
    );
  });

  it('is shared by those that grew out of it', () => {
    const shared = stackOf([0, 1, 2]) as Stack<number>;
    const some = push(shared, 3);
    const others = push(shared, 4);
    expect([some.older, others.older]).toEqual([shared, shared]);
    expect([some.item, others.item, some.length]).toEqual([3, 4, 4]);
  });

  it('looks at few of many items', () => {
    const stack = stackOf(Array.from({ length: MANY }, (_, index) => index)) as Stack<number>;
    let looks = 0;
    const isOld = (item: number) => {
      looks += 1;
      return item <= 3;
    };
    expect(backTo(stack, isOld)?.item).toBe(3);
    expect(backThrough(stack, (item) => !isOld(item)).item).toBe(4);
    expect(looks).toBeLessThan(MANY / 10);
  });
});
