import { describe, expect, it } from 'vitest';
import { createSourceFile } from '../../../../src/simulator/session/files/source-file.ts';
import { opencodeShare } from '../../../../src/simulator/session/formats/opencode-stores.ts';
import { readSessions } from '../../../../src/simulator/session/load.ts';
import { describeSessionFormat } from '../../../contracts/session-format.ts';
import { exportedFixture, type Fields, toRows } from './opencode-forms.ts';

const exported = exportedFixture();
const rows = toRows(exported);
const row = (type: string, data: unknown) => ({ type, data });
const session = row('session', { id: 'sess-1' });
const prompt = row('message', { id: 'msg-1', role: 'user', time: { created: 1 } });
const said = (id: string, text: string, over: Fields = {}) =>
  row('part', { id, messageID: 'msg-1', type: 'text', text, ...over });
const read = (...list: readonly unknown[]) => readSessions('kettle.json', JSON.stringify(list))[0]!;

describeSessionFormat({
  name: 'opencode-share',
  text: JSON.stringify(rows, undefined, 2),
});

describe('the rows of a feed', () => {
  it('import-001: parts come to the message that they belong to', () => {
    const { sessionId, messages } = read(session, prompt, said('part-1', 'x'), said('part-2', 'y'));
    expect(sessionId).toBe('sess-1');
    expect(messages.map(({ id, parts }) => [id, parts.length])).toEqual([['msg-1', 2]]);
  });

  it.each<[string, readonly unknown[]]>([
    ['nothing', []],
    ['no session', [{ type: 'message' }]],
    ['no message', [{ type: 'session', data: { id: 's' } }]],
  ])('import-002: a feed of %s is rejected', (_, feed) => {
    expect(() => read(...feed)).toThrow(/^Expected 'kettle\.json' to .*, got .*\.$/);
  });
});

describe('a share feed', () => {
  it('gives the session that an export of it gives', () => {
    const [whole] = readSessions('x', JSON.stringify(exported));
    expect(read(...rows)).toEqual({ ...whole, name: 'kettle.json', format: 'opencode-share' });
  });

  it('may have its rows in any order but that of the parts', () => {
    const mixed = [
      ...rows.slice(1).filter(isPart),
      rows[0],
      ...rows.slice(1).filter(isMessage).toReversed(),
    ];
    expect(read(...mixed)).toEqual(read(...rows));
  });

  it('shows each record as it was last, in the place where it came up', () => {
    const { messages, report } = read(
      session,
      prompt,
      said('p1', 'x'),
      said('p2', 'y'),
      said('p1', 'z'),
    );
    expect(messages[0]?.parts).toMatchObject([{ text: 'z' }, { text: 'y' }]);
    expect(report).toEqual({ dropped: {}, repaired: {} });
  });

  it('counts what it cannot place', () => {
    const strays = [
      said('p1', 'x'),
      said('p2', 'y', { messageID: 'lost' }),
      said('p3', 'z', { messageID: undefined }),
      row('oracle', { id: 'o' }),
      row('message', 'text'),
      row('message', { id: 'msg-2' }),
      'text',
      row('session_diff', []),
      row('model', []),
    ];
    expect(read(session, prompt, ...strays).report.dropped).toEqual({
      'unknown row': 3,
      'part without a message': 2,
      'message without a role': 1,
    });
  });

  it.each<[string, unknown]>([
    ['an empty list', []],
    ['messages without a session', [prompt]],
    ['a session without an id', [row('session', {})]],
    ['rows that hold no data', [{ type: 'session' }]],
    ['an object', { type: 'session', data: { id: 's' } }],
  ])('is not %s', (_, value) => {
    expect(opencodeShare.detect(createSourceFile('x', JSON.stringify(value)))).toBe(false);
  });
});

function isPart({ type }: Fields): boolean {
  return type === 'part';
}

function isMessage({ type }: Fields): boolean {
  return type === 'message';
}
