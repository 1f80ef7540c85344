import { describe, expect, it } from 'vitest';
import type { Message, ToolPart } from '../../../../src/engine/index.ts';
import { step, user } from '../../../support/history.ts';
import { traceOf } from '../lab.ts';
import { called, edit, fact, read, say, write } from './sessions.ts';

const LINES = [1, 2, 3]
  .map((nth) => `This is line ${nth} of the file about the old shop.`)
  .join('\n');
const SENTENCE = 'We keep all of the old prices for each new customer.';
const CODE = ['sum', 'tax', 'all']
  .map((of) => `const ${of} = (cart) => cart.${of}.cents;`)
  .join('\n');

/** A check that takes some seconds. */
const check = (id: string, seconds: number) =>
  step(id, [
    called(id, 'bash', { command: 'npm test' }, `3 of the shop pass\nin ${seconds} seconds`),
  ]);

/** Needs of the last step in short: kind, and the newest parts that hold it. */
function needsOf(messages: readonly Message[], given: Parameters<typeof traceOf>[1] = {}) {
  const { all, parts } = traceOf([user('u1'), ...messages], given).references();
  const last = messages.length;
  return all
    .filter((need) => need.step === last)
    .map(({ kind, sources }) =>
      [kind, ...sources.map((side) => parts[side >> 1]?.part.id)].join(' '),
    );
}

describe('a step needs', () => {
  it.each<[string, readonly Message[], readonly string[]]>([
    [
      'lines that it reads again',
      [read('s1', 'f', LINES), read('s2', 'f', LINES)],
      ['given-back s1-read'],
    ],
    ['lines that it edits', [read('s1', 'f', LINES), edit('s2', 'f', LINES)], ['anchor s1-read']],
    [
      'a name',
      [say('s1', 'See collectInvoices.'), say('s2', 'I take collectInvoices.')],
      ['name s1-said'],
    ],
    [
      'the newest of several parts that hold a name',
      [say('s1', 'collectInvoices'), say('s2', 'collectInvoices'), say('s3', 'collectInvoices')],
      ['name s2-said'],
    ],
    [
      'a sentence',
      ['Well.', '-'].map((start, at) => say(`s${at + 1}`, `${start} ${SENTENCE}`)),
      ['phrase s1-said'],
    ],
    [
      'lines of code that it writes into another file',
      [read('s1', 'f', CODE), write('s2', 'cart.ts', CODE)],
      ['phrase s1-read'],
    ],
    [
      'no single line of it',
      [read('s1', 'f', CODE), write('s2', 'cart.ts', CODE.slice(0, CODE.indexOf('\n')))],
      [],
    ],
    [
      'a file that it talks of',
      [say('s1', 'See cart-rules.ts.'), say('s2', 'In cart-rules.ts.')],
      ['name s1-said'],
    ],
    [
      'no member of something that nobody named by itself',
      ['s1', 's2'].map((id) => say(id, 'It is page.querySelectorAll(all).')),
      [],
    ],
    ['a number', [say('s1', 'Of 3,871 rows.'), say('s2', 'It is 3,871.')], ['name s1-said']],
    [
      'no lines of another file, even the same',
      [read('s1', 'f.ts', CODE), read('s2', 'g.ts', CODE), edit('s3', 'g.ts', CODE)],
      ['anchor s2-read', 'path s2-read'],
    ],
    [
      'what it asks again with nothing changed, though numbers differ',
      [check('s1', 12), check('s2', 15)],
      ['given-back s1-bash'],
    ],
    [
      'nothing of a check after a change',
      [check('s1', 12), write('s2', 'f', 'x'), check('s3', 12)],
      [],
    ],
    [
      'a file that was named',
      [say('s1', 'See cart-rules.ts.'), read('s2', '/w/cart-rules.ts', 'x')],
      ['path s1-said'],
    ],
    [
      'nothing that nobody told before',
      [say('s1', 'Hm.'), say('s2', 'I take collectInvoices.')],
      [],
    ],
    ['nothing that only it tells', [say('s1', 'collectInvoices')], []],
    [
      'no file that it creates',
      [say('s1', 'See cart-rules.ts.'), write('s2', 'cart-rules.ts', 'x')],
      [],
    ],
    [
      'no file that one opens anyway',
      [say('s1', 'See README.md.'), read('s2', 'README.md', 'x')],
      [],
    ],
    [
      'no tool by its name',
      [
        step('s1', [called('s1', 'read_many_files', {}, 'x')]),
        say('s2', 'I call read_many_files.'),
        say('s3', 'I call read_many_files.'),
      ],
      [],
    ],
  ])('%s', (_, messages, expected) => {
    expect(needsOf(messages)).toEqual(expected);
  });

  it('nothing that the system prompt tells', () => {
    const messages = ['s1', 's2'].map((id) => say(id, 'collectInvoices'));
    expect(needsOf(messages, { system: 'Use collectInvoices.' })).toEqual([]);
  });

  it('what a generated session declares, wherever it stands', () => {
    const facts = [fact({ value: 'ledger_82', step: 1, neededAt: [3] })];
    const messages = [
      read('s1', 'f', 'It is ledger_82.'),
      say('s2', 'So ledger_82.'),
      say('s3', 'Ok.'),
    ];
    expect(needsOf(messages, { facts })).toEqual(['declared s2-said']);
  });
});

describe('a need', () => {
  const needing = (part: ToolPart) => {
    const messages = [user('u1'), step('s1', [part]), edit('s2', 'f', LINES)];
    return traceOf(messages)
      .references()
      .all.find(({ kind }) => kind === 'anchor');
  };

  it.each<[string, ToolPart, boolean]>([
    ['a read', called('s1', 'read', { filePath: 'f' }, LINES), true],
    ['a command that only tells', called('s1', 'bash', { command: 'npm test' }, LINES), true],
    ['a write', called('s1', 'Write', { file_path: 'f', content: 'x' }, LINES), false],
    ['the work of another agent', called('s1', 'Task', { prompt: 'x' }, LINES), false],
  ])('knows the call that brings it back: %s', (_, part, isBack) => {
    expect(needing(part)?.call?.id).toBe(isBack ? part.id : undefined);
    expect(needing(part)?.isRecoverable).toBe(true);
  });

  it('is brought back by the newest read of the file where no output holds it', () => {
    const messages = [
      user('u1'),
      read('s1', 'f', 'old'),
      write('s2', 'f', LINES),
      edit('s3', 'f', LINES),
    ];
    const anchor = traceOf(messages)
      .references()
      .all.find(({ kind }) => kind === 'anchor');
    expect(anchor?.call?.id).toBe('s1-read');
  });

  it('has no call where the step itself reads it again, and no price where it is words', () => {
    const messages = [user('u1'), read('s1', 'f', LINES), read('s2', 'f', LINES), say('s3', LINES)];
    const { all } = traceOf(messages).references();
    expect(all.map(({ kind, call, isRecoverable }) => [kind, call, isRecoverable])).toEqual([
      ['given-back', undefined, true],
      ['phrase', undefined, false],
    ]);
  });
});
