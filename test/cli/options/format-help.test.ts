import { describe, expect, it } from 'vitest';
import {
  formatHelp,
  formatNames,
  formatNamesBeyond,
} from '../../../src/cli/options/format-help.ts';

describe('help on formats', () => {
  it.each<[string, readonly string[], string]>([
    ['one', ['json'], 'json'],
    ['two', ['text', 'json'], 'text or json'],
    ['many', ['table', 'json', 'csv'], 'table, json or csv'],
  ])('names %s', (_, names, expected) => {
    expect(formatNames(Object.fromEntries(names.map((name) => [name, 1])))).toBe(expected);
  });

  it('has the first for the default where no extension tells', () => {
    expect(formatHelp({ text: 1, json: 1 })).toBe('text or json (default: by --out, else text)');
    expect(formatHelp({ text: 1 }, '--report')).toBe('text (default: by --report, else text)');
  });

  it('names what only one kind of report has besides', () => {
    const checks = { table: 1, junit: 1, json: 1, annotations: 1 };
    expect(formatNamesBeyond({ table: 1, json: 1 }, { of: 'checks', formats: checks })).toBe(
      'table or json; of checks also junit and annotations',
    );
  });
});
