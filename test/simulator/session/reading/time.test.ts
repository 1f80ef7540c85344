import { afterAll, describe, expect, it, vi } from 'vitest';
import { toTime } from '../../../../src/simulator/session/reading/time.ts';

vi.stubEnv('TZ', 'Asia/Tokyo');
afterAll(() => vi.unstubAllEnvs());

describe('toTime', () => {
  it.each<[unknown, number]>([
    ['1970-01-01T00:00:01', 1_000],
    ['1970-01-01T00:00:01.5', 1_500],
    ['1970-01-01T00:00:01Z', 1_000],
    ['1970-01-01T01:00:01+01:00', 1_000],
    ['soon', 0],
    [1_700_000_000, 1_700_000_000_000],
    [1_700_000_000.5, 1_700_000_000_500],
    [1_700_000_000_000, 1_700_000_000_000],
    [-1, 0],
    [null, 0],
  ])('takes %j for %i', (recorded, expected) => {
    expect(toTime(recorded)).toBe(expected);
  });
});
