import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eachFileName,
  eachLine,
  eachName,
  eachPhrase,
  withoutForeignLines,
  withoutForeignNames,
} from '../../../../src/simulator/replay/references/texts.ts';

/** The pieces that a search gives. */
function piecesOf<Piece>(each: (text: string, sink: (piece: Piece) => void) => void, text: string) {
  const pieces: Piece[] = [];
  each(text, (piece) => pieces.push(piece));
  return pieces;
}

describe('eachLine', () => {
  it.each([
    ['    12→  const total = sum(prices);'],
    ['12\tconst total = sum(prices);'],
    ['12: const total = sum(prices);'],
    ['src/shop/cart.ts:12:const total  = sum(prices);'],
    ['src/shop/cart.ts-12-  const total = sum(prices);'],
    ['L12: const total = sum(prices);'],
    ['  const total = sum(prices);  '],
  ])('finds the same line behind any number: %j', (text) => {
    expect(piecesOf(eachLine, text)).toEqual(['const total = sum(prices);']);
  });

  it.each(['}', '  });', '----------------', '', '  12→'])(
    'leaves out what says nothing: %j',
    (text) => {
      expect(piecesOf(eachLine, text)).toEqual([]);
    },
  );
});

describe('eachName', () => {
  it.each([
    ['fetchTreeData', true],
    ['get_tag_value', true],
    ['parseConfig', true],
    ['OPENCODE_CONFIG_CONTENT', true],
    ['filePath', false],
    ['rootCmd', false],
    ['TypeScript', false],
    ['implementation', false],
  ])('finds names of three parts, or of two and eleven characters: %s, %s', (name, isRare) => {
    expect(piecesOf(eachName, `See ${name}().`)).toEqual(isRare ? [name] : []);
  });

  it.each([
    'import { collectInvoices } from "./x";',
    'https://example.org/collectInvoices/all',
    'src/collectInvoices/index.ts',
    'json.MarshalIndent(x)',
    'Co-Authored-By: collectInvoices',
    'collect_invoices_test.go',
  ])("finds none that is nobody's own: %s", (text) => {
    expect(piecesOf(eachName, withoutForeignNames(text))).toEqual([]);
  });
});

describe('eachFileName', () => {
  it('finds files without their folders', () => {
    expect(piecesOf(eachFileName, 'In /w/src/cart-rules.ts:12 and README.')).toEqual([
      'cart-rules.ts',
    ]);
  });
});

const TEN = 'one two three four five six seven eight nine ten';

describe('eachPhrase', () => {
  const keysOf = (text: string) => piecesOf<number>(eachPhrase, text);

  it('finds every row of ten words, whatever stands between them', () => {
    expect(keysOf(`${TEN} eleven`)).toHaveLength(2);
    expect(keysOf(TEN.replaceAll(' ', ',\n  '))).toEqual(keysOf(TEN));
    expect(keysOf(TEN.toUpperCase())).toEqual(keysOf(TEN));
  });

  it.each([
    ['nine words', TEN.slice(0, TEN.lastIndexOf(' '))],
    ['the same words again and again', 'a b a b a b a b a b a b'],
    ['a path of ten folders, which is one word', TEN.replaceAll(' ', '/')],
    ['imports', withoutForeignLines(`import ${TEN}`)],
  ])('finds none in %s', (_, text) => {
    expect(keysOf(text)).toEqual([]);
  });

  it('finds a row again wherever it stands', () => {
    const words = fc.array(fc.constantFrom('ab', 'cd', '茶', 'x_1', '9'), { maxLength: 15 });
    fc.assert(
      fc.property(words, words, (before, after) => {
        const text = [...before, TEN, ...after].join(' ');
        expect(keysOf(text)).toContain(keysOf(TEN)[0]);
      }),
    );
  });
});

describe('any text', () => {
  it.each(['a', 'a.', 'a/', '1-', '"a', 'import ', '<system-reminder>'])(
    'takes time by its length: many of %j',
    (piece) => {
      const text = piece.repeat(60_000);
      for (const each of [eachLine, eachName, eachFileName] as const) piecesOf<string>(each, text);
      piecesOf(eachPhrase, withoutForeignNames(text));
      expect(withoutForeignLines(text).length).toBeLessThanOrEqual(text.length);
    },
    5_000,
  );
});
