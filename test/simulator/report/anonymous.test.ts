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
      "got keys 'acme' and '--model' of gateway.acme.internal:8443, ann@acme",
      "got keys 'text-1' and '--model' of name, name",
    ],
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

  it('labels models that the shipped catalog lacks, each release alike, wherever they stand', () => {
    const gateway = 'gateway.acme.internal/claude-x';
    const known = 'anthropic/claude-sonnet-4-5-20250929';
    expect(
      copy({
        runs: [{ model: gateway }, { model: known }, { model: `${gateway}-20260101` }],
        tokenizers: { [known]: 1, [gateway]: 2 },
        summarizer: `ai:${gateway}`,
        change: `protect=1 model=${gateway}`,
      }),
    ).toEqual({
      runs: [{ model: 'model-1' }, { model: known }, { model: 'model-1' }],
      tokenizers: { [known]: 1, 'model-1': 2 },
      summarizer: 'ai:model-1',
      change: 'protect=1 model=model-1',
    });
  });

  it('labels ids, and records that no reader knows', () => {
    expect(
      copy([
        { messageId: 'acme-7', partIds: ['acme-8', 'acme-9'] },
        { messageIds: ['acme-7'], dropped: { 'unknown record "acme"': 1, 'empty message': 2 } },
      ]),
    ).toEqual([
      { messageId: 'message-1', partIds: ['part-1', 'part-2'] },
      {
        messageIds: ['message-1'],
        dropped: { 'unknown record "record-1"': 1, 'empty message': 2 },
      },
    ]);
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
