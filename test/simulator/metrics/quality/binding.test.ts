import { describe, expect, it } from 'vitest';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import { planted } from '../../../support/facts.ts';

const number = (subject: string, value: string) =>
  planted({ id: subject, kind: 'number', subject, value });
const facts = [
  number('timeout', '31'),
  number('retries', '57'),
  number('batch size', '88'),
  number('timeout of the pump', '601'),
];
/** Subjects whose values a text keeps. */
const keptIn = (text: string) =>
  scoreText({ text, facts })
    .facts.filter(({ isKept }) => isKept)
    .map(({ id }) => id);
const pair = ['timeout', 'retries'];
const three = [...pair, 'batch size'];
const table = (header: string, ...rows: readonly string[]) =>
  [header, header.replaceAll(/[^|]+/g, '---'), ...rows].join('\n');
const HEADER = '| timeout | retries | batch size |';

describe('a value among others in one line', () => {
  it.each<[text: string, swapped: string]>([
    ['- timeout 31, retries 57', '- timeout 57, retries 31'],
    ['- timeout: 31; retries: 57', '- timeout: 57; retries: 31'],
    ['- timeout 31 retries 57', '- timeout 57 retries 31'],
    ['- timeout (31) retries (57)', '- timeout (57) retries (31)'],
    ['- timeout=31 / retries=57', '- timeout=57 / retries=31'],
    ['1. timeout 31 retries 57', '1. timeout 57 retries 31'],
    ['The timeout is 31 and the retries are 57.', 'The timeout is 57 and the retries are 31.'],
    ['timeout 31、retries 57', 'timeout 57、retries 31'],
    ['timeout 为 31，retries 为 57', 'timeout 为 57，retries 为 31'],
    ['- 31 timeout, 57 retries', '- 57 timeout, 31 retries'],
    ['- 31 (timeout) 57 (retries)', '- 57 (timeout) 31 (retries)'],
    ['- 31 timeout 57 retries', '- 57 timeout 31 retries'],
    ['- 31 for the timeout and 57 for the retries', '- 57 for the timeout and 31 for the retries'],
    ['Set 31 as timeout, 57 as retries', 'Set 57 as timeout, 31 as retries'],
    ['| timeout | 31 | retries | 57 |', '| timeout | 57 | retries | 31 |'],
  ])('belongs to the subject beside it: %s', (text, swapped) => {
    expect(keptIn(text)).toEqual(pair);
    expect(keptIn(swapped)).toEqual([]);
  });

  it.each([
    'The timeout, which had been too low, is 31 for all retries, of which there are 57.',
    '- timeout 31 (unlike retries), retries: 57',
    '- of timeout 31 and retries, 57',
    '- timeout 31, no batch size, 57 retries',
    '- timeout: 31 seconds\n- retries: 57',
    'The timeout: 31.\nThe retries: 57.',
  ])('has it over other words: %s', (text) => {
    expect(keptIn(text)).toEqual(pair);
  });
});

describe('a value below a subject', () => {
  it.each<[text: string, swapped: string]>([
    ['## Timeout\n\n31\n\n## Retries\n\n57', '## Timeout\n\n57\n\n## Retries\n\n31'],
    ['## Timeout\nSet to 31 ms.\n## Retries\n- 57', '## Timeout\nSet to 57 ms.\n## Retries\n- 31'],
    ['- timeout\n  - 31\n- retries\n  - 57', '- timeout\n  - 57\n- retries\n  - 31'],
    ['**Timeout**\n31\n\n**Retries**\n57', '**Timeout**\n57\n\n**Retries**\n31'],
    ['Timeout:\n31\nRetries:\n57', 'Timeout:\n57\nRetries:\n31'],
    ['Timeout\n: 31\nRetries\n: 57', 'Timeout\n: 57\nRetries\n: 31'],
    [
      'Our timeout is this.\n- 31\n\nAnd the retries:\n- 57',
      'Our timeout is this.\n- 57\n\nAnd the retries:\n- 31',
    ],
  ])('belongs to it, and not to the next one: %j', (text, swapped) => {
    expect(keptIn(text)).toEqual(pair);
    expect(keptIn(swapped)).toEqual([]);
  });

  it.each<[text: string, kept: readonly string[]]>([
    ['The timeout is 31.\nThen there are 57.\nThese are the retries.', pair],
    ['We wait for 31.\nThat is the timeout.\nRetries: 57', pair],
    [`The timeout is set.\n${'tea '.repeat(40)}.\n57\nretries`, ['retries']],
  ])('belongs to the next one where the one above has its own, or is far: %j', (text, kept) => {
    expect(keptIn(text)).toEqual(kept);
  });
});

describe('a value of a subject that shares a word with another', () => {
  const quotas = [number('market quota', '31'), number('label quota', '57')];
  const kept = (text: string) => scoreText({ text, facts: quotas }).retained.kept;

  it('belongs to the one whose words stand together', () => {
    expect(kept('- market quota 31, label quota 57')).toBe(2);
    expect(kept('- market quota 57, label quota 31')).toBe(0);
    expect(kept('- 31 market quota, 57 label quota')).toBe(2);
    expect(kept('- 57 market quota, 31 label quota')).toBe(0);
  });
});

describe('a value of a subject whose name is a piece of a longer one', () => {
  const pump = 'timeout of the pump';

  it.each<[text: string, kept: readonly string[]]>([
    ['- timeout of the pump: 31', []],
    ['- timeout of the old pump: 31', []],
    ['- pump timeout: 31', []],
    ['- timeout (pump): 31', []],
    ['## The pump\n- timeout: 31', []],
    ['31 is the timeout of the pump.', []],
    ['- timeout: 601\n- timeout of the pump: 31', []],
    ['- timeout of the pump: 31\n- timeout: 601', []],
    ['- timeout: 31\n- timeout of the pump: 601', ['timeout', pump]],
    ['- timeout of the pump: 601\n- timeout: 31', ['timeout', pump]],
    ['- timeout of the pump 601, timeout 31', ['timeout', pump]],
    ['- timeout: 31, as the pump needs it', ['timeout']],
    ['- timeout 31 (the pump needs it)', ['timeout']],
    ['- timeout and pump: 31', ['timeout']],
    ['The pump is idle.\nThe timeout is 31.', ['timeout']],
  ])('does not belong to the longer one: %j', (text, kept) => {
    expect(keptIn(text)).toEqual(kept);
  });

  it.each<[text: string, kept: number, distracted: number]>([
    ['- cup ticket of the sister project: OPS-4821', 0, 0],
    ['- cup ticket as the forum has it: OPS-4821', 0, 0],
    ['- cup ticket: OPS-9316\n- cup ticket of the sister project: OPS-4821', 0, 1],
    ['- cup ticket: OPS-4821\n- cup ticket of the sister project: OPS-9316', 1, 0],
    ['- cup ticket of the project: OPS-4821', 1, 0],
  ])('does not belong to a decoy: %j', (text, kept, distracted) => {
    const ticket = planted({ subject: 'cup ticket', value: 'OPS-4821' });
    const decoys = ['of the sister project', 'as the forum has it'].map((rest, index) =>
      planted({
        id: `decoy-${index}`,
        role: 'distractor',
        about: ticket.id,
        subject: `cup ticket ${rest}`,
        value: ['OPS-9316', 'OPS-5507'][index]!,
      }),
    );
    const score = scoreText({ text, facts: [ticket, ...decoys] });
    expect(score.retained.kept).toBe(kept);
    expect(score.decoys.distracted).toBe(distracted / 2);
  });
});

describe('a value in a table', () => {
  it.each<[text: string, kept: readonly string[]]>([
    [table(HEADER, '| 31 | 57 | 88 |'), three],
    [table(HEADER, '| 57 | 88 | 31 |'), []],
    [table(HEADER, '| 31 | 88 | 57 |'), ['timeout']],
    [`${HEADER}\n| 31 | 57 | 88 |`, three],
    [`${HEADER}\n| 88 | 31 | 57 |`, []],
    [table(`${HEADER} note |`, '| 31 | 57 | 88 | of the tests, see a\\|b |'), three],
    [table(HEADER, '| 1 | 2 | 3 |', '| 31 | 57 | 88 |'), three],
    [table('| env | timeout | retries |', '| dev | 1 | 2 |', '| prod | 31 | 57 |'), pair],
    [table('| env | timeout | retries |', '| prod | 57 | 31 |'), []],
    [table('| name | value |', '| timeout | 31 |', '| retries | 57 |'), pair],
    [table('| name | value | name | value |', '| timeout | 57 | retries | 31 |'), []],
    [table('| note | timeout | retries |', '| a\\|b | 31 | 57 |'), pair],
    ['| timeout | 1 |\n| timeout | 31 |', ['timeout']],
    [`${table('| name | value |', '| a | 1 |')}\n\n${HEADER}\n| 31 | 57 | 88 |`, three],
    [table('| name | value |', '| timeout | 57 |', '| retries | 31 |'), []],
    [table('| # | name | value |', '| 1 | timeout | 31 |', '| 2 | retries | 57 |'), pair],
    ['| timeout | 31 |\n| retries | 57 |\n| batch size | 88 |', three],
    ['| timeout | 57 |\n| retries | 88 |\n| batch size | 31 |', []],
    [
      table('| | timeout | size |', '| pump | 601 | 5 |', '| batch | 3 | 88 |'),
      ['batch size', 'timeout of the pump'],
    ],
    [table('| | timeout | size |', '| pump | 5 | 601 |', '| batch | 88 | 3 |'), []],
    [`${table('| name | value |', '| a | 1 |')}\n\n${table(HEADER, '| 31 | 57 | 88 |')}`, three],
    [`| retries | 5 |\n${table(HEADER, '| 31 | 57 | 88 |')}`, three],
  ])('belongs to its column, or to its row: %j', (text, kept) => {
    expect(keptIn(text)).toEqual(kept);
  });

  it('does not stand below the name of another kind', () => {
    const cache = planted({ id: 'cache', kind: 'decision', subject: 'cache', value: 'redis-9xq' });
    const said = (text: string) => scoreText({ text, facts: [...facts, cache] }).retained.kept;
    expect(said(table('| timeout | cache |', '| 31 | redis-9xq |'))).toBe(2);
    expect(said(table('| timeout | cache |', '| redis-9xq | 31 |'))).toBe(0);
  });
});
