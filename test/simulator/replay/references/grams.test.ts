import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRowCount, rowsOf } from '../../../../src/simulator/replay/references/grams.ts';

const sentences = fc
  .array(fc.constantFrom('lid', 'Cup', '茶', 'x_1', ','), { maxLength: 12 })
  .map((words) => words.join(' '));

/** All rows of a text, found one by one. */
function rowsIn(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/茶|[a-z\d_]+/g) ?? [];
  const rows = words.flatMap((_, start) =>
    [1, 2, 3].map((length) => words.slice(start, start + length).join(' ')),
  );
  return new Set(rows);
}

describe('createRowCount', () => {
  it('counts the rows of each list that a text has, as a search one by one does', () => {
    fc.assert(
      fc.property(fc.array(sentences, { maxLength: 4 }), sentences, (constraints, text) => {
        const lists = constraints.map(rowsOf).filter(([row]) => row !== '');
        const found = rowsIn(text);
        expect(createRowCount(lists)(text)).toEqual(
          lists.map((rows) => rows.filter((row) => found.has(row)).length),
        );
      }),
    );
  });
});
