import { describe, expect, it } from 'vitest';
import {
  eachFileName,
  eachName,
  isForeignLine,
  isProse,
  linesIn,
  withoutForeignNames,
} from '../../../../src/simulator/replay/references/texts.ts';

/** The pieces that a search gives. */
function piecesOf<Piece>(each: (text: string, sink: (piece: Piece) => void) => void, text: string) {
  const pieces: Piece[] = [];
  each(text, (piece) => pieces.push(piece));
  return pieces;
}

describe('linesIn', () => {
  it.each([
    ['    12→  const total = sum(prices);'],
    ['12\tconst total = sum(prices);'],
    ['12: const total = sum(prices);'],
    ['src/shop/cart.ts:12:const total  = sum(prices);'],
    ['src/shop/cart.ts-12-  const total = sum(prices);'],
    ['L12: const total = sum(prices);'],
    ['  const total = sum(prices);  '],
    ['+  const total = sum(prices);'],
    ['- const total = sum(prices);'],
    ['// const total = sum(prices);'],
  ])('finds the same line behind any number: %j', (text) => {
    expect(linesIn(text)).toEqual(['const total = sum(prices);']);
  });

  it.each([
    [
      'each sentence',
      'It is done. Now I test it. See e.g. the log.',
      ['It is done.', 'Now I test it.', 'See e.g. the log.'],
    ],
    ['texts in JSON', '"body": "It is done.\\nNow I test it."', ['It is done.', 'Now I test it."']],
  ])('finds %s by itself', (_, text, expected) => {
    expect(linesIn(text)).toEqual(expected);
  });

  it.each(['}', '  });', '----------------', '', '  12→'])(
    'leaves out what says nothing: %j',
    (text) => {
      expect(linesIn(text)).toEqual([]);
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

describe('isProse', () => {
  it.each([
    ['We keep all of the old prices for each new customer.', true],
    ['We keep all of the old prices.', false],
    ['const all = prices.filter((price) => price.customer.isNew);', false],
  ])('is words in a row, and no code: %s', (line, is) => {
    expect(isProse(line)).toBe(is);
  });
});

describe('any text', () => {
  it.each(['a', 'a.', 'a/', '1-', '"a', 'import ', '<system-reminder>'])(
    'takes time by its length: many of %j',
    (piece) => {
      const text = piece.repeat(60_000);
      for (const each of [eachName, eachFileName] as const) piecesOf<string>(each, text);
      linesIn(text);
      isForeignLine(text);
      isProse(text);
      expect(withoutForeignNames(text).length).toBeLessThanOrEqual(text.length);
    },
    5_000,
  );
});
