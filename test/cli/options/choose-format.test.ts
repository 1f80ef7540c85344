import { describe, expect, it } from 'vitest';
import { chooseFormat } from '../../../src/cli/options/choose-format.ts';
import { checkFormats } from '../../../src/simulator/report/check/formats.ts';
import { comparisonFormats } from '../../../src/simulator/report/compare/formats.ts';
import { type FormatName, formats } from '../../../src/simulator/report/formats.ts';
import type { Format } from '../../../src/simulator/report/report.ts';
import { sweepFormats } from '../../../src/simulator/report/sweep/formats.ts';
import { exportFormats } from '../../../src/simulator/sweep/export/export-rows.ts';

const choose = (format: string | undefined, out: string | undefined) =>
  chooseFormat<Format>(formats, 'format', { format, out });

describe('chooseFormat', () => {
  it.each<[string | undefined, string | undefined, FormatName]>([
    [undefined, undefined, 'table'],
    ['csv', undefined, 'csv'],
    ['csv', 'a.json', 'csv'],
    ['csv', 'a.xml', 'csv'],
    [undefined, 'a.json', 'json'],
    [undefined, 'a.b/c.CSV', 'csv'],
    [undefined, 'a.md', 'markdown'],
    [undefined, 'a.txt', 'table'],
    [undefined, 'a.log', 'table'],
    [undefined, 'json', 'table'],
    [undefined, 'a.html', 'html'],
  ])('for %s and a file %s it is %s', (name, path, expected) => {
    expect(choose(name, path)).toBe(formats[expected]);
  });

  it.each(['a.pdf', 'a.jsno', 'a.sarif', 'a.b/c.tabel'])(
    'does not guess what %s is to hold',
    (out) => {
      expect(() => choose(undefined, out)).toThrow(
        `Expected '--out' to be a file of one of the formats table, json, csv, markdown, html, or to come with '--format', got '${out}'.`,
      );
    },
  );

  it.each(['xml', '', '__proto__'])('knows no format %j', (name) => {
    expect(() => choose(name, undefined)).toThrow(/Unknown format/);
  });

  it.each([
    ['formats of runs', formats],
    ['formats of checks', checkFormats],
    ['formats of sweeps', sweepFormats],
  ])('finds each of the %s by its extension', (_, table) => {
    const found = Object.values(table).map(({ extension }) =>
      chooseFormat<unknown>(table, 'format', { out: `a${extension}` }),
    );
    expect(found).toEqual(Object.values(table));
  });

  it.each(Object.keys(exportFormats))('finds %s of rows by its extension', (name) => {
    const found = chooseFormat(exportFormats, 'export format', { out: `rows.${name}` });
    expect(found).toBe(exportFormats[name as keyof typeof exportFormats]);
  });

  it.each(['rows.txt', 'rows.log', 'rows.json', 'rows.xyz'])(
    'puts no table of bytes into %s, which holds text or something else',
    (out) => {
      const chosen = (format?: string) =>
        chooseFormat<unknown>(exportFormats, 'export format', { format, out });
      expect(() => chosen()).toThrow(
        `Expected '--out' to be a file of one of the formats parquet, csv, jsonl, or to come with '--format', got '${out}'.`,
      );
      expect(chosen('csv')).toBe(exportFormats.csv);
    },
  );

  it('takes the first format for a file without an extension, also where that is no text', () => {
    const found = chooseFormat<unknown>(exportFormats, 'export format', { out: 'a.b/rows' });
    expect(found).toBe(exportFormats.parquet);
  });

  it.each(['a.csv', 'a.xml', 'a.jsonl', 'a.parquet'])(
    'puts no comparison into %s, which holds something else',
    (out) => {
      expect(() => chooseFormat(comparisonFormats, 'comparison format', { out })).toThrow(
        `Expected '--out' to be a file of one of the formats table, json, markdown, html, or to come with '--format', got '${out}'.`,
      );
    },
  );
});
