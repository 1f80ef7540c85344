import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DIGEST_LENGTH,
  parseRecords,
  RECORD_BYTES,
  toRecord,
} from '../../../src/simulator/tokens/count-records.ts';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const digests = fc
  .array(fc.constantFrom(...Array.from(BASE64URL)), {
    minLength: DIGEST_LENGTH,
    maxLength: DIGEST_LENGTH,
  })
  .map((characters) => characters.join(''));
const counts = fc.uniqueArray(fc.tuple(digests, fc.nat({ max: 16 ** 6 - 1 })), {
  selector: ([digest]) => digest,
  minLength: 1,
  maxLength: 20,
});
const DIGEST = 'k'.repeat(DIGEST_LENGTH);

function toRecords(entries: readonly (readonly [string, number])[]): string {
  return entries.map(([digest, tokens]) => toRecord(digest, tokens)).join('');
}

describe('parseRecords', () => {
  it('gives back what was kept, in its order', () => {
    fc.assert(
      fc.property(counts, (entries) => {
        expect([...parseRecords(toRecords(entries))]).toEqual(entries);
      }),
    );
  });

  it('never takes a damaged line for another count', () => {
    const damage = fc.record({
      from: fc.nat(),
      removed: fc.nat({ max: 80 }),
      added: fc.string({ maxLength: 6 }),
    });
    fc.assert(
      fc.property(counts, damage, (entries, { from, removed, added }) => {
        const text = toRecords(entries);
        const start = from % text.length;
        const damaged = text.slice(0, start) + added + text.slice(start + removed);
        const kept = new Map(entries);
        for (const [digest, tokens] of parseRecords(damaged)) {
          expect(kept.get(digest)).toBe(tokens);
        }
      }),
    );
  });

  it('never takes a changed character for another count', () => {
    const text = toRecord(DIGEST, 1234) ?? '';
    for (let index = 0; index < text.length - 1; index++) {
      const changed = text[index] === '1' ? '2' : '1';
      expect(parseRecords(text.slice(0, index) + changed + text.slice(index + 1)).size).toBe(0);
    }
  });

  it.each<[what: string, text: string]>([
    ['nothing', ''],
    ['empty lines', '\n\n'],
    ['zeros', '\0'.repeat(RECORD_BYTES)],
    ['a line without its end', `${DIGEST}0004d2`],
    ['two lines in one', (toRecord(DIGEST, 1) ?? '').trimEnd() + toRecord(DIGEST, 1)],
  ])('finds no count in %s', (_, text) => {
    expect(parseRecords(text).size).toBe(0);
  });

  it('takes the last count of a text', () => {
    expect(
      parseRecords(
        toRecords([
          [DIGEST, 1],
          [DIGEST, 2],
        ]),
      ).get(DIGEST),
    ).toBe(2);
  });
});

describe('toRecord', () => {
  it('has the length that is said of it', () => {
    expect(toRecord(DIGEST, 0)).toHaveLength(RECORD_BYTES);
    expect(toRecord(DIGEST, 16 ** 6 - 1)).toHaveLength(RECORD_BYTES);
  });

  it('has no record of a count that is too large', () => {
    expect(toRecord(DIGEST, 16 ** 6)).toBeUndefined();
  });
});
