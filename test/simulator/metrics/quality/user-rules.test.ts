import { describe, expect, it } from 'vitest';
import { rulesIn } from '../../../../src/simulator/metrics/quality/entities/user-rules.ts';

const long = (chars: number) => `You must never ${'x'.repeat(chars)}`.slice(0, chars);

describe('rulesIn', () => {
  it('gives the sentences that say what must or must not be done, and where they start', () => {
    const text = 'I never said so. Mend the lid.  Never touch main! Ask me.\nYou must brew it';
    expect(rulesIn(text)).toEqual([
      { sentence: 'Never touch main!', start: 30 },
      { sentence: 'You must brew it', start: 58 },
    ]);
  });

  it('takes what is longer than three hundred characters for no rule', () => {
    expect(rulesIn(long(300))).toHaveLength(1);
    expect(rulesIn(long(301))).toEqual([]);
  });
});
