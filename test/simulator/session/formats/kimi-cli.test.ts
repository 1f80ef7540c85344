import { describe, expect, it } from 'vitest';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { loadSessions, readSessions } from '../../../../src/simulator/session/load.ts';
import { createFolder, writeFile } from '../../../support/session-files.ts';
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

describe('a folder of Kimi CLI', () => {
  const summary = user('<system>Previous context has been compacted. Here it is:</system>A cup.');
  const lines = (...records: readonly Fields[]) =>
    records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const load = (files: Readonly<Record<string, string>>) => {
    const folder = createFolder();
    for (const [name, text] of Object.entries(files)) writeFile(folder, name, text);
    return [...loadSessions(discoverSessionFiles([folder]).files)].map((loaded) => {
      if (loaded.state === 'read') return loaded.session;
      throw new Error(loaded.reason);
    });
  };

  it('is one session with its compactions', () => {
    const before = lines(
      user('x'),
      count(90),
      say('a'),
      count(95),
      user('y'),
      say('b'),
      count(500),
    );
    const [session, ...others] = load({
      'context_1.jsonl': before,
      'context.jsonl': lines(summary, user('y'), say('b'), user('z'), count(60), say('c')),
      'wire.jsonl': lines({ timestamp: 1, message: { type: 'TurnBegin', payload: {} } }),
      'state.json': '{}',
    });
    expect(others).toEqual([]);
    expect(session?.messages).toHaveLength(6);
    expect(session).toMatchObject({ isPartial: false, report: { dropped: {}, repaired: {} } });
    expect(session?.recordedCompactions).toMatchObject([
      { kind: 'full', messageIndex: 4, tokensBefore: 500, firstKeptMessageIndex: 2 },
    ]);
  });

  it('has a session more where a person cleared it, and none where something was taken back', () => {
    const cleared = load({
      'context_1.jsonl': lines(checkpoint, user('x'), say('a')),
      'context.jsonl': lines(checkpoint, user('y'), say('b')),
    });
    expect(cleared.map(outline)).toEqual([
      ['user: x', 'assistant: a'],
      ['user: y', 'assistant: b'],
    ]);
    const reverted = load({
      'context_1.jsonl': lines(checkpoint, user('x'), say('a'), user('y'), say('b')),
      'context.jsonl': lines(checkpoint, user('x'), say('a'), user('z')),
    });
    expect(reverted.map(outline)).toEqual([['user: x', 'assistant: a', 'user: z']]);
  });
});
