import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replaceBlock } from '../../scripts/page-blocks.ts';
import { judgeStretch, recordedTable, type Stretch } from '../../scripts/recorded/stretches.ts';

describe.each([
  ['recorded', 'stretches'],
  ['held out', 'held-out'],
])('%s compactions', (block, name) => {
  const lines = readFileSync(`test/fixtures/recorded-${name}.jsonl`, 'utf8').trimEnd().split('\n');
  const stretches = lines.map((line): Stretch => JSON.parse(line));
  const stepsOf = (over: Partial<Stretch>) =>
    stretches.map((one) => judgeStretch({ ...one, ...over })?.predictedAfterStep);

  it('come at their step in three of four, within one step in nine of ten, as the page says', () => {
    const page = readFileSync('docs/reference/numbers.md', 'utf8');
    const table = recordedTable(stretches);
    expect(replaceBlock(page, block, `${table}\n`)).toBe(page);
    const [all = 0, exact = 0, near = 0] = table.split('\n').at(-1)!.match(/\d+/g)!.map(Number);
    expect([all, exact / all >= 0.75, near / all >= 0.9]).toEqual([stretches.length, true, true]);
  });

  it('are not predicted from their own size', () => {
    expect(stepsOf({ tokensBefore: undefined })).toEqual(stepsOf({}));
  });

  it('are numbers, not texts', () => {
    const values = stretches.flatMap(({ messages }) => messages.flat(2));
    expect(values.filter((value) => value !== null && typeof value !== 'number')).toEqual([]);
  });
});
