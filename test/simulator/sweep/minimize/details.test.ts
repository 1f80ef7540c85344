import { describe, expect, it } from 'vitest';
import { detailsOf, keepDetails } from '../../../../src/simulator/sweep/minimize/details.ts';
import type { Outline } from '../../../../src/simulator/sweep/minimize/outline.ts';

const image = { bytes: 3, mime: 'image/png' };
const outline: Outline = {
  scale: { factor: 1.5, perMessageTokens: 40 },
  turns: [
    {
      idleSeconds: 600,
      user: { tokens: 10, characters: 33 },
      more: [{ tokens: 4, isSynthetic: true }],
      images: [image],
      steps: [
        {
          idleSeconds: 0,
          parts: [
            { type: 'text', tokens: 6, text: 'kettle' },
            {
              type: 'tool',
              tool: 'read',
              status: 'completed',
              input: { tokens: 2, characters: 5 },
              output: { tokens: 100, characters: 333 },
              images: [image],
            },
          ],
          outputTokens: 900,
          reasoningTokens: 700,
          finish: 'length',
          error: 'APIError',
        },
      ],
    },
  ],
};

const PLACES = [
  'scale',
  '0 more',
  '0 user characters',
  '0 more 0 isSynthetic',
  '0 images',
  '0 0 outputTokens',
  '0 0 1 input characters',
  '0 0 1 output characters',
  '0 0 1 images',
  '0 0 finish',
  '0 0 error',
];

describe('details', () => {
  it('are all that an outline says besides messages and sizes', () => {
    expect(detailsOf(outline).toSorted()).toEqual(PLACES.toSorted());
  });

  it('are kept as they are', () => {
    expect(keepDetails(outline, () => true)).toEqual(outline);
  });

  it('leave true tokens, one text to each message, and words where they go', () => {
    const plain = keepDetails(outline, () => false);
    expect(plain).toEqual({
      turns: [
        {
          idleSeconds: 600,
          user: { tokens: 21 },
          steps: [
            {
              idleSeconds: 0,
              parts: [
                { type: 'text', tokens: 9, text: 'kettle' },
                {
                  type: 'tool',
                  tool: 'read',
                  status: 'completed',
                  input: { tokens: 3 },
                  output: { tokens: 150 },
                },
              ],
            },
          ],
        },
      ],
    });
    expect(detailsOf(plain)).toEqual([]);
  });

  it.each(PLACES)('go one by one, such as %s', (place) => {
    const without = keepDetails(outline, (one) => one !== place);
    expect(detailsOf(without)).not.toContain(place);
    // Of texts that are put together nothing is told apart any more.
    const gone = place === '0 more' ? ['0 more', '0 more 0 isSynthetic'] : [place];
    const kept = PLACES.filter((one) => !gone.includes(one));
    expect(detailsOf(without)).toEqual(expect.arrayContaining(kept));
  });
});
