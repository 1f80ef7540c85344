import { describe, expect, it } from 'vitest';
import { usableLabels } from '../../../../../src/simulator/report/html/page/usable-lines.js';

/** A chart whose top, 18 pixels down, is at 230,000 tokens. */
const frame = { y: (tokens: number) => 248 - tokens / 1_000 };

describe('usableLabels', () => {
  it.each<[what: string, limits: readonly number[], labels: ReturnType<typeof usableLabels>]>([
    ['nothing where there is no limit', [], []],
    [
      'limits apart, from the top down',
      [100_000, 200_000],
      [
        { at: 44, words: 'usable 200k' },
        { at: 144, words: 'usable 100k' },
      ],
    ],
    [
      'limits that would lie over each other in one place',
      [67_000, 150_000, 68_000],
      [
        { at: 94, words: 'usable 150k' },
        { at: 176, words: 'usable 68k, usable 67k' },
      ],
    ],
    [
      'limits as far apart as a label is high by themselves',
      [68_000, 57_000],
      [
        { at: 176, words: 'usable 68k' },
        { at: 187, words: 'usable 57k' },
      ],
    ],
    [
      'limits that read the same once',
      [67_000, 67_010],
      [{ at: expect.closeTo(176.99) as number, words: 'usable 67k' }],
    ],
    [
      'limits that read the same once, behind others as well',
      [67_000, 67_010, 68_000],
      [{ at: 176, words: 'usable 68k, usable 67k' }],
    ],
    [
      'all above the chart in one place',
      [300_000, 400_000],
      [{ at: 11, words: 'usable 300k is above the chart, usable 400k is above the chart' }],
    ],
    ['a limit below zero', [-2_000], [{ at: 244, words: 'usable -2k: below zero' }]],
  ])('tells %s', (_, limits, labels) => {
    expect(usableLabels(frame, limits)).toEqual(labels);
  });
});
