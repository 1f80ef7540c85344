import { describe, expect, it } from 'vitest';
import { mergeRepeat } from '../../../../src/simulator/sweep/gate/case-record.ts';
import { checked } from './checked.ts';

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

  it('fails where one of its runs did something else, and the others the same', async () => {
    const [run] = (await checked()).runs;
    const result = { ...(await checked()), runs: [run!, { ...run!, name: 'second' }] };
    const other = { ...run!, events: run!.events.slice(1) };
    const merged = mergeRepeat(result, { ...result, runs: [run!, { ...other, name: 'second' }] });
    expect(merged.passed).toBe(false);
    expect(merged.runs.map(({ failures }) => failures.length)).toEqual([0, 1]);
  });
});
