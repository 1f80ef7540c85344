import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/read.ts';
import { outline } from '../claude-lines.ts';
import { exportOf, type Fields, step, text, user } from './messages.ts';

const one = (info: Fields, ...words: readonly string[]) =>
  exportOf(
    words.map((word, index) => user(`${word}${index}`, text(word))),
    info,
  );
const indented = (document: string) => JSON.stringify(JSON.parse(document), undefined, 1);
const read = (content: string) => readSessions('all.json', content);
const [first, second, third] = [
  one({ id: 'ses_1' }, 'x'),
  one({ id: 'ses_2' }, 'y'),
  one({ id: 'ses_3' }, 'z'),
];

describe('several exports in one file', () => {
  it.each<[string, string, number]>([
    ['one on each line', `${first}\n${second}\n${third}\n`, 0],
    ['over many lines each', [first, second, third].map(indented).join('\n'), 0],
    ['without anything between', `${first}${second}${third}`, 0],
    ['with Windows line ends', `${first}\r\n\r\n${second}\r\n${third}\r\n`, 0],
    ['among lines of a log', `INFO {a\n${first}\n\n{"b":1}\n${second}\nWARN {c\n${third}\nend`, 4],
    [
      'with one that was cut off',
      `${first}\n${one({ id: 'ses_4' }, 'w').slice(0, -20)}\n${second}\n${third}`,
      1,
    ],
    [
      'with a last one that was cut off',
      `${first}\n${second}\n${third}\n${indented(first).slice(0, 30)}`,
      3,
    ],
  ])('are all read, %s', (_, content, otherLines) => {
    const sessions = read(content);
    expect(sessions.map(outline)).toEqual([['user: x'], ['user: y'], ['user: z']]);
    expect(sessions.map(({ name, sessionId }) => [name, sessionId])).toEqual([
      ['all.json#0', 'ses_1'],
      ['all.json#1', 'ses_2'],
      ['all.json#2', 'ses_3'],
    ]);
    expect(sessions.map(({ report }) => report.dropped)).toEqual([
      otherLines === 0 ? {} : { 'line that is no export': otherLines },
      {},
      {},
    ]);
  });

  it('may have any number of braces between them', () => {
    const log = 'WARN {a\n'.repeat(12);
    expect(read(`${log}${first}\n${log}${second}\n${log}${third}`)).toHaveLength(3);
  });

  it('of one session are the last one', () => {
    const grown = one({ id: 'ses_1' }, 'x', 'y');
    const [session, ...others] = read(`${first}\n${grown}\n`);
    expect(outline(session!)).toEqual(['user: x', 'user: y']);
    expect(session).toMatchObject({ name: 'all.json', sessionId: 'ses_1' });
    expect(session!.report.dropped).toEqual({ 'earlier export of a session': 1 });
    expect(others).toEqual([]);
  });

  it('of sessions without an id all stay', () => {
    const unnamed = one({ id: undefined }, 'x');
    expect(read(`${unnamed}\n${unnamed}\n`)).toHaveLength(2);
  });

  it('begin with the one that is no task of another', () => {
    const task = one({ id: 'ses_2', parentID: 'ses_1' }, 'look');
    expect(read(`${task}\n${first}\n`).map(({ sessionId }) => sessionId)).toEqual([
      'ses_1',
      'ses_2',
    ]);
  });

  it('are those with messages', () => {
    const sessions = read(`${one({ id: 'ses_0' })}\nstarted\n${first}\n`);
    expect(sessions.map(({ name }) => name)).toEqual(['all.json']);
    expect(sessions[0]?.report.dropped).toEqual({ 'line that is no export': 1 });
    const silent = exportOf([{ info: {}, parts: [] }]);
    expect(() => read(silent + silent)).toThrow(/got an export without messages\.$/);
  });

  it('tell of what was not understood each for itself', () => {
    const odd = exportOf([user('u1', text('y')), step('a1', {}, { type: 'hologram' })], {
      id: 'ses_2',
    });
    expect(read(`${first}\n${odd}`).map(({ report }) => report.dropped)).toEqual([
      {},
      { 'part of unknown type': 1 },
    ]);
  });
});
