import { expect, it } from 'vitest';
import type { Message } from '../../../../src/engine/index.ts';
import { marker, step, summary, text, user } from '../../../support/history.ts';
import { ends, section } from './sections.ts';

it.each<[string, readonly Message[], readonly string[]]>([
  ['the first request', [user('u', 'Build a lexer.'), ends('Done.')], ['Build a lexer.']],
  [
    'every later request',
    [user('a', 'Build a lexer.'), ends('Done.'), user('b', 'Now a parser.')],
    ['Build a lexer.', 'Now a parser.'],
  ],
  ['the texts of one message together', [user('u', 'Build', 'a lexer.')], ['Build a lexer.']],
  [
    'nothing that a program wrote in their place',
    [user('u', 'Build it.', text('s', 'Remember the rules.', { synthetic: true }))],
    ['Build it.'],
  ],
  [
    'nothing that is never sent',
    [user('u', 'Build it.', text('s', 'A private note.', { ignored: true }))],
    ['Build it.'],
  ],
  [
    'a task for a sub-agent',
    [user('u', '', { type: 'subtask', id: 's', prompt: 'Look it up.' })],
    ['Look it up.'],
  ],
  [
    'no nods',
    [
      user('a', 'Build it.'),
      user('b', 'ok'),
      user('c', '继续。'),
      user('d', 'はい'),
      user('e', 'Go on!'),
    ],
    ['Build it.'],
  ],
  [
    'a nod with something to do',
    [user('a', 'Build it.'), user('b', 'ok, and test it')],
    ['Build it.', 'ok, and test it'],
  ],
  ['no marker', [user('a', 'Build it.'), marker('m')], ['Build it.']],
  [
    'the newest of what was asked twice',
    [user('a', 'Build it.'), user('b', 'Test it.'), user('c', 'build it')],
    ['Test it.', 'build it'],
  ],
  ['Chinese as it stands', [user('u', '请实现一个解析器。')], ['请实现一个解析器。']],
  ['Japanese as it stands', [user('u', 'パーサーを実装して。')], ['パーサーを実装して。']],
])('the goal is %s', (_, messages, expected) => {
  expect(section('Goal', messages)).toEqual(expected);
});

it('cuts a long request after a sentence, and the first one later than others', () => {
  const long = 'This is one sentence of it. '.repeat(100);
  const [first, second] = section('Goal', [user('a', `First: ${long}`), user('b', long)]);
  expect(first).toMatch(/^First: .* sentence of it\.…$/);
  expect(second).toMatch(/sentence of it\.…$/);
  expect([first!.length, second!.length].map((length) => Math.ceil(length / 100))).toEqual([6, 3]);
});

it('keeps the first and the newest request longest', () => {
  const requests = Array.from({ length: 30 }, (_, index) =>
    user(`u${index}`, `Request number ${index} of a rather long list of requests.`),
  );
  const kept = section('Goal', requests, { outputCapTokens: 150 });
  expect(kept.slice(0, 1)).toEqual(['Request number 0 of a rather long list of requests.']);
  expect(kept.slice(-1)).toEqual(['Request number 29 of a rather long list of requests.']);
  expect(kept.length).toBeLessThan(30);
});

it('takes any text where nobody asked for anything', () => {
  expect(
    section('Goal', [step('s', [{ type: 'reasoning', id: 'r', text: 'Hm, so be it.' }])]),
  ).toEqual(['Hm, so be it.']);
  expect(section('Goal', [])).toEqual(['(none)']);
});

it('never takes a failed summary for a request or an answer', () => {
  const failed = summary('s', 'm', { error: { name: 'APIError', message: 'overloaded' } });
  expect(section('Goal', [failed])).toEqual(['(none)']);
});
