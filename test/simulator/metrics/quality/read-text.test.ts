import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readText, VALUE } from '../../../../src/simulator/metrics/quality/read-text.ts';

const sought = [
  { key: 'port', spellings: ['84612'] },
  { key: 'check', spellings: ['make site-4k', 'site-4k'] },
  { key: 'prefix', spellings: ['kq8_'] },
];
const keysIn = (text: string) => readText(text, sought).places.map(({ key }) => key);
const clausesIn = (text: string) =>
  readText(text, sought).places.map(({ clause }) => clause.words.trim());

describe('readText', () => {
  it.each<[string, string, readonly (string | undefined)[]]>([
    ['a value beside letters of another script', '端口是84612。', ['port']],
    ['a value in a longer number', '184612 and 846120', [undefined, undefined]],
    ['a value with signs between its digits', '84,612 or 84.612', ['port', 'port']],
    ['the longest spelling', 'Run make site-4k.', ['check']],
    ['a longer name', 'make site-4k-old', [undefined]],
    ['the start of a name, where the value is one', 'kq8_table', ['prefix']],
    ['another string like a value', 'job_77 on 84612', [undefined, 'port']],
  ])('finds %s', (_, text, keys) => {
    expect(keysIn(text)).toEqual(keys);
  });

  it.each<[string, string, readonly string[]]>([
    ['at commas', 'First, use 84612, then rest.', [`use ${VALUE},`]],
    ['not at abbreviations', 'See e.g. 84612 here.', [`See e.g. ${VALUE} here.`]],
    ['before a contrast', 'Not 84612 but kq8_.', [`Not ${VALUE}`, `but ${VALUE}.`]],
    ['not between mere values', '84612, kq8_ are gone', [`${VALUE}, ${VALUE} are gone`]],
    [
      'by cells with a value each',
      '| 84612 | is kq8_ |',
      [VALUE, `is ${VALUE}`].map((cell) => cell),
    ],
  ])('cuts clauses %s', (_, text, clauses) => {
    expect([...new Set(clausesIn(text))]).toEqual(clauses);
  });

  it('knows what stands above', () => {
    const text = '# Ports\n\n**Staging:**\n- web\n  - 84612\n- other\n\n# End\n\n84612';
    const [first, second] = readText(text, sought).places;
    expect(first?.clause.sentence.line.above).toEqual(['web', '**Staging:**', '# Ports']);
    expect(second?.clause.sentence.line.above).toEqual(['# End']);
  });

  it('puts every value into one clause, whatever the text', () => {
    const piece = fc.constantFrom(
      '84612',
      'make site-4k',
      'kq8_',
      'job_77',
      'and',
      'no',
      '\n',
      '# ',
      '- ',
      '| ',
      ', ',
      '. ',
      '。',
      ' (',
      ') ',
      ': ',
      '1. ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join(' ');
        const { places, words } = readText(text, sought);
        fc.pre(places.length > 0);
        expect(places).toHaveLength(words.split(VALUE).length - 1);
        for (const { key, written, clause, at } of places) {
          expect(clause.words[at]).toBe(VALUE);
          const spellings = sought.find((one) => one.key === key)?.spellings;
          expect(spellings?.includes(written) ?? true).toBe(true);
        }
      }),
    );
  });
});
