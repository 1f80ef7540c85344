import { describe, expect, it } from 'vitest';
import { confidentialIn, createScrub } from '../../../../src/simulator/summarizer/model/scrub.ts';

const scrub = createScrub({ secrets: ['hunter2-hunter2', 'abc'], homes: ['/data/maria', '/'] });

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
    ['open /data/maria/a.ts', 'open ~/a.ts'],
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

describe('confidentialIn', () => {
  it.each(['OPENAI_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'NPM_TOKEN', 'DB_PASSWORD', 'MY_LAB'])(
    'takes %s for a secret',
    (name) => {
      expect(confidentialIn({ [name]: 'value', PATH: '/bin' }, 'MY_LAB').secrets).toEqual([
        'value',
      ]);
    },
  );

  it('knows where a person lives', () => {
    const environment = { HOME: '/data/maria', USERPROFILE: 'D:\\maria', LANG: 'C' };
    expect(confidentialIn(environment, undefined)).toEqual({
      secrets: [],
      homes: ['/data/maria', 'D:\\maria'],
    });
  });
});
