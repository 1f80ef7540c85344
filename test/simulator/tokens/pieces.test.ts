import * as fc from 'fast-check';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { createSplit, findEncoding, toWindows } from '../../../src/simulator/tokens/encodings.ts';
import { alphabets } from '../../support/texts.ts';

const patterns = {
  o200k_base: findEncoding('o200k_base').pattern,
  cl100k_base: findEncoding('cl100k_base').pattern,
};
const published = { o200k_base: o200k.pat_str, cl100k_base: cl100k.pat_str };
const letters = Object.values(alphabets).flat();
const character = fc.oneof(
  fc.constantFrom(...Array.from('aB1 \n\t\r\'"/(-')),
  fc.constantFrom(
    "'s",
    ' \n',
    '  ',
    "'ll",
    "'Re",
    'a ',
    '1)',
    '\u3000',
    '\u0661',
    '\u00a0',
    '\ud800',
  ),
  fc.integer({ min: 0, max: 127 }).map((code) => String.fromCharCode(code)),
  fc.constantFrom(...letters),
);
const texts = fc.array(character, { maxLength: 120 }).map((parts) => parts.join(''));

describe.each(['o200k_base', 'cl100k_base'] as const)('the pieces of %s', (encoding) => {
  const pattern = patterns[encoding];
  const split = createSplit(findEncoding(encoding));

  it('are those of js-tiktoken, where no white space ends the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const whole = `${text}x`;
        expect(whole.match(pattern)).toEqual(whole.match(new RegExp(published[encoding], 'gu')));
      }),
    );
  });

  it('are those that the pattern matches, in order', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const pieces: string[] = [];
        const length = split(text, (bytes, start, end) => {
          pieces.push(bytes.toString('utf8', start, end));
          return end - start;
        });
        expect(pieces).toEqual(text.match(pattern)?.map((piece) => piece.toWellFormed()) ?? []);
        expect(length).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it('are the same in windows', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, windowLength) => {
        const windows = [...toWindows(text, windowLength)];
        fc.pre(windows.length > 1);
        const pieces = windows.flatMap((window) => window.match(pattern) ?? []);
        expect(pieces).toEqual(text.match(pattern));
      }),
    );
  });

  it.each<[what: string, character: string]>([
    ['ideographs', '\u4e2d'],
    ['replacement characters', '\ufffd'],
    ['emoji', '\u{1f600}'],
  ])('do not exhaust the pattern where a run of %s is very long', (_, run) => {
    const text = run.repeat(6_000_000 / run.length);
    expect(split(text, (_bytes, start, end) => end - start)).toBe(Buffer.byteLength(text));
  });
});

function fail(): never {
  throw new RangeError('no count');
}

it('starts afresh after a count that failed', () => {
  const split = createSplit(findEncoding('o200k_base'));
  expect(() => split('één two', fail)).toThrow('no count');
  expect(split('één two', () => 1)).toBe(2);
});

describe('toWindows', () => {
  it.each<[what: string, text: string, windows: string[]]>([
    ['keeps a short text whole', 'abcd', ['abcd']],
    ['has none for an empty text', '', []],
    ['cuts before the first piece that starts after a full window', 'abcdef gh', ['abcdef', ' gh']],
    ['cuts right behind a full window', 'abcd ef gh', ['abcd', ' ef gh']],
    ['never cuts before an apostrophe', "abcdef's gh", ["abcdef's", ' gh']],
    ['never cuts between spaces', 'abcd    ef', ['abcd', '    ef']],
    ['never cuts before a combining mark', 'abcdef\u0301 g h', ['abcdef\u0301 g', ' h']],
    ['keeps a rest where nothing starts', 'abcdefgh', ['abcdefgh']],
  ])('%s', (_, text, windows) => {
    expect([...toWindows(text, 4)]).toEqual(windows);
  });

  it('cuts off hard where nothing starts for long, but never a pair of surrogates', () => {
    const [first = '', second] = toWindows(`abc${'\u{1f600}'.repeat(50_000)}`, 4);
    expect(first).toBe('abc\u{1f600}');
    expect(second).toBe('\u{1f600}'.repeat(2));
  });

  it('loses nothing', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, windowLength) => {
        expect([...toWindows(text, windowLength)].join('')).toBe(text);
      }),
    );
  });
});
