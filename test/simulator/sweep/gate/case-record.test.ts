import { describe, expect, it } from 'vitest';
import { mergeRepeat } from '../../../../src/simulator/sweep/gate/case-record.ts';
import { checked } from '../check/checked.ts';

describe('a scenario that was run again', () => {
  it('passes where it did the same', async () => {
    const result = await checked();
    expect(mergeRepeat(result, await checked())).toEqual(result);
  });

  it('fails once where it did something else, however often', async () => {
    const result = await checked();
    const [run] = result.runs;
    const other = { ...result, runs: [{ ...run!, events: run!.events.slice(1) }] };
    expect(run!.at).toEqual({ line: 5, column: 9 });
    const merged = mergeRepeat(mergeRepeat(result, other), other);
    expect(merged.passed).toBe(false);
    expect(merged.runs[0]?.failures).toEqual([
      {
        ...run!.at,
        expected: 'the same events with the same seed every time',
        got: 'others',
      },
    ]);
  });
});
