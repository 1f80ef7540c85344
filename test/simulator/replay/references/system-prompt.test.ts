import { describe, expect, it } from 'vitest';
import { user } from '../../../support/history.ts';
import { traceOf } from '../lab.ts';
import { read, say, shown } from './sessions.ts';

describe('references of a session with a system prompt', () => {
  const messages = [
    user('u1'),
    read('s1', 'notes', 'parseQuery failed'),
    say('s2', 'parseQuery'),
    read('s3', 'notes', 'parseQuery failed'),
  ];
  const [quoted, recalled] = ['2 quoted s1-read output', '3 recalled s1-read output'];

  it.each<[name: string, system: string, expected: readonly string[]]>([
    ['all where it is empty', '', [quoted, recalled]],
    ['all where it says other words', 'Call isParsed.', [quoted, recalled]],
    ['not those to words that it says as well', 'Call parseQuery.', [recalled]],
  ])('are %s', (_, system, expected) => {
    const { all } = traceOf(messages, { system }).references();
    expect(all.map(shown)).toEqual(expected);
  });
});
