import { describe, expect, it } from 'vitest';
import { createAnonymiser } from '../../../src/simulator/report/anonymous.ts';

const copy = <Document>(document: Document): Document => createAnonymiser().copy(document);

describe('an anonymiser', () => {
  it('labels sessions in the order of their coming, those of one file alike', () => {
    const rows = [
      { session: '/home/ann/a.jsonl#1', family: '/home/ann/b.jsonl' },
      { session: '/home/ann/a.jsonl#0' },
      { session: '/home/ann/b.jsonl' },
    ];
    expect(copy(rows)).toEqual([
      { session: 'session-1#1', family: 'session-2' },
      { session: 'session-1#0' },
      { session: 'session-2' },
    ]);
  });

  it('gives a name the same label in all documents, and the same object the same copy', () => {
    const names = createAnonymiser();
    const run = { session: 'b.json' };
    const first = names.copy({ runs: [{ session: 'a.json' }, run] });
    const events = names.copy(new Map([[run, ['event']]]));
    expect(first.runs[1]).toEqual({ session: 'session-2' });
    expect([...events.keys()][0]).toBe(first.runs[1]);
  });

  it('labels files that are no sessions, and tools of a view', () => {
    expect(
      copy({
        runs: [{ session: 'x/a.json' }],
        unread: [{ file: 'x/bad.json' }, { file: 'x/a.json' }],
        view: { kinds: ['tool mcp__acme__deploy', 'request', 'tool bash', 'tool bash'] },
      }),
    ).toEqual({
      runs: [{ session: 'session-1' }],
      unread: [{ file: 'file-1' }, { file: 'session-1' }],
      view: { kinds: ['tool tool-1', 'request', 'tool tool-2', 'tool tool-2'] },
    });
  });

  it.each<[string, string]>([
    ['a shorter copy of x/a.json', 'a shorter copy of session-1'],
    ["Expected 'x/a.json' to be a file.", "Expected 'session-1' to be a file."],
    ['cannot read /home/ann/acme/key.pem: denied', 'cannot read path: denied'],
    ['no file ./acme/key, nor src/acme/key.ts', 'no file path, nor path'],
    [
      'no price of anthropic/claude-opus-4-5, 3/4 done',
      'no price of anthropic/claude-opus-4-5, 3/4 done',
    ],
  ])('leaves no path in a reason: %s', (reason, expected) => {
    expect(copy([{ reason }, { session: 'x/a.json' }])[0]).toEqual({ reason: expected });
  });

  it('leaves out stories of sessions, whose titles are texts', () => {
    const story = { project: 'acme', title: 'Fix acme', date: '2025-11-03' };
    const document = { sessions: [{ session: 'a.json', story }], stories: [story] };
    expect(copy(document)).toEqual({ sessions: [{ session: 'session-1' }] });
  });

  it('leaves out the texts of a view, and changes nothing else', () => {
    const view = { kinds: [], tokens: [1], texts: { pool: ['secret'] } };
    expect(copy({ view, policy: 'none', count: 2, flag: true, none: null })).toEqual({
      view: { kinds: [], tokens: [1] },
      policy: 'none',
      count: 2,
      flag: true,
      none: null,
    });
  });
});
