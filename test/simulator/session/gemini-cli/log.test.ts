import { describe, expect, it } from 'vitest';
import {
  findGrowingCopies,
  toCopyCandidate,
} from '../../../../src/simulator/session/repeats/copies.ts';
import { readSessions } from '../../../../src/simulator/session/read.ts';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { outline } from '../claude-lines.ts';
import { type Json, header, user, step, chat, toLines, read } from './lines.ts';

const set = (...messages: readonly Json[]): Json => ({ $set: { messages } });

const readLog = (...lines: readonly Json[]): Session =>
  readSessions('k', toLines(header, ...lines))[0]!;

describe('a log', () => {
  const start = [user('m1', 'x'), step('m2', 'a'), user('m3', 'y'), step('m4', 'b')];

  it.each<[string, string, readonly string[]]>([
    ['back to a message, which goes too', 'm3', ['user: x', 'assistant: a', 'user: z']],
    ['back to a message that is not there', 'm9', ['user: z']],
  ])('goes %s', (_, id, expected) => {
    const session = readLog(...start, { $rewindTo: id }, user('m5', 'z'));
    expect(outline(session)).toEqual(expected);
    expect(session.report.dropped).toEqual({
      'message that was taken back': expected.length === 3 ? 2 : 4,
    });
  });

  it('keeps what was replaced, and the summary apart', () => {
    const session = readLog(
      ...start,
      set(
        user('s1', '<state_snapshot> tea'),
        step('s2', 'Got it.'),
        user('m3', 'y'),
        step('m4', 'b'),
      ),
      user('m5', 'z'),
      set(
        user('s1', '<state_snapshot> tea'),
        step('s2', 'Got it.'),
        user('m3', 'y'),
        step('m4', '…'),
        user('m5', 'z'),
      ),
      step('m6', 'c'),
    );
    expect(outline(session)).toEqual([
      'user: x',
      'assistant: a',
      'user: y',
      'assistant: b',
      'user: z',
      'assistant: c',
    ]);
    expect(session.recordedCompactions).toEqual([
      { kind: 'full', messageIndex: 4, summary: '<state_snapshot> tea', firstKeptMessageIndex: 2 },
    ]);
  });

  it('keeps no tail where none stayed', () => {
    const { recordedCompactions } = readLog(...start, set(user('s1', 'tea')), user('m5', 'z'));
    expect(recordedCompactions).toEqual([{ kind: 'full', messageIndex: 4, summary: 'tea' }]);
  });

  it('takes back what is told no more, if nothing stands in its place', () => {
    const session = readLog(...start, set(user('m1', 'x'), step('m2', 'a')), user('m5', 'z'));
    expect(outline(session)).toEqual(['user: x', 'assistant: a', 'user: z']);
    expect(session.recordedCompactions).toEqual([]);
  });

  it('begins with an update where that is all', () => {
    expect(outline(readLog(set(...start.slice(0, 2))))).toEqual(['user: x', 'assistant: a']);
  });

  it('misses no notice', () => {
    const notice = { id: 'm2n', type: 'info', content: 'x' };
    const session = readLog(
      ...start.slice(0, 2),
      notice,
      set(...start.slice(0, 2), ...start.slice(2)),
    );
    expect(outline(session)).toHaveLength(4);
    expect(session.recordedCompactions).toEqual([]);
  });

  it('of a sub-agent is a side session', () => {
    const lines = toLines({ ...header, kind: 'subagent' }, ...start);
    expect(readSessions('k', lines)[0]).toMatchObject({ isSide: true });
  });
});

describe('growing copies', () => {
  it('are found by the session that they share', () => {
    const short = toCopyCandidate({ ...read(...chat.slice(0, 2)), name: 'short' });
    const long = toCopyCandidate({ ...read(...chat), name: 'long' });
    expect(findGrowingCopies([short, long])).toEqual([
      { name: 'short', copyOf: 'long', isShorter: true },
    ]);
  });
});
