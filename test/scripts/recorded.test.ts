import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replaceBlock } from '../../scripts/page-blocks.ts';
import { judgeStretch, recordedTable, type Stretch } from '../../scripts/recorded/stretches.ts';

const stretches = readFileSync('test/fixtures/recorded-stretches.jsonl', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line): Stretch => JSON.parse(line));

const predicted = (over: Partial<Stretch>) =>
  stretches.map((one) => judgeStretch({ ...one, ...over })?.predictedAfterStep);

describe('recorded compactions', () => {
  it('come at their step in three of four, within one step in nine of ten, as the page says', () => {
    const page = readFileSync('docs/reference/numbers.md', 'utf8');
    const table = recordedTable(stretches);
    expect(replaceBlock(page, 'recorded', `${table}\n`)).toBe(page);
    const [all = 0, exact = 0, near = 0] = table.split('\n').at(-1)!.match(/\d+/g)!.map(Number);
    expect(all).toBe(stretches.length);
    expect(exact / all).toBeGreaterThanOrEqual(0.75);
    expect(near / all).toBeGreaterThanOrEqual(0.9);
  });

  it('are not predicted from their own size', () => {
    expect(predicted({ tokensBefore: undefined })).toEqual(predicted({}));
  });

  it('are numbers, not texts', () => {
    const values = stretches.flatMap(({ messages }) => messages.flat(2));
    expect(values.filter((value) => value !== null && typeof value !== 'number')).toEqual([]);
  });
});
