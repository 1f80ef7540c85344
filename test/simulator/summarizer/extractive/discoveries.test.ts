import { expect, it } from 'vitest';
import type { Message } from '../../../../src/engine/index.ts';
import { step, tool, toolIn, user } from '../../../support/history.ts';
import { calls, ends, fails, says, section } from './sections.ts';

const NONE = ['(none)'];
const bash = (command: string, output: string) => calls('bash', { command }, output);

it.each<[string, readonly string[]]>([
  ['I looked. I decided to use sqlite.', ['I decided to use sqlite.']],
  ['It is slow because of the disk. So what?', ['It is slow because of the disk.']],
  ['Maps instead of objects.', ['Maps instead of objects.']],
  ['The root cause: a race.', ['The root cause: a race.']],
  ['It turns out that the port 8080 is taken.', ['It turns out that the port 8080 is taken.']],
  ['The actual problem is the cache.', ['The actual problem is the cache.']],
  [
    'Reasons because of which:\n- it is slow\n- it leaks',
    ['Reasons because of which: it is slow', 'Reasons because of which: it leaks'],
  ],
  ['因为索引太旧，所以结果不对。好的。', ['因为索引太旧，所以结果不对。']],
  ['我决定改用 Map。', ['我决定改用 Map。']],
  ['Map を使うことに決定しました。終わり。', ['Map を使うことに決定しました。']],
  ['原因はキャッシュでした。', ['原因はキャッシュでした。']],
  ['Let me read it.', NONE],
])('of the answer %j the discoveries are %j', (answer, expected) => {
  expect(section('Discoveries', [user('u', 'Go.'), says(answer)])).toEqual(expected);
});

it.each<[string, Message, readonly string[]]>([
  [
    'a line of trouble with its command',
    bash('npm test', 'start\nTypeError: x is undefined\nend'),
    ['`npm test` failed: TypeError: x is undefined'],
  ],
  [
    'the first two and the last of many lines',
    bash('make', 'error: 1\nerror: 2\nerror: 3\nfine\nexit code 2'),
    ['`make` failed: error: 1 | error: 2 | exit code 2'],
  ],
  ['trouble in Chinese', bash('构建', '错误：找不到文件'), ['`构建` failed: 错误：找不到文件']],
  [
    'trouble in Japanese',
    bash('make', 'エラー: なし\nエラー: 失敗'),
    ['`make` failed: エラー: なし | エラー: 失敗'],
  ],
  [
    'no line that denies trouble',
    bash('npm test', '0 errors\n12 passed, 0 failed\nno errors found\nexit code 0'),
    NONE,
  ],
  [
    'nothing of a command that only looks',
    bash('git log | head -5 && cat src/error.ts', 'fix error'),
    NONE,
  ],
  [
    'something of a command that looks and writes',
    bash('cat a.txt > b.txt', 'cat: no such file'),
    ['`cat a.txt > b.txt` failed: cat: no such file'],
  ],
  [
    'nothing of a file that was read',
    calls('read', { path: 'src/error.ts' }, 'throw new Error()'),
    NONE,
  ],
  [
    'the message of a failed tool',
    fails('edit', { filePath: 'src/a.ts' }, '\n  old text is ambiguous\nsecond line'),
    ['edit src/a.ts failed: old text is ambiguous'],
  ],
  [
    'a failed look',
    fails('bash', { command: 'cat x.ts' }, 'timed out'),
    ['`cat x.ts` failed: timed out'],
  ],
  [
    'what an interrupted tool had printed',
    step('s', [
      toolIn('t', {
        status: 'error',
        input: { command: 'make' },
        error: 'aborted',
        partialOutput: 'fatal: disk',
      }),
    ]),
    ['`make` failed: fatal: disk'],
  ],
  [
    'nothing of an output that was cleared',
    step('s', [tool('t', 'Error: gone', { compactedAt: 1 })]),
    NONE,
  ],
  [
    'nothing of a call that is still running',
    step('s', [toolIn('t', { status: 'running', input: { command: 'make' } })]),
    NONE,
  ],
  [
    'a back-quote in a command as a quote',
    bash('echo `make`; make', 'error: x'),
    ["`echo 'make'; make` failed: error: x"],
  ],
  [
    'a script given as arguments',
    calls('shell', { command: ['bash', '-lc', 'npm test'] }, 'FAIL a.test.ts'),
    ['`npm test` failed: FAIL a.test.ts'],
  ],
])('a discovery is %s', (_, message, expected) => {
  expect(section('Discoveries', [user('u', 'Go.'), message])).toEqual(expected);
});

it('reads the beginning and the end of a huge output', () => {
  const quiet = 'quiet line\n'.repeat(2_000);
  const output = `error: at the start\n${quiet}error: in the middle\n${quiet}error: at the end`;
  expect(section('Discoveries', [bash('make', output)])).toEqual([
    '`make` failed: error: at the start | error: at the end',
  ]);
});

it('drops a failure first whose command went well later, however its output was cut', () => {
  const history = [
    user('u', 'Go.'),
    bash('npm test 2>&1 | tail -20', 'Error: mended by now and of no use to anybody'),
    bash('npm run lint', 'Error: still there and of use to anybody'),
    bash('npm test', 'all passed'),
    ends('Done.'),
  ];
  const kept = section('Discoveries', history, { outputCapTokens: 100 });
  expect(kept).toEqual(['`npm run lint` failed: Error: still there and of use to anybody']);
  expect(section('Discoveries', history)).toHaveLength(2);
});
