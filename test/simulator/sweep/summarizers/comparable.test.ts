import { describe, expect, it } from 'vitest';
import { orderRows } from '../../../../src/simulator/sweep/summarizers/comparable.ts';
import { row } from './summary-rows.ts';

describe('orderRows', () => {
  const rows = ['b', 'a'].flatMap((scenario) =>
    [2, 1].flatMap((repeat) =>
      ['tail', 'extractive'].map((summarizer) => row({ summarizer, scenario, repeat })),
    ),
  );
  const order = {
    arms: ['extractive', 'tail'].map((name) => JSON.stringify([name, 'prompt'])),
    scenarios: ['a', 'b'],
  };
  const shown = (some: typeof rows) =>
    some.map(({ summarizer, scenario, repeat }) => `${summarizer} ${scenario} ${repeat}`);

  it('is that of the plan, whatever came first', () => {
    const expected = ['extractive', 'tail'].flatMap((name) =>
      ['a 1', 'a 2', 'b 1', 'b 2'].map((rest) => `${name} ${rest}`),
    );
    expect(shown([...orderRows(rows, order)])).toEqual(expected);
    expect(shown([...orderRows(rows.toReversed(), order)])).toEqual(expected);
  });

  it('has what was there before in front', () => {
    const earlier = row({ summarizer: 'lead', scenario: 'z' });
    const ordered = orderRows([...rows, earlier], order);
    expect(ordered[0]).toBe(earlier);
  });
});
