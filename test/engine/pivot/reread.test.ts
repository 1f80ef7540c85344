import { describe, expect, it } from 'vitest';
import { type Message, policies, type RereadPolicy } from '../../../src/engine/index.ts';
import { rereadFiles } from '../../../src/engine/pivot/reread.ts';
import { step, toolIn, user } from '../../support/history.ts';

const policy = policies['qwen-code'];
const ample: RereadPolicy = {
  files: 5,
  fileTokens: 1_000,
  longFiles: 'beginning',
  totalTokens: 10_000,
};

/** A step that reads a file. */
const reading = (
  id: string,
  path: unknown,
  output: string,
  options: { readonly tool?: string } = {},
) =>
  step(id, [
    toolIn(`${id}-0`, { status: 'completed', input: { path }, output }, options.tool ?? 'read'),
  ]);
/** A step that reads a list of files. */
const listed = (id: string, files: unknown) =>
  step(id, [
    toolIn(`${id}-0`, { status: 'completed', input: { files }, output: id }, 'read_files'),
  ]);
const line = (path: string, output: string) =>
  `[Assistant tool call]: read({"path":"${path}"})\n[Tool result]: ${output}`;
const reread = (messages: readonly Message[], rules: Partial<RereadPolicy> = {}) =>
  rereadFiles(messages, { ...ample, ...rules }, policy);

describe('rereadFiles', () => {
  const session = [
    user('u1'),
    reading('s1', 'a.ts', 'old a'),
    reading('s2', 'b.ts', 'b'),
    reading('s3', 'a.ts', 'new a'),
    reading('s4', 'c.ts', 'c', { tool: 'bash' }),
  ];
  const [a, b] = [line('a.ts', 'new a'), line('b.ts', 'b')];

  it('gives the newest first, of each file what was read last, of no other tools', () => {
    expect(reread(session)).toBe(`${a}\n\n${b}`);
  });

  it('gives no more files than it may', () => {
    expect(reread(session, { files: 1 })).toBe(a);
    expect(reread(session, { files: 0 })).toBe('');
  });

  it('cuts what is too long, and leaves out what the rest does not fit', () => {
    expect(reread(session, { fileTokens: 2 })).toBe(`${a.slice(0, 8)}\n\n${b.slice(0, 8)}`);
    const tokens = Math.ceil(a.length / 4);
    expect(reread(session, { totalTokens: tokens })).toBe(a);
    expect(reread(session, { totalTokens: tokens - 1 })).toBe('');
  });

  it('gives the path of what is too long where that is the rule, and no half characters', () => {
    expect(reread(session, { fileTokens: 2, longFiles: 'path' })).toBe('a.ts\n\nb.ts');
    const smiling = [reading('s1', '😀'.repeat(20), '')];
    const cuts = [0, 1, 2, 3].map((more) => reread(smiling, { fileTokens: (40 + more) / 4 }));
    expect(cuts.every((cut) => cut.isWellFormed())).toBe(true);
    expect(cuts.every(({ length }, more) => 40 + more - length <= 1)).toBe(true);
  });

  it('gives what was cleared, and nothing of a call without a file', () => {
    const cleared = step('s1', [
      toolIn(
        'r',
        { status: 'completed', input: { path: 'a' }, output: 'A', compactedAt: 3 },
        'View',
      ),
    ]);
    const odd = [null, 'text', ['path'], { path: 3 }, { __proto__: { path: 'x' } }].map(
      (input, nth) =>
        step(`o${nth}`, [
          toolIn(`o${nth}-0`, { status: 'completed', input, output: 'odd' }, 'read'),
          toolIn(`p${nth}-0`, { status: 'pending', input: { path: 'p' } }, 'read'),
        ]),
    );
    expect(reread([cleared, ...odd])).toBe(
      '[Assistant tool call]: View({"path":"a"})\n[Tool result]: A',
    );
  });

  it('gives what a list of one file gave, and nothing of a list of several', () => {
    const [one, several] = [listed('s1', [{ path: 'a.ts' }]), listed('s2', ['a.ts', 'b.ts'])];
    expect(reread([one, several])).toBe(
      '[Assistant tool call]: read_files({"files":[{"path":"a.ts"}]})\n[Tool result]: s1',
    );
  });

  it('is empty where nothing was read', () => {
    expect(reread([user('u1')])).toBe('');
  });
});
