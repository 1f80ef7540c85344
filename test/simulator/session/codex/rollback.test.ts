import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/read.ts';
import { outline } from '../claude-lines.ts';
import {
  call,
  count,
  event,
  type Line,
  line,
  meta,
  output,
  read,
  say,
  toText,
  user,
} from './lines.ts';

const back = (turns?: unknown) => event('thread_rolled_back', { num_turns: turns });
const turns = [
  meta(),
  user('x'),
  say('a'),
  count(10, 5),
  user('y'),
  call('c'),
  output('c'),
  count(20, 6),
  say('b'),
  count(30, 7),
];
const all = ['user: x', 'assistant: a', 'user: y', 'assistant: c:completed', 'assistant: b'];

describe('a rollback', () => {
  it.each<[string, readonly Line[], readonly string[], number]>([
    ['takes the last turn back', [back(1)], all.slice(0, 2), 3],
    ['takes several turns back', [user('z'), say('d'), back(2)], all.slice(0, 2), 5],
    ['follows on another', [user('z'), back(1), back(1)], all.slice(0, 2), 4],
    ['takes back a turn without an answer', [user('z'), back(1)], all, 1],
    ['takes all turns back', [back(9)], [], 5],
    ['takes back what a program said last', [user('<turn_aborted>'), back(1)], all.slice(0, 2), 3],
  ])('%s', (_, lines, expected, dropped) => {
    const session = read(...turns, ...lines, user('w'), say('e'));
    expect(outline(session)).toEqual([...expected, 'user: w', 'assistant: e']);
    expect(session.report.dropped).toEqual({ 'message that was rolled back': dropped });
  });

  it.each([[0], [-1], [undefined], ['1'], [null]])('by %s turns takes nothing back', (number) => {
    const session = read(...turns, back(number));
    expect(outline(session)).toEqual(all);
    expect(session.report.dropped).toEqual({});
  });

  it('before all turns takes nothing back', () => {
    expect(outline(read(meta(), back(1), user('x'), say('a')))).toEqual(all.slice(0, 2));
  });

  it('gives no step that is gone a count that comes later', () => {
    const session = read(...turns, user('z'), say('d'), back(1), count(40, 8), user('w'), say('e'));
    const usages = session.messages.flatMap((each) =>
      each.role === 'assistant' ? [each.usage?.input] : [],
    );
    expect(usages).toEqual([5, 6, 7, undefined]);
  });

  it('takes compactions back that happened since', () => {
    const told = event('context_compacted');
    const [first, second] = [turns.slice(0, 4), turns.slice(4)];
    const session = read(...first, told, ...second, told, back(1), user('w'), say('e'), told);
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 2, tokensBefore: 5 },
      { kind: 'full', messageIndex: 4, tokensBefore: 5 },
    ]);
  });

  it('of all turns keeps what the program told before the first', () => {
    const context = '<environment_context>';
    const told = [user(context), user('x'), say('a'), user('y')];
    const session = read(meta(), ...told, back(2), user('w'), say('e'));
    expect(outline(session)).toEqual([`user: (${context}) w`, 'assistant: e']);
  });

  it('of everything leaves no session', () => {
    expect(() => readSessions('kettle.jsonl', toText([...turns, back(2)]))).toThrow(
      /got a rollout without messages\.$/,
    );
  });

  it('is no other event', () => {
    expect(
      outline(read(...turns, line('event_msg', { type: 'undo_completed', num_turns: 1 }))),
    ).toEqual(all);
  });
});
