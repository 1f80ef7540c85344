import { describe, expect, it } from 'vitest';
import { problemsOf } from './sample-scenario.ts';

describe('a session that is made of very much before it is too large', () => {
  it.each([
    [
      '{ generate: { seed: 1, turns: 1000000 } }',
      '3:22: Expected session.generate to be within 200000000 characters of the session so far, got more.',
    ],
    [
      '{ script: [user: 1, { repeat: 9000, of: [step: { tools: [999x a 0] }] }] }',
      '3:51: Expected session.script[1].of[0] to be within 200000000 characters of the session so far, got more.',
    ],
  ])('%s is refused: %s', (session, problems) => {
    expect(problemsOf({ session })).toBe(problems);
  });
});
