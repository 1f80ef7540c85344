import { expect, it } from 'vitest';
import type { Metric } from '../../../src/simulator/metrics/metric-rows.ts';
import {
  formatCount,
  formatEnds,
  formatExact,
  formatFixed,
  formatPercent,
  formatShare,
  formatShortPercent,
  formatSigned,
  formatSignedPercent,
  formatUsd,
  formatValue,
  joinEnds,
  knownInterval,
  percentOf,
  UNKNOWN,
  withEnds,
} from '../../../src/simulator/report/numbers.ts';

type Case = readonly [shown: string, expected: string];

const whole = (end: number) => `${Math.round(end)} %`;
const usd = (value: number | null, shown: string): Case => [formatUsd(value), shown];
const exact = (value: number, shown: string): Case => [formatExact(value), shown];
const count = (value: number | null, shown: string): Case => [formatCount(value), shown];
const share = (part: number, all: number, shown: string): Case => [formatShare(part, all), shown];
const value = (unit: Metric['unit'], is: number | null, shown: string): Case => [
  formatValue(is, unit),
  shown,
];
const fixed = (is: number, decimals: number, shown: string): Case => [
  formatFixed(is, decimals),
  shown,
];
const signed = (is: number, shown: string): Case => [formatSigned(is, 1), shown];
const short = (is: number, shown: string): Case => [formatShortPercent(is), shown];

it.each<readonly [string, readonly Case[]]>([
  [
    'money, with a minus sign only where what is shown is negative',
    [
      usd(null, UNKNOWN),
      usd(0, '$0.0000'),
      usd(-0, '$0.0000'),
      usd(0.000_04, '$0.0000'),
      usd(-0.000_04, '$0.0000'),
      usd(0.000_06, '$0.0001'),
      usd(-0.000_06, '-$0.0001'),
      usd(0.123_45, '$0.1235'),
      usd(0.999_94, '$0.9999'),
      usd(0.999_96, '$1.00'),
      usd(1, '$1.00'),
      usd(-1.005_1, '-$1.01'),
      usd(12_345.678, '$12,345.68'),
      usd(-1_234_567.8, '-$1,234,567.80'),
    ],
  ],
  [
    'all digits of a number',
    [
      exact(1_234_567, '1,234,567'),
      exact(-1_234.567_891, '-1,234.567891'),
      exact(0.123_456_7, '0.1234567'),
      exact(1.5e-9, '1.5e-9'),
    ],
  ],
  [
    'a value in its unit',
    [
      value('usd', 0.5, '$0.5000'),
      value('ratio', 0.123_45, '12.3 %'),
      value('ratio', 0, '0.0 %'),
      value('ratio', 1, '100.0 %'),
      value('factor', 1.614, '1.61'),
      value('factor', 0.0884, '0.088'),
      value('ms', 1_499, '1 s'),
      value('ms', 1_234_567, '1,235 s'),
      value('ms', 0, '0 s'),
      value('tokens', 1_234, '1,234'),
      value('tokens', -1_234_567, '-1,234,567'),
      value('count', 999, '999'),
      ...(['usd', 'ratio', 'factor', 'ms', 'count'] as const).map((unit) =>
        value(unit, null, UNKNOWN),
      ),
    ],
  ],
  [
    'counts and shares',
    [
      count(0, '0'),
      count(1_000, '1,000'),
      count(-100_000, '-100,000'),
      count(null, UNKNOWN),
      share(1, 3, '33 %'),
      share(-1, 4, '-25 %'),
      share(1, 0, UNKNOWN),
    ],
  ],
  [
    'decimals, without a sign of what rounds to nothing',
    [
      fixed(1.25, 0, '1'),
      fixed(1.25, 2, '1.25'),
      fixed(-0.04, 1, '0.0'),
      fixed(-0.06, 1, '-0.1'),
      fixed(-0.4, 0, '0'),
      fixed(-2.5, 0, '-2'),
      signed(0.26, '+0.3'),
      signed(0.04, '0.0'),
      signed(0, '0.0'),
      signed(-0.04, '0.0'),
      signed(-0.26, '−0.3'),
    ],
  ],
  [
    'a share in percent, rounded as the part of the whole',
    [
      [String(percentOf(23, 40)), '57.5'],
      [formatPercent(0.125), '13 %'],
      [formatPercent(0.125, 1), '12.5 %'],
      [formatPercent(-0.0001, 1), '0.0 %'],
      [formatSignedPercent(0.5, 1), '+50.0 %'],
      [formatSignedPercent(-0.5, 1), '−50.0 %'],
      [formatSignedPercent(-0.000_1, 1), '0.0 %'],
      short(0.5, '50 %'),
      short(1 / 3, '33.3 %'),
      short(0.07, '7 %'),
      short(1, '100 %'),
    ],
  ],
  [
    'an interval behind its number where there is one',
    [
      [joinEnds('1', '∞'), '1 … ∞'],
      [formatEnds({ low: -1, high: 2 }, whole), '-1 % … 2 %'],
      [withEnds('1 %', { low: -1, high: 2 }, whole), '1 % (-1 % … 2 %)'],
      [withEnds('1 %', null, whole), '1 %'],
    ],
  ],
])('shows %s', (_, cases) => {
  expect(cases.map(([shown]) => shown)).toEqual(cases.map(([, expected]) => expected));
});

it('knows no interval of which an end is unknown', () => {
  expect(knownInterval({ low: 0, high: 1 })).toEqual({ low: 0, high: 1 });
  expect(knownInterval({ low: null, high: 1 })).toBeNull();
  expect(knownInterval({ low: 0, high: null })).toBeNull();
});
