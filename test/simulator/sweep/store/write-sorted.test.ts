import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRowIndex } from '../../../../src/simulator/sweep/store/row-index.ts';
import { writeSorted } from '../../../../src/simulator/sweep/store/write-sorted.ts';
import { createFolder } from '../../../support/session-files.ts';

const folder = createFolder();
const [target, ...sources] = ['sorted', 'one', 'other'].map((name) => join(folder, name));
const KINDS = ['next', 'apart', 'elsewhere'] as const;
const LONG = 700_000;

/** A row, and where it lies, seen from the one before it in order. */
interface Placed {
  readonly row: string;
  readonly lies: (typeof KINDS)[number];
}

const placed = fc.record({
  row: fc.oneof(
    { weight: 30, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 8 }) },
    { weight: 1, arbitrary: fc.constant('x'.repeat(LONG)) },
  ),
  lies: fc.constantFrom(...KINDS),
});

/** Writes the sources and says where each row lies in them. */
function lay(rows: readonly Placed[]) {
  const index = createRowIndex(rows.length);
  const texts = ['', ''];
  let source = 0;
  for (const [place, { row, lies }] of rows.entries()) {
    if (lies === 'elsewhere') source = 1 - source;
    if (lies === 'apart') texts[source] += 'not a row\n';
    const offsetBytes = texts[source]!.length;
    index.add(place, { source, offsetBytes, lengthBytes: row.length });
    texts[source] += `${row}\n`;
  }
  for (const [at, text] of texts.entries()) writeFileSync(sources[at]!, text);
  return index;
}

describe('writeSorted', () => {
  it('writes all rows in order, wherever and however close together they lie', () => {
    fc.assert(
      fc.property(fc.array(placed, { maxLength: 30 }), (rows) => {
        writeSorted(target!, lay(rows), sources);
        const expected = rows.map(({ row }) => `${row}\n`).join('');
        expect(readFileSync(target!, 'utf8') === expected).toBe(true);
      }),
    );
  });
});
