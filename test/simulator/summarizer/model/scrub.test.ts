import { describe, expect, it } from 'vitest';
import { createScrub } from '../../../../src/simulator/summarizer/model/scrub.ts';

const scrub = createScrub(['hunter2-hunter2', 'abc']);

describe('createScrub', () => {
  it.each<[string, string]>([
    ['Incorrect API key provided: sk-proj-abcdef****wxyz.', 'Incorrect API key provided: [key]'],
    ['Authorization: Bearer abcdefghijkl', 'Authorization: [key]'],
    ['AIzaSyA1234567890abcdefghijklmno', '[key]'],
    ['the value is hunter2-hunter2!', 'the value is [removed]!'],
    ['open /home/maria/work/a.ts', 'open ~/work/a.ts'],
    ['open /Users/maria/work/a.ts', 'open ~/work/a.ts'],
    ['open "C:\\Users\\maria\\a.ts"', 'open "~\\a.ts"'],
    ['open "C:\\\\Users\\\\maria\\\\a.ts"', 'open "~\\\\a.ts"'],
    ['/root/.npmrc', '~/.npmrc'],
  ])('%s → %s', (given, expected) => {
    expect(scrub(given)).toBe(expected);
  });

  it.each(['abc', 'a task-list-of-things', 'src/home/page.ts', 'risk-based', '/usr/lib/node'])(
    'leaves %s alone',
    (given) => {
      expect(scrub(given)).toBe(given);
    },
  );
});
