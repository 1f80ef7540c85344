import { describe, expect, it } from 'vitest';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import {
  call,
  event,
  item,
  type Line,
  meta,
  output,
  read,
  say,
  toText,
  user,
} from './codex-lines.ts';

const sha = (length: number, digest: string, kind = 'TEXT') =>
  `[REDACTED_${kind} len=${length} sha=${digest}]`;
const textsOf = (...texts: readonly string[]) =>
  read(meta(), user('x'), ...texts.map((text) => say(text))).messages[1]!.parts.map((part) =>
    'text' in part ? part.text : '',
  );

describe('texts that were replaced by their lengths', () => {
  it('are as long as they were', () => {
    const lengths = [0, 1, 5, 500, 5_000];
    const texts = textsOf('', ...lengths.map((length) => sha(length, 'beef0123')));
    expect(texts.map(({ length }) => length)).toEqual(lengths.slice(1));
  });

  it('are equal where their digests are, and else are not', () => {
    const [one, same, other] = textsOf(
      sha(90, 'beef0123'),
      sha(90, 'beef0123', 'MESSAGE'),
      sha(90, 'beef0124'),
    );
    expect(one).toBe(same);
    expect(one).not.toBe(other);
  });

  it('stay as they are where they are no such thing, or too long', () => {
    const texts = ['see [REDACTED_TEXT len=9 sha=beef]', sha(999_999_999, 'beef')];
    expect(textsOf(...texts)).toEqual(texts);
  });

  it('tell a prompt by what the screen showed as typed', () => {
    const session = read(
      meta({ base_instructions: { text: sha(70, 'aaaa') } }),
      user(sha(50, 'bbbb')),
      user(sha(20, 'cccc')),
      event('user_message', { message: sha(20, 'cccc', 'MESSAGE') }),
      call('c1', { name: sha(8, 'dddd', 'NAME'), arguments: sha(30, 'eeee', 'ARGUMENTS') }),
      item('web_search_call', { action: { query: sha(12, 'ffff') } }),
      output('c1', sha(40, '0000', 'OUTPUT')),
    );
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(session.messages[0]?.parts).toMatchObject([{ synthetic: true }, {}]);
    expect(session.system).toHaveLength(70);
    expect(session.report).toEqual({ dropped: {}, repaired: {} });
    expect(JSON.stringify(session)).not.toContain('REDACTED');
    const [shell, search] = session.messages[1]!.parts.map((part): Line => ({ ...part }));
    expect((shell!['state'] as Line)['input']).toHaveLength(30);
    expect((shell!['state'] as Line)['output']).toHaveLength(40);
    expect((search!['state'] as { input: { query: string } }).input.query).toHaveLength(12);
  });

  it('do not fill the memory, however many there are', () => {
    const lines = Array.from({ length: 9 }, (_, index) => say(sha(25_000_000, `${index}`)));
    const [session] = readSessions('k', toText([meta(), user('x'), ...lines]));
    expect(session!.report.dropped).toEqual({ 'redacted text that is too long': 5 });
  });
});
