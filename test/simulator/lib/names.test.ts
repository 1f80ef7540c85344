import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { named, nearestNames, quoted } from '../../../src/simulator/lib/names.ts';

describe('quoted', () => {
  it.each<[what: string, text: string, shown: string]>([
    ['puts a name in quotes', 'opencode-1.18', "'opencode-1.18'"],
    ['quotes nothing', '', "''"],
    ['keeps letters of any script', 'modèle-模型-😀', "'modèle-模型-😀'"],
    ['keeps a backslash', 'C:\\catalog', "'C:\\catalog'"],
    ['escapes line ends', 'a\r\nb', "'a\\u000d\\u000ab'"],
    ['escapes a colour', '\u001b[31mred', "'\\u001b[31mred'"],
    ['escapes a control of one byte', '\u009b31m', "'\\u009b31m'"],
    ['escapes a change of direction', '\u202egnp', "'\\u202egnp'"],
    ['escapes separators of lines', 'a\u2028b\u2029', "'a\\u2028b\\u2029'"],
    ['escapes half a character', '\ud800', "'\\ud800'"],
    ['escapes an invisible tag', '\u{e0041}', "'\\u{e0041}'"],
    ['keeps 80 characters', 'x'.repeat(80), `'${'x'.repeat(80)}'`],
    ['cuts what is longer', 'x'.repeat(81), `'${'x'.repeat(80)}…'`],
    ['counts characters, not halves', '😀'.repeat(80), `'${'😀'.repeat(80)}'`],
    ['never cuts a character in half', '😀'.repeat(81), `'${'😀'.repeat(80)}…'`],
  ])('%s', (_, text, shown) => {
    expect(quoted(text)).toBe(shown);
  });

  it('cuts at another length when told', () => {
    expect(quoted('abcdef', 3)).toBe("'abc…'");
  });

  it('shows nothing that a terminal obeys', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(quoted(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
    );
  });
});

describe('nearestNames', () => {
  const policies = ['none', 'opencode-1.2.16', 'opencode-1.18', 'opencode-2.0', 'rolling-window'];

  it.each<[what: string, name: string, candidates: string[], nearest: string | undefined]>([
    ['puts what contains the name first', '1.2', [...policies, '1.1'], 'opencode-1.2.16'],
    [
      'puts one letter too many before what contains the name',
      'costs',
      ['costSavedUsd', 'cost'],
      'cost',
    ],
    ['forgives a missing letter', 'opencod-2.0', policies, 'opencode-2.0'],
    ['forgives another letter', 'opencoda-2.0', policies, 'opencode-2.0'],
    ['forgives one letter more', 'opencodee-2.0', policies, 'opencode-2.0'],
    ['counts two swapped letters as one edit', 'ab', ['bb', 'ba', 'xy'], 'ba'],
    ['prefers one edit to two', 'abcd', ['abxy', 'abcx'], 'abcx'],
    ['takes no notice of case', 'GPT-5', ['claude', 'gpt-5'], 'gpt-5'],
    ['prefers the shorter of two that contain the name', 'gpt', ['gpt-4o', 'gpt-5'], 'gpt-5'],
    [
      'prefers what begins alike to fewer edits',
      'gpt-99',
      ['o1/gpt-4.1-mini', 'o1-99'],
      'o1/gpt-4.1-mini',
    ],
    ['goes by edits where two characters begin alike', 'gpt-99', ['gp', 'pt-99'], 'pt-99'],
    ['settles a draw by the alphabet', 'x', ['c', 'a', 'b'], 'a'],
    ['finds the shortest for an empty name', '', ['long', 'b'], 'b'],
    ['has none without candidates', 'x', [], undefined],
    ['escapes what it found', 'a', ['a\u001b'], 'a\\u001b'],
  ])('%s', (...[, name, candidates, nearest]) => {
    expect(nearestNames(name, candidates, 1)[0]).toBe(nearest);
  });

  it('has three unless told otherwise', () => {
    expect(nearestNames('opencode', policies)).toEqual([
      'opencode-2.0',
      'opencode-1.18',
      'opencode-1.2.16',
    ]);
  });

  it('does not depend on the order of the candidates', () => {
    const names = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 }));
    fc.assert(
      fc.property(
        names,
        fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 5 }),
        (all, name) => {
          expect(nearestNames(name, all.toReversed())).toEqual(nearestNames(name, all));
        },
      ),
    );
  });

  it('is not held up by a name of any length', () => {
    expect(nearestNames('opencode'.repeat(100_000), policies)).toHaveLength(3);
  });
});

describe('named', () => {
  const formats = { table: 1, csv: 2, json: 3 };
  const many = Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`policy-${i}`, i]));

  it('gives the value under the name', () => {
    expect(named('format', formats, 'csv')).toBe(2);
  });

  it.each(['toString', '__proto__', 'constructor'])('does not know %s', (name) => {
    expect(() => named('format', formats, name)).toThrow(/^Unknown format '/);
  });

  it('gives a value even under the name of a prototype', () => {
    const table = JSON.parse('{"__proto__":4}') as Record<string, number>;
    expect(named('format', table, '__proto__')).toBe(4);
  });

  it('names the nearest, and all when they are few', () => {
    expect(() => named('format', formats, 'jsn')).toThrow(
      "Unknown format 'jsn'; nearest: json, csv, table. Expected one of: table, csv, json.",
    );
  });

  it('names the nearest, and how many there are when they are many', () => {
    expect(() => named('policy', many, 'policy_12')).toThrow(
      "Unknown policy 'policy_12'; nearest: policy-12, policy-1, policy-10.",
    );
  });

  it('is an error of the user', () => {
    expect(() => named('format', formats, '\u001b')).toThrow(
      expect.objectContaining({ name: 'HarnessError', code: 'UNKNOWN_NAME' }),
    );
  });
});
