import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeap, type Heap, popHeap, pushHeap } from '../../../src/simulator/tokens/heap.ts';

function popAll(heap: Heap): number[] {
  const values: number[] = [];
  for (let value = popHeap(heap); value !== undefined; value = popHeap(heap)) values.push(value);
  return values;
}

const numbers = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 60 });

describe('popHeap', () => {
  it('has nothing to take from an empty heap', () => {
    expect(popHeap(createHeap(0))).toBeUndefined();
  });

  it('takes the numbers in ascending order', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const heap = createHeap(values.length);
        for (const value of values) pushHeap(heap, value);
        expect(popAll(heap)).toEqual(values.toSorted((a, b) => a - b));
      }),
    );
  });

  it('takes the smallest of those that are left when pushes come in between', () => {
    fc.assert(
      fc.property(numbers, numbers, (first, second) => {
        const heap = createHeap(first.length + second.length);
        for (const value of first) pushHeap(heap, value);
        expect(popHeap(heap)).toBe(Math.min(...first));
        for (const value of second) pushHeap(heap, value);
        expect(popHeap(heap)).toBe(
          Math.min(...first.toSorted((a, b) => a - b).slice(1), ...second),
        );
      }),
    );
  });
});
