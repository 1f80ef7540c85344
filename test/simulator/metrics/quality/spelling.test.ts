import { describe, expect, it } from 'vitest';
import { plainText, unitOf } from '../../../../src/simulator/metrics/quality/spelling.ts';

describe('plainText', () => {
  it.each<[string, readonly string[]]>([
    [
      '26214400 byte',
      ['25 MB', '25MB', '25 000 KB', '25.000 KB', '２５ＭＢ', '25 megabytes', '25 MiB'],
    ],
    [
      '536870912 byte',
      ['512 MB', '0.5 GiB', 'half a gigabyte', 'ein halbes Gigabyte', 'medio gigabyte', '半个 GB'],
    ],
    [
      '268435456 byte',
      ['256 MB', 'ein Viertel Gigabyte', 'un cuarto de gigabyte', '四分の一ギガバイト'],
    ],
    ['1048576 byte', ['1 MiB']],
    ['90000 ms', ['90 s', '1.5 min', '1,5 Minuten', '90-second', '90秒', 'anderthalb Minuten']],
    ['900000 ms', ['十五分钟', 'fifteen minutes', '15分間', 'quince minutos']],
    ['86400000 ms', ['24 h', '24 horas', 'a day', '1 天', '24時間']],
    ['35', ['thirty-five', 'fünfunddreißig', 'treinta y cinco']],
    ['200000', ['二十万', '200 thousand', '200 mil']],
    ['2592000000 ms', ['30 days', 'one month', 'un mes', '一个月', '一か月']],
    ['70 percent', ['七割', '七成', '70 %']],
    ['20 percent', ['a fifth', 'ein Fünftel', '五分之一', '五分の一']],
    ['180 clock', ['3 a.m.', '03:00', '3 Uhr']],
    ['15 percent', ['15 %', '15 Prozent', '15 por ciento', '百分之十五', '１５％']],
    ['1500', ['1.5k', '1,500', "1'500"]],
    ['3', ['three', 'drei', 'tres', 'thrice']],
    [
      '150 clock',
      ['02:30', '2:30', 'half past two', 'halb drei', '两点半', '２時３０分', '2 Uhr 30'],
    ],
    ['255 clock', ['quarter past four', 'viertel nach vier', '4:15', 'cuatro y cuarto']],
    ['225 clock', ['quarter to four', 'viertel vor vier', '3h45']],
    [
      '314 date',
      ['March 14', '14 de marzo', '3月14日', '14. März', '2026-03-14', 'Mar 14th', '14.03.'],
    ],
    ['5 weekday', ['Friday', 'freitags', 'viernes', '周五', '金曜日']],
  ])('%s', (plain, spellings) => {
    expect(spellings.map(plainText)).toEqual(spellings.map(() => plain));
  });

  it.each([
    'v2 s',
    'cfg-90s',
    '5分支',
    '三方',
    'a.ts:12',
    '10:30:15',
    'v1.2.3',
    'as the place',
    'tbl_2 may',
  ])('leaves %s as it is', (text) => {
    expect(plainText(text)).toBe(text);
  });

  it('knows the units of amounts alone', () => {
    expect(['25000000 byte', '1.5 ms', '3', 'byte', '3 byte more'].map(unitOf)).toEqual([
      'byte',
      'ms',
      undefined,
      undefined,
      undefined,
    ]);
  });
});
