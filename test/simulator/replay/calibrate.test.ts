import { describe, expect, it } from 'vitest';
import { type Calibration, calibrate } from '../../../src/simulator/replay/calibrate.ts';

/** What a context grew by, what was counted of it, and in how many messages. */
type Growth = readonly [recordedTokens: number, countedTokens: number, messages: number];

const calibrateOn = (pairs: readonly Growth[]): Calibration =>
  calibrate(
    pairs.map(([recordedTokens, countedTokens, messages]) => ({
      recordedTokens,
      countedTokens,
      messages,
    })),
  );

/** Two tokens for each that was counted, and five for each message. */
const exact: readonly Growth[] = [
  [30, 10, 2],
  [120, 50, 4],
  [19, 7, 1],
];

describe('calibrate', () => {
  it.each<[what: string, pairs: readonly Growth[], factor: number, perMessageTokens: number]>([
    ['finds what a token and a message cost', exact, 2, 5],
    ['leaves out what did not grow', [[0, 9, 1], ...exact, [-50, 3, 1]], 2, 5],
    [
      'takes a message for free where it would cost less than nothing',
      [
        [10, 10, 2],
        [80, 50, 4],
        [9, 7, 1],
      ],
      (10 * 10 + 80 * 50 + 9 * 7) / (10 ** 2 + 50 ** 2 + 7 ** 2),
      0,
    ],
    [
      'takes a message for free where messages are all of a size',
      [
        [25, 10, 1],
        [50, 20, 2],
        [75, 30, 3],
      ],
      2.5,
      0,
    ],
    [
      'rounds what a message costs',
      [
        [30, 10, 2],
        [120, 50, 4],
        [20, 7, 1],
      ],
      8_120 / 4_100,
      5,
    ],
  ])('%s', (_, pairs, factor, perMessageTokens) => {
    const found = calibrateOn(pairs);
    expect(found).toEqual({
      factor: expect.closeTo(factor, 3),
      perMessageTokens,
      evidence: 'measured',
      pairs: 3,
    });
  });

  it.each<[what: string, pairs: readonly Growth[]]>([
    ['two pairs', exact.slice(1)],
    ['two pairs and one that did not grow', [...exact.slice(1), [0, 10, 2]]],
    [
      'pairs of which nothing was counted',
      [
        [5, 0, 1],
        [10, 0, 2],
        [15, 0, 3],
      ],
    ],
    [
      'pairs by which a token would cost nothing',
      [
        [10, 100, 1],
        [20, 50, 2],
        [30, 10, 3],
      ],
    ],
    [
      'pairs by which a token would cost less than nothing',
      [
        [10, 100, 1],
        [30, 50, 2],
        [60, 10, 3],
      ],
    ],
  ])('tells nothing of %s', (_, pairs) => {
    const unknown = { factor: 1, perMessageTokens: 0, evidence: 'estimated', pairs: 0 };
    expect(calibrateOn(pairs)).toEqual(unknown);
  });
});
