import { describe, expect, it } from 'vitest';
import { exceedsByteCap } from '../../../src/simulator/provider/provider.ts';

describe('exceedsByteCap', () => {
  it.each<[number, number | undefined, boolean]>([
    [32, 32, false],
    [33, 32, true],
    [1, 0, true],
    [34_200_000, undefined, false],
  ])('%d bytes of %s: %s', (bytes, maxBytes, expected) => {
    expect(exceedsByteCap(bytes, maxBytes)).toBe(expected);
  });
});
