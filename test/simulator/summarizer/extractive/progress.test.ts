import { expect, it } from 'vitest';
import type { Message } from '../../../../src/engine/index.ts';
import { marker, step, text, toolIn, user } from '../../../support/history.ts';
import { calls, ends, fails, says, section } from './sections.ts';

const bash = (command: string, output: string) => calls('bash', { command }, output);
const todos = (...entries: readonly (readonly [string, string])[]) =>
  calls('todowrite', { todos: entries.map(([content, status]) => ({ content, status })) });

it.each<[string, readonly Message[], readonly string[]]>([
  ['the answer to a request', [user('u', 'Go.'), ends('All is built.')], ['Done: All is built.']],
  [
    'the last answer of each turn',
    [user('a', 'Go.'), says('Looking.'), ends('Built.'), user('b', 'Test it.'), ends('Tested.')],
    ['Done: Built.', 'Done: Tested.'],
  ],
  [
    'a request that is not answered yet, with the last words of its turn',
    [user('a', 'Go.'), ends('Built.'), user('b', 'Test it.'), says('Testing.'), marker('m')],
    ['Done: Built.', 'In progress: Testing.', 'In progress: Test it.'],
  ],
  [
    'a command with its last line',
    [user('u', 'Go.'), bash('npm test', 'ok 1\n12 passed\n\n'), ends('Good.')],
    ['Done: Good.', 'Ran `npm test`: ok (12 passed)'],
  ],
  [
    'a silent command',
    [user('u', 'Go.'), bash('npm run build', ''), ends('Good.')],
    ['Done: Good.', 'Ran `npm run build`: ok'],
  ],
  [
    'the newest run of a command, however its output was cut',
    [
      user('u', 'Go.'),
      bash('npm test | tail', 'Error: x'),
      bash('npm test', 'passed'),
      ends('Good.'),
    ],
    ['Done: Good.', 'Ran `npm test`: ok (passed)'],
  ],
  [
    'a command that failed with what went wrong',
    [user('u', 'Go.'), bash('npm test', 'Error: x\nend of log'), ends('Bad.')],
    ['Done: Bad.', 'Ran `npm test`: failed (Error: x)'],
  ],
  [
    'no command that only looks',
    [user('u', 'Go.'), bash('ls src', 'a.ts'), ends('Good.')],
    ['Done: Good.'],
  ],
  [
    'what is left, as the newest turn says',
    [
      user('a', 'Go.'),
      ends('Next, the tests.'),
      user('b', 'Yes!'),
      ends('Two remaining tests fail.'),
    ],
    [
      'Done: Next, the tests.',

      'Open: Two remaining tests fail.',
    ],
  ],
  [
    'what is left in Chinese and Japanese',
    [user('a', '开始'), ends('好的。接下来写测试。次に文書を書きます。')],
    [
      'Done: 好的。接下来写测试。次に文書を書きます。',
      'Open: 接下来写测试。',
      'Open: 次に文書を書きます。',
    ],
  ],
  [
    'the newest of the files that were changed',
    [
      ...['a', 'b', 'c', 'd', 'e', 'f', 'a'].map((path) => calls('edit', { path })),
      calls('read', { path: 'g' }),
    ],
    ['Changed: a, f, e, d, c and 1 more'],
  ],
  [
    'a command whose tool failed without a word of trouble',
    [fails('bash', { command: 'make' }, 'killed')],
    ['Ran `make`: failed (killed)'],
  ],
  [
    'no command that is still running',
    [step('s', [toolIn('t', { status: 'running', input: { command: 'make' } })])],
    ['(none)'],
  ],
  [
    'nothing of a step that is not sent',
    [step('s', [text('t', 'Half a word')], { error: { name: 'APIError', message: 'x' } })],
    ['(none)'],
  ],
  ['nothing', [], ['(none)']],
])('what was accomplished is %s', (_, messages, expected) => {
  expect(section('Accomplished', messages)).toEqual(expected);
});

it.each<[string, readonly Message[], readonly string[]]>([
  [
    'their states',
    [
      todos(
        ['a', 'completed'],
        ['b', 'in_progress'],
        ['c', 'pending'],
        ['d', 'cancelled'],
        ['e', '?'],
      ),
    ],
    ['Done: a', 'In progress: b', 'Open: c', 'Cancelled: d', 'Open: e'],
  ],
  ['the newest list only', [todos(['a', 'pending']), todos(['b', 'pending'])], ['Open: b']],
  [
    'the last list that was accepted',
    [todos(['a', 'pending']), fails('TodoWrite', { todos: [{ content: 'b' }] }, 'bad input')],
    ['Open: a'],
  ],
  [
    'a plan of steps',
    [calls('update_plan', { plan: [{ step: 'a', status: 'completed' }, { step: 'b' }] })],
    ['Done: a', 'Open: b'],
  ],
  [
    'tasks that were added and moved one by one',
    [
      calls('TaskCreate', { subject: 'a' }, 'Task #7 created'),
      calls('TaskCreate', { subject: 'b' }, 'Task #8 created'),
      calls('TaskUpdate', { taskId: '7', status: 'completed' }),
      calls('TaskUpdate', { taskId: '9', status: 'completed' }),
    ],
    ['Done: a', 'Open: b'],
  ],
  [
    'entries that are mere texts',
    [calls('write_todos', { todos: ['a', 'b', 3, null] })],
    ['Open: a', 'Open: b'],
  ],
  ['no list of another tool', [calls('bash', { todos: [{ content: 'a' }] })], ['(none)']],
])('of to-do lists it tells %s', (_, messages, expected) => {
  expect(section('Accomplished', messages)).toEqual(expected);
});

it('keeps what is open longer than what is done', () => {
  const list = Array.from(
    { length: 40 },
    (_, index) =>
      [`entry number ${index} of the list`, index < 39 ? 'completed' : 'pending'] as const,
  );
  const kept = section('Accomplished', [todos(...list)], { outputCapTokens: 100 });
  expect(kept).toContain('Open: entry number 39 of the list');
  expect(kept.length).toBeLessThan(10);
});
