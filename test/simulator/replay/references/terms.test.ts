import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addTerms,
  createTermTable,
  findTerms,
  NO_TERM,
} from '../../../../src/simulator/replay/references/terms.ts';
import { assertReaching } from '../../../support/reaching.ts';

/** Few words, so that rows of them come again, also with too few different ones. */
const words = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'd', 'Ö', '茶', '道', 'É3'),
  fc.constantFrom(
    'a/b/c',
    'lib/one',
    'isParsed',
    'isFive',
    'isFor',
    'Lantern',
    'x_1.',
    '48213',
    './a.ts',
    '-v',
    '3fe21ab',
    '4.20\\',
  ),
);
const texts = fc
  .array(fc.tuple(words, fc.constantFrom(' ', ', ', '\n', '')), { maxLength: 40 })
  .map((pairs) => pairs.flat().join(''));

/** Terms of a text, searched for one by one: phrases first, then names. */
function termsIn(text: string): readonly string[] {
  const all = text.match(/[茶道]|[\wÖÉ]+/g) ?? [];
  const rows = all.map((_, start) => all.slice(start, start + 8));
  const phrases = rows.filter((row) => row.length === 8 && new Set(row).size >= 5);
  const runs = text.match(/[\w./\\~$-]+/g) ?? [];
  const names = runs.map((run) => run.replace(/^\W+|\W+$/g, '')).filter(isName);
  return [...phrases.map((row) => row.join(' ')), ...names.map((name) => `name ${name}`)];
}

function isName(name: string): boolean {
  if (name.length < 5) return false;
  if (/^\d+$|[_.\\]/.test(name)) return true;
  if (name.includes('/')) return /\d|\/.*\//.test(name);
  return /\d/.test(name) ? name.length >= 7 : name.length >= 6 && /[a-z][A-Z]/.test(name);
}

const sink = () => {
  const got: number[] = [];
  return { got, take: (term: number) => got.push(term) };
};

describe('terms', () => {
  it('are the phrases and names that a search one by one finds, in its order', () => {
    let repeated = 0;
    assertReaching(
      fc.property(texts, (text) => {
        const expected = termsIn(text);
        const { got, take } = sink();
        addTerms(text, createTermTable(), take);
        const inOrder = [...new Set(expected)];
        expect(got).toEqual(expected.map((term) => inOrder.indexOf(term)));
        if (inOrder.length < expected.length) repeated += 1;
      }),
      { numRuns: 300 },
    );
    expect(repeated).toBeGreaterThan(3);
  });

  it('are found again in another text, and no others', () => {
    let met = 0;
    assertReaching(
      fc.property(texts, texts, texts, (start, common, end) => {
        const table = createTermTable();
        const [written, { got, take }] = [`${common} ${end}`, sink()];
        addTerms(written, table, () => {});
        findTerms(`${start} ${common}`, table, take);
        const known = [...new Set(termsIn(written))];
        const expected = termsIn(`${start} ${common}`).filter((term) => known.includes(term));
        expect(got).toEqual(expected.map((term) => known.indexOf(term)));
        if (expected.length > 0) met += 1;
      }),
      { numRuns: 300 },
    );
    expect(met).toBeGreaterThan(30);
  });
});

describe('createTermTable', () => {
  it('numbers terms in the order in which they came, each once', () => {
    const table = createTermTable();
    expect([table.add(7, 1), table.add(7, 2), table.add(8, 1), table.add(7, 2)]).toEqual([
      0, 1, 2, 1,
    ]);
    expect([table.find(8, 1), table.find(8, 2), table.size]).toEqual([2, NO_TERM, 3]);
  });

  it.each<[name: string, hashOf: (index: number) => number]>([
    ['different', (index) => Math.imul(index, 0x9e3779b1)],
    ['wanting few places', (index) => (index % 10) << 20],
  ])('keeps the numbers of many terms: %s', (_, hashOf) => {
    const table = createTermTable();
    const indices = Array.from({ length: 1_000 }, (__, index) => index);
    for (const index of indices) table.add(hashOf(index), index);
    expect(indices.map((index) => table.find(hashOf(index), index))).toEqual(indices);
    expect(indices.map((index) => table.find(hashOf(index), -1 - index))).toEqual(
      indices.map(() => NO_TERM),
    );
  });
});
