import { describe, expect, it } from 'vitest';
import {
  type Message,
  policies,
  REFUSAL_NOTE,
  type RereadPolicy,
  resumeTexts,
} from '../../../src/engine/index.ts';
import {
  continueMessage,
  createMarker,
  quoteMessages,
  quotePrompts,
  replayPrompt,
  rereadFiles,
  unansweredFrom,
  wrapQueued,
} from '../../../src/engine/pivot/resume.ts';
import { toArray } from '../../../src/engine/history.ts';
import { frozen } from '../../../src/engine/values.ts';
import { file, marker, step, summary, text, toolIn, user } from '../../support/history.ts';
import { testTools } from '../../support/tools.ts';

describe('replayPrompt', () => {
  it('is the prompt under new ids and a new time, its media as text', () => {
    const prompt = frozen(
      user(
        'u1',
        'look at this',
        text('t', 'from a program', { synthetic: true }),
        file('i', 'image/png', { filename: 'cat.png' }),
        file('c', 'text/csv', { filename: undefined }),
      ),
    );
    expect(replayPrompt(prompt, testTools(9))).toEqual({
      id: 'message-5',
      role: 'user',
      createdAt: 9,
      parts: [
        text('part-1', 'look at this'),
        text('part-2', 'from a program', { synthetic: true }),
        text('part-3', '[Attached image/png: cat.png]'),
        file('part-4', 'text/csv', { filename: undefined, url: 'data:text/csv;base64,AA' }),
      ],
    });
  });
});

const wrapped = (said: string) =>
  expect.stringMatching(
    new RegExp(`^<system-reminder>\\n.{36}\\n${said}\\n\\n.{57}\\n</system-reminder>$`),
  );

describe('wrapQueued', () => {
  const waiting = user(
    'u2',
    'look at this',
    text('t', 'from a program', { synthetic: true }),
    file('c', 'text/csv'),
  );

  it('wraps the words of prompts behind the newest step, and nothing else', () => {
    const view = [user('u1'), step('s1', [], { finish: 'stop' }), waiting];
    const [first, answered, last] = toArray(wrapQueued(view));
    expect([first, answered]).toEqual(view.slice(0, 2));
    expect(last?.parts).toEqual([
      text(expect.any(String), wrapped('look at this')),
      ...waiting.parts.slice(1),
    ]);
  });

  it.each([
    ['before any step', [waiting]],
    ['that a step has answered', [user('u1'), waiting, step('s1', [], { finish: 'stop' })]],
  ])('leaves a prompt as it is %s', (_, view) => {
    expect(wrapQueued(view)).toBe(view);
  });
});

describe('continueMessage', () => {
  const opencode = policies['opencode-1.2.16'].resume;
  const document = policies['document-002'].resume;
  const plain = resumeTexts['v1.1.57'];

  it.each([
    ['asks to go on or to ask', opencode, false, plain],
    ['explains a refusal first', opencode, true, `${REFUSAL_NOTE}\n\n${plain}`],
    ['asks to go on', document, false, resumeTexts['v1.0.69']],
    ['explains nothing where the policy does not', document, true, resumeTexts['v1.0.69']],
  ])('%s', (...[, policy, afterRefusal, expected]) => {
    expect(continueMessage(policy, { afterRefusal, requestOf: () => '' }, testTools(9))).toEqual([
      {
        id: 'message-2',
        role: 'user',
        createdAt: 9,
        parts: [text('part-1', expected, { synthetic: true })],
      },
    ]);
  });

  it.each([
    ['no text', {}],
    ['the text `none`', { continueText: 'none' }],
  ] as const)('says nothing where the policy has %s', (_, texts) => {
    const { continueText: _text, ...rest } = opencode;
    const options = { afterRefusal: true, requestOf: () => '' };
    expect(continueMessage({ ...rest, ...texts }, options, testTools())).toEqual([]);
  });
});

describe('createMarker', () => {
  it.each([
    [true, true],
    [true, false],
    [false, false],
  ])('is a user message with one compaction part (auto %s, overflow %s)', (auto, overflow) => {
    expect(createMarker({ auto, overflow }, testTools(5))).toEqual({
      id: 'message-2',
      role: 'user',
      createdAt: 5,
      parts: [{ type: 'compaction', id: 'part-1', auto, overflow }],
    });
  });
});

const policy = policies['codex-local'];
const quote = (messages: readonly Message[], tokens: number) =>
  quotePrompts(messages, { keep: 'user-messages', tokens }, policy);

describe('unansweredFrom', () => {
  it.each<[string, readonly Message[], number]>([
    ['the prompt at the end', [user('u1'), step('s1'), user('u2'), marker('c1')], 2],
    ['the first of several', [step('s1'), user('u1'), user('u2')], 1],
    ['none where a step is newer', [user('u1'), step('s1'), marker('c1')], -1],
    ['none that a summary stands for', [marker('c1'), user('q1'), summary('m1', 'c1')], -1],
    ['none in an empty view', [], -1],
  ])('is %s', (_, view, expected) => {
    expect(unansweredFrom(view)).toBe(expected);
  });
});

describe('quotePrompts', () => {
  const messages = [
    user('u1', 'a'.repeat(40)),
    step('s1'),
    user('u2', 'b'.repeat(20), file('f1', 'image/png'), 'c'.repeat(19)),
    marker('c1'),
    user('u3', text('t1', 'Continue.', { synthetic: true }), text('t2', 'x', { ignored: true })),
    user('u4', file('f2', 'image/png')),
    user('u5', 'd'.repeat(40)),
  ];
  const [a, both, d] = ['a'.repeat(40), `${'b'.repeat(20)}\n${'c'.repeat(19)}`, 'd'.repeat(40)];

  it.each([
    ['all that was said, the oldest first', 30, [a, both, d]],
    ['the newest that fit', 20, [both, d]],
    [
      'the middle left out of the one that does not fit',
      15,
      [`${'b'.repeat(10)}\n[20 characters left out]\n${'c'.repeat(10)}`, d],
    ],
    ['nothing without a budget', 0, []],
  ])('quotes %s', (_, tokens, expected) => {
    expect(quote(messages, tokens)).toEqual(expected);
  });

  it('makes a message of each, which a person said', () => {
    expect(quoteMessages(['x', 'y'], testTools(9))).toEqual([
      { ...user('message-1', text('part-2', 'x')), createdAt: 9 },
      { ...user('message-3', text('part-4', 'y')), createdAt: 9 },
    ]);
  });
});

const policyOfReread = policies['qwen-code'];
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
  rereadFiles(messages, { ...ample, ...rules }, policyOfReread);

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
