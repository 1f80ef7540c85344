import { describe, expect, it } from 'vitest';
import {
  askProbes,
  createRemembering,
  type Probe,
  type Reader,
  shareLeft,
  shareRight,
} from '../../../../src/simulator/metrics/probes/probe.ts';

const probe = (accepted: string): Probe => ({
  id: `value ${accepted}`,
  kind: 'value',
  question: `Which ${accepted}?`,
  expected: { type: 'text', accepted: [accepted], refused: [] },
});

/** It says what its context says, and counts what it is asked. */
function createEcho() {
  const asked: string[] = [];
  const reader: Reader = {
    name: 'echo',
    answer: async ({ context, question }) => {
      asked.push(context);
      if (question.includes('broken') && context === '')
        return { state: 'failed', reason: 'no answer' };
      return { state: 'answered', text: context };
    },
  };
  return { reader, asked };
}

describe('askProbes', () => {
  it('asks each question with all, with what is left and with nothing', async () => {
    const { reader, asked } = createEcho();
    const contexts = { full: 'alpha', compacted: 'beta' };
    const { results } = await askProbes([probe('alpha'), probe('beta')], { reader, contexts });
    expect(results.map(({ answers }) => answers)).toEqual([
      { full: 'right', compacted: 'wrong', none: 'abstained' },
      { full: 'wrong', compacted: 'right', none: 'abstained' },
    ]);
    expect(asked).toHaveLength(6);
    expect(shareRight(results, 'full')).toBe(0.5);
    expect(shareRight(results, 'none', 'value')).toBe(0);
    expect(shareRight(results, 'full', 'file')).toBeNull();
  });

  it('leaves out a question that is not answered everywhere, and says why', async () => {
    const { reader } = createEcho();
    const contexts = { full: 'broken', compacted: 'broken' };
    expect(await askProbes([probe('broken')], { reader, contexts })).toEqual({
      results: [],
      unanswered: ['no answer'],
    });
  });
});

describe('createRemembering', () => {
  it('asks the same only once, for whichever arm', async () => {
    const { reader, asked } = createEcho();
    const remembering = createRemembering(reader);
    for (const compacted of ['one', 'two']) {
      await askProbes([probe('all')], {
        reader: remembering,
        contexts: { full: 'all', compacted },
      });
    }
    expect(asked.toSorted()).toEqual(['', 'all', 'one', 'two']);
  });
});

describe('shareLeft', () => {
  it.each([
    [{ full: 0.9, compacted: 0.7, none: 0.1 }, 0.75],
    [{ full: 0.9, compacted: 1, none: 0.4 }, 1.2],
  ])('of %j is %j', (answered, left) => {
    expect(shareLeft(answered)).toBeCloseTo(left, 10);
  });

  it('is unknown where the session tells little more than nothing', () => {
    expect(shareLeft({ full: 0.3, compacted: 0.3, none: 0.2 })).toBeNull();
  });
});
