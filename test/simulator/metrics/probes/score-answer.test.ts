import { describe, expect, it } from 'vitest';
import { type Expected, scoreAnswer } from '../../../../src/simulator/metrics/probes/probe.ts';

const value = (accepted: string, ...refused: readonly string[]): Expected => ({
  type: 'text',
  accepted: [accepted],
  refused,
});
const path = (whole: string, least = whole.split('/').at(-1)!): Expected => ({
  type: 'path',
  path: whole,
  least,
});
const call = (tool: string, ...targets: readonly string[]): Expected => ({
  type: 'call',
  tool,
  targets,
});
const may = (answer: 'ALLOWED' | 'FORBIDDEN'): Expected => ({ type: 'permission', answer });

describe('scoreAnswer', () => {
  it.each<[answer: string, expected: Expected]>([
    ['E_UPLD_4410', value('E_UPLD_4410')],
    ['The code is `e_upld_4410`.', value('E_UPLD_4410')],
    ['８４６１', value('8461')],
    ['8,461 rows', value('8461')],
    ['“lantern cache”', value('lantern  cache')],
    ['ポートは8461です', value('8461')],
    ['90', value('90', '60')],
    ['src/net/retry.ts', path('/home/me/app/src/net/retry.ts')],
    ['retry.ts', path('/home/me/app/src/net/retry.ts')],
    ['It is ./src/net/retry.ts.', path('src/net/retry.ts')],
    ['Makefile', path('/home/me/Makefile')],
    ['Read src/a.ts', call('Read', '/work/src/a.ts')],
    ['Bash(npm test -- --watch)', call('bash', 'npm test')],
    ['bash: npm test', call('Bash', 'npm test')],
    ['FORBIDDEN', may('FORBIDDEN')],
    ['Allowed, nobody forbade it.', may('ALLOWED')],
  ])('finds right: %s', (answer, expected) => {
    expect(scoreAnswer(expected, answer)).toBe('right');
  });

  it.each<[why: string, answer: string, expected: Expected]>([
    ['another value', 'E_UPLD_4411', value('E_UPLD_4410')],
    ['a part of a longer one', 'E_UPLD_44101', value('E_UPLD_4410')],
    ['the old value beside it', '60, or 90', value('90', '60')],
    [
      'a list of what was found',
      'It may be one of 12, 40, 8461, 99, 7, 31, 5, 88 or 6 of them',
      value('8461'),
    ],
    ['a value in a later line', 'Let me think.\n8461', value('8461')],
    ['a file of that name elsewhere', 'test/net/retry.ts', path('/app/src/net/retry.ts')],
    ['several files', 'src/net/retry.ts or src/net/wait.ts', path('/app/src/net/retry.ts')],
    ['less of a path than names it', 'retry.ts', path('/app/src/net/retry.ts', 'net/retry.ts')],
    ['another tool', 'Edit src/a.ts', call('Read', 'src/a.ts')],
    ['another target', 'Read src/b.ts', call('Read', 'src/a.ts')],
    ['a tool without a target', 'Bash', call('Bash', 'npm test')],
    ['the other word', 'ALLOWED', may('FORBIDDEN')],
    ['a word that comes later', 'It is FORBIDDEN', may('FORBIDDEN')],
  ])('finds wrong %s', (_, answer, expected) => {
    expect(scoreAnswer(expected, answer)).toBe('wrong');
  });

  it.each(['UNKNOWN', 'unknown.', '', ' \n'])('takes %j for no answer', (answer) => {
    expect(scoreAnswer(value('8461'), answer)).toBe('abstained');
  });
});
