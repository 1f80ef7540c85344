import { describe, expect, it } from 'vitest';
import { widthOf } from '../../../src/simulator/report/layout.ts';
import {
  NAME_WIDTH,
  type NamedStory,
  nameSessions,
} from '../../../src/simulator/report/session-names.ts';

const story = (over: Partial<NamedStory> = {}): NamedStory => ({
  session: 'a/one.jsonl',
  project: 'shop',
  title: 'Migrate checkout',
  date: '2025-11-03',
  ...over,
});
const nameOf = (over: Partial<NamedStory>) => nameSessions([story()], [story(over)])('a/one.jsonl');

describe('nameSessions', () => {
  it.each<[string, Partial<NamedStory>, string]>([
    ['all that is known', {}, 'shop, "Migrate checkout", 3 Nov 2025'],
    ['the title alone', { project: null, date: null }, '"Migrate checkout"'],
    ['the project alone', { title: null, date: null }, 'shop'],
    ['the file where only the day is known', { project: null, title: null }, 'a/one.jsonl'],
  ])('names %s', (_, over, expected) => {
    expect(nameOf(over)).toBe(expected);
  });

  it('names sessions without a story by their files, and gives each a name of its own', () => {
    const sessions = ['a/one.jsonl', 'b/agent-12345678.jsonl', 'c/three.jsonl#2'];
    const stories = [story(), story({ session: 'b/agent-12345678.jsonl' })];
    const all = sessions.map((session) => ({ session }));
    expect(sessions.map(nameSessions(all, stories))).toEqual([
      'shop, "Migrate checkout", 3 Nov 2025 (one)',
      'shop, "Migrate checkout", 3 Nov 2025 (12345678)',
      'c/three.jsonl#2',
    ]);
  });

  it('keeps to its width and shows nothing that a terminal obeys', () => {
    const name = nameOf({ project: 'p'.repeat(99), title: '日'.repeat(30) });
    expect(widthOf(name)).toBeLessThanOrEqual(NAME_WIDTH);
    expect(nameOf({ title: 'a\u001b[31m' })).toContain(String.raw`\u001b[31m`);
  });
});
