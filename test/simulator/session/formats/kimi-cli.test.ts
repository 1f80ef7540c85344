import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { usagesOf } from '../tools-of.ts';
import { outline } from './claude-code-lines.ts';

type Fields = Readonly<Record<string, unknown>>;

const count = (tokens: number) => ({ role: '_usage', token_count: tokens });
const user = (content: string) => ({ role: 'user', content });
const say = (content: unknown) => ({ role: 'assistant', content });
const checkpoint = { role: '_checkpoint', id: 0 };

const read = (...records: readonly Fields[]) =>
  readSessions('x', records.map((record) => `${JSON.stringify(record)}\n`).join(''))[0]!;

describe('a context of Kimi CLI', () => {
  it('counts the request of a step before it, and its answer behind it', () => {
    const session = read(
      user('x'),
      count(100),
      say('a'),
      count(120),
      user('y'),
      say('b'),
      count(90),
    );
    const kinds = { reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    expect(usagesOf(session)).toEqual([{ ...kinds, input: 100, output: 20 }, undefined]);
    expect(session).toMatchObject({ isOutputFinal: true, isCacheUnknown: true });
  });

  it('keeps thoughts and the texts of the program apart', () => {
    const session = read(
      { role: '_system_prompt', content: 'Be kind.' },
      checkpoint,
      user('<system>CHECKPOINT 0</system>'),
      user('x'),
      say([
        { type: 'think', think: 'Hm.' },
        { type: 'text', text: 'a' },
      ]),
    );
    expect(session.system).toBe('Be kind.');
    expect(outline(session)[0]).toBe('user: (<system>CHECKPOINT 0</system>) x');
    expect(session.messages[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'a' },
    ]);
  });

  it('that begins with a summary is partial', () => {
    const summary = '<system>Previous context has been compacted. Here it is:</system>\nA cup.';
    const session = read(checkpoint, say(summary), user('x'), say('a'));
    expect(session.isPartial).toBe(true);
    expect(outline(session)).toEqual([`user: (${summary}) x`, 'assistant: a']);
  });

  it('counts messages without a role', () => {
    const session = read(checkpoint, user('x'), { role: 'oracle' });
    expect(session.report.dropped).toEqual({ 'message without a role': 1 });
  });
});
