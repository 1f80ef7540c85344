import { describe, expect, it } from 'vitest';
import { parseNames, parseWhole } from '../../../src/cli/plan/options.ts';
import { checkTexts } from '../../../src/cli/saved-reports.ts';
import { checkFormats } from '../../../src/simulator/report/check.ts';
import type { Format } from '../../../src/simulator/report/report.ts';
import { type FormatName, formats } from '../../../src/simulator/report/runs.ts';
import type { Saved } from '../../../src/simulator/report/saved/documents.ts';
import { exportFormats } from '../../../src/simulator/sweep/export.ts';
import { chooseFormat } from '../../../src/cli/command.ts';
import { checkNamesOfFiles } from '../../../src/cli/run-report.ts';

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

  it.each([
    ['formats of runs', formats],
    ['formats of checks', checkFormats],
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
});

const parse = (...values: readonly string[]) => parseNames('--policy', values, 'names of presets');

describe('parseNames', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['nothing', [], []],
    ['one name', ['none'], ['none']],
    ['names with commas between, whatever blanks are around them', [' a , b'], ['a', 'b']],
    ['names of an option that comes again', ['a,b', 'c'], ['a', 'b', 'c']],
  ])('reads %s', (...[, values, names]) => {
    expect(parse(...values)).toEqual(names);
  });
});

describe('parseWhole', () => {
  it.each<[string, Parameters<typeof parseWhole>[2], number]>([
    ['1', undefined, 1],
    ['0', { least: 0 }, 0],
    ['007', { most: 7 }, 7],
    ['9007199254740991', {}, Number.MAX_SAFE_INTEGER],
  ])('takes %s in %j', (text, range, value) => {
    expect(parseWhole('--jobs', text, range)).toBe(value);
  });
});

describe('checkNamesOfFiles', () => {
  const files = ['a.json', 'b#1.json'];

  it.each(['a.json', 'a.json#3', 'b#1.json', 'b#1.json#0'])('takes %s', (name) => {
    expect(() => checkNamesOfFiles([name], files)).not.toThrow();
  });

  it.each(['b', 'a.jso', 'a', 'c.json#1'])('refuses %s', (name) => {
    expect(() => checkNamesOfFiles(['a.json', name], files)).toThrow(`session, got '${name}'`);
  });
});

describe('checkTexts', () => {
  it('knows the sessions of a sweep by its rows', () => {
    const rows = [{ session: 'chat' }];
    const saved = { kind: 'sweep', rows, views: new Map() } as unknown as Saved;
    expect(() => checkTexts(undefined, saved)).not.toThrow();
    expect(() => checkTexts(['chat'], saved)).toThrow("texts of 'chat', but none were kept");
    expect(() => checkTexts(['chart'], saved)).toThrow("to name a session, got 'chart'");
  });
});
