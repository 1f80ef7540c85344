import { describe, expect, it } from 'vitest';
import { chooseFormat } from '../../../src/cli/run/format.ts';
import { type FormatName, formats } from '../../../src/simulator/report/formats.ts';

describe('chooseFormat', () => {
  it.each<[string | undefined, string | undefined, FormatName]>([
    [undefined, undefined, 'table'],
    ['csv', undefined, 'csv'],
    ['csv', 'a.json', 'csv'],
    [undefined, 'a.json', 'json'],
    [undefined, 'a.b/c.CSV', 'csv'],
    [undefined, 'a.md', 'markdown'],
    [undefined, 'a.txt', 'table'],
    [undefined, 'json', 'table'],
    [undefined, 'a.html', 'html'],
    [undefined, 'a.pdf', 'table'],
  ])('for %s and a file %s it is %s', (name, path, expected) => {
    expect(chooseFormat(name, path)).toBe(formats[expected]);
  });

  it.each(['xml', '', '__proto__'])('knows no format %j', (name) => {
    expect(() => chooseFormat(name, undefined)).toThrow(/Unknown format/);
  });
});
