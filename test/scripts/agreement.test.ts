import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { factRows, naturalRows, readCases, unseenRows } from '../../scripts/agreement/facts.ts';
import { unseenLosses } from '../../scripts/agreement/losses.ts';
import { agreementPage } from '../../scripts/agreement/page.ts';
import { type AgreementRow, isAsWanted } from '../../scripts/agreement/row.ts';

const ROOT = resolve(import.meta.dirname, '../..');

describe('isAsWanted', () => {
  it.each<[string, AgreementRow, boolean]>([
    ['enough', { number: 'a', cases: 10, agree: 9, wanted: 0.9 }, true],
    ['too few', { number: 'a', cases: 10, agree: 8, wanted: 0.9 }, false],
    ['no cases', { number: 'a', cases: 0, agree: 0, wanted: 0.9 }, false],
    ['a baseline', { number: 'a', cases: 10, agree: 0 }, true],
  ])('%s', (_, row, is) => {
    expect(isAsWanted(row)).toBe(is);
  });
});

describe('states of facts', () => {
  it('agree with labels as often as wanted, more often than both baselines, and as the page says', () => {
    const labels = resolve(ROOT, 'agreement');
    const cases = readCases(['panel', 'own'].map((name) => resolve(labels, name)));
    const rows = [
      ...factRows(cases),
      ...unseenRows(readCases([resolve(labels, 'unseen')])),
      ...naturalRows('Natural', readCases([resolve(labels, 'natural')])),
      ...naturalRows('Fresh', readCases([resolve(labels, 'fresh')])),
    ];
    expect(rows.filter((row) => !isAsWanted(row))).toEqual([]);
    const shareOf = (name: string) => {
      const { agree = 0, cases: count = 1 } =
        rows.find(({ number }) => number.startsWith(name)) ?? {};
      return agree / count;
    };
    expect(shareOf('All facts')).toBeGreaterThan(shareOf('Baseline: kept where') + 0.1);
    expect(shareOf('All facts')).toBeGreaterThan(shareOf('Baseline: always') + 0.1);
    const page = readFileSync(resolve(ROOT, 'docs/reference/agreement.md'), 'utf8');
    expect(page).toBe(agreementPage([...rows, ...unseenLosses(labels)], cases));
  });
});
