import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertReaching } from './reaching.ts';

function drawsUnder(seed: number): readonly number[] {
  const given = fc.readConfigureGlobal();
  const draws: number[] = [];
  fc.configureGlobal({ ...given, seed });
  try {
    assertReaching(
      fc.property(fc.nat(), (value) => void draws.push(value)),
      { numRuns: 40 },
    );
  } finally {
    fc.configureGlobal(given);
  }
  return draws;
}

it('draws the same half under every seed, and another one that is free', () => {
  const [one, two] = [drawsUnder(1), drawsUnder(5)];
  expect([one.length, two.length]).toEqual([40, 40]);
  expect(one.slice(0, 20)).toEqual(two.slice(0, 20));
  expect(one.slice(20)).not.toEqual(two.slice(20));
});
