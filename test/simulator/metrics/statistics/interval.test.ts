import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { observedInterval } from '../../../../src/simulator/metrics/statistics/interval.ts';

it('ends at values that were observed, with at most a fortieth beyond each end', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(0, 5, 20, 80), { minLength: 1 }), (values) => {
      const { low, high } = observedInterval(values);
      expect(values).toContain(low);
      expect(values).toContain(high);
      const beyond = (test: (value: number) => boolean) => values.filter(test).length;
      expect(beyond((value) => value < low)).toBeLessThanOrEqual(values.length / 40);
      expect(beyond((value) => value > high)).toBeLessThanOrEqual(values.length / 40);
    }),
  );
});

it('leaves out what a fortieth of the values says, and not more', () => {
  const values = [...Array.from({ length: 39 }, () => 1), 100];
  expect(observedInterval(values)).toEqual({ low: 1, high: 1 });
  expect(observedInterval([...values, 100])).toEqual({ low: 1, high: 100 });
});
