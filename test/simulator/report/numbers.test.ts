import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as numbers from '../../../src/simulator/report/numbers.ts';
import { retold } from '../../support/retold.ts';

const { formatEnds, joinEnds, knownInterval, withEnds } = numbers;
const FORMATS = new Map<string, unknown>(Object.entries(numbers));
const whole = (end: number) => `${Math.round(end)} %`;

it('shows what it showed', async () => {
  const path = join(import.meta.dirname, '../../fixtures/numbers.txt');
  const text = retold(path, (line) => {
    const [name = ''] = line.split(' ', 1);
    const format = FORMATS.get(name) as (...given: readonly unknown[]) => unknown;
    return [String(format(...(JSON.parse(`[${line.slice(name.length)}]`) as unknown[])))];
  });
  await expect(text).toMatchFileSnapshot(path);
});

it('shows an interval behind its number where there is one', () => {
  expect([
    joinEnds('1', '∞'),
    formatEnds({ low: -1, high: 2 }, whole),
    withEnds('1 %', { low: -1, high: 2 }, whole),
    withEnds('1 %', null, whole),
  ]).toEqual(['1 … ∞', '-1 % … 2 %', '1 % (-1 % … 2 %)', '1 %']);
});

it('knows no interval of which an end is unknown', () => {
  expect(knownInterval({ low: 0, high: 1 })).toEqual({ low: 0, high: 1 });
  expect(knownInterval({ low: null, high: 1 })).toBeNull();
  expect(knownInterval({ low: 0, high: null })).toBeNull();
});
