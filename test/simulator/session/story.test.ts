import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../src/simulator/session/load.ts';
import type { Session } from '../../../src/simulator/session/session.ts';
import { createSourceFile } from '../../../src/simulator/session/files/source-file.ts';
import { findFolder, storyOf } from '../../../src/simulator/session/story.ts';

const HEADER = { 'compaction-bench': 'session', version: 1 };
const AT_MS = Date.UTC(2025, 10, 3, 23, 59);

function sessionOf(texts: readonly string[], over: Partial<Session> = {}): Session {
  const prompts = texts.map((text, index) => ({
    type: 'message',
    role: 'user',
    createdAt: AT_MS + index,
    parts: [{ type: 'text', text }],
  }));
  const lines = [HEADER, ...prompts].map((line) => JSON.stringify(line));
  const [session] = readSessions('x.jsonl', lines.join('\n'));
  return { ...session!, ...over };
}

describe('storyOf', () => {
  it('has the folder, the first request and the day', () => {
    const session = sessionOf(['Migrate checkout:\n\n- tests'], { folder: '/home/ann/shop' });
    expect(storyOf(session)).toEqual({
      project: 'shop',
      title: 'Migrate checkout: - tests',
      date: '2025-11-03',
    });
  });

  it.each<[string, readonly string[], string | null]>([
    ['passes over what the agent put there', ['<environment>x</environment>', 'Fix it'], 'Fix it'],
    [
      'cuts a long request between words',
      [`Fix ${'twelve byte '.repeat(9)}`],
      'Fix twelve byte twelve byte twelve byte…',
    ],
    ['cuts a long word where it must', [`In ${'x'.repeat(99)}`], `In ${'x'.repeat(36)}…`],
    ['knows no request of tags alone', ['<only>'], null],
  ])('%s', (_, texts, expected) => {
    const { title } = storyOf(sessionOf(texts));
    expect(title).toBe(expected);
    expect((title ?? '').length).toBeLessThanOrEqual(40);
  });

  it.each<[string, Partial<Session>, string | null]>([
    ['a folder of Windows', { folder: String.raw`C:\work\shop` }, 'shop'],
    ['the root', { folder: '/' }, null],
    ['no folder', {}, null],
  ])('names the project of %s', (_, over, expected) => {
    expect(storyOf(sessionOf(['Fix it'], over)).project).toBe(expected);
  });

  it('tells nothing of a redacted session, and no day where a recording has no times', () => {
    const redacted = sessionOf(['Fix it'], { folder: '/a/shop', isRedacted: true });
    expect(storyOf(redacted)).toEqual({ project: null, title: null, date: null });
    const [untimed] = readSessions(
      'x.json',
      '[{"role":"user","content":"Fix it"},{"role":"assistant","content":"Done"}]',
    );
    expect(storyOf(untimed!)).toEqual({ project: null, title: 'Fix it', date: null });
  });
});

describe('findFolder', () => {
  const folderIn = (text: string) => findFolder(createSourceFile('x', text));

  it.each<[string, string, string | undefined]>([
    ['the first that is named', '{"a":1}\n{"cwd":"/a/shop"}\n{"cwd":"/b"}', '/a/shop'],
    ['one behind a blank', '{"info": {"directory" : "/a b"}}', '/a b'],
    ['none that is no string of JSON', String.raw`{"cwd":"\x"}`, undefined],
    ['none far behind the start', `${'x'.repeat(70_000)}\n{"cwd":"/a"}`, undefined],
    ['none', '{}', undefined],
  ])('finds %s', (_, text, expected) => {
    expect(folderIn(text)).toBe(expected);
  });
});
