import { describe, expect, it } from 'vitest';
import {
  isMedia,
  mediaNote,
  type Message,
  type Part,
  stripMedia,
} from '../../../src/engine/index.ts';
import { flattenMessage, shortenOutputs } from '../../../src/engine/pivot/flatten.ts';
import { frozen } from '../../../src/engine/values.ts';
import { file, step, text, tool, toolIn, user } from '../../support/history.ts';

const options = { clearedOutput: '[gone]', toolOutputChars: 5 };
const call = '[Assistant tool call]: bash({"id":"t"})';
const reasoning = (value: string): Part => ({ type: 'reasoning', id: 'r', text: value });

describe('flattenMessage', () => {
  it.each<[string, Message, string]>([
    ['says who asked', user('u', 'one', 'two'), '[User]: one\n[User]: two'],
    ['leaves an empty prompt out', user('u', 'one', ''), '[User]: one'],
    ['leaves an ignored text out', user('u', text('i', 'x', { ignored: true }), 'y'), '[User]: y'],
    ['names a file', user('u', file('f', 'text/csv')), '[Attached text/csv: f.bin]'],
    ['says nothing of a sub-task', user('u', { type: 'subtask', id: 'k', prompt: 'x' }), ''],
    ['says who answered', step('s', [text('a', 'yes')]), '[Assistant]: yes'],
    ['leaves an empty answer out', step('s', [text('a', ''), text('b', 'b')]), '[Assistant]: b'],
    [
      'leaves an ignored answer out, which no model is sent',
      step('s', [text('i', 'x', { ignored: true }), text('b', 'b')]),
      '[Assistant]: b',
    ],
    ['tells reasoning apart', step('s', [reasoning('hm')]), '[Assistant reasoning]: hm'],
    ['leaves empty reasoning out', step('s', [reasoning(''), text('b', 'b')]), '[Assistant]: b'],
    [
      'has no line for the beginning of a request',
      step('s', [{ type: 'step-start', id: 'b' }, text('a', 'yes')]),
      '[Assistant]: yes',
    ],
    [
      'keeps an output as long as allowed',
      step('s', [tool('t', 5)]),
      `${call}\n[Tool result]: xxxxx`,
    ],
    [
      'cuts a longer output',
      step('s', [tool('t', 6)]),
      `${call}\n[Tool result]: xxxxx\n[truncated]`,
    ],
    [
      'puts a sentence where an output was cleared',
      step('s', [tool('t', 'out', { compactedAt: 1 })]),
      `${call}\n[Tool result]: [gone]`,
    ],
    [
      'tells an error apart',
      step('s', [toolIn('t', { status: 'error', input: { id: 't' }, error: 'no' })]),
      `${call}\n[Tool error]: no`,
    ],
    [
      'has no result of a call that has not come back',
      step('s', [toolIn('t', { status: 'running', input: { id: 't' } })]),
      call,
    ],
  ])('%s', (...[, message, expected]) => {
    expect(flattenMessage(frozen(message), options)).toBe(expected);
  });
});

describe('isMedia', () => {
  it.each<[string, boolean]>([
    ['image/png', true],
    ['image/svg+xml', true],
    ['application/pdf', true],
    ['application/json', false],
    ['text/plain', false],
    ['video/mp4', false],
    ['x-image/png', false],
  ])('%s: %s', (mime, expected) => {
    expect(isMedia(file('f', mime))).toBe(expected);
  });
});

describe('mediaNote', () => {
  it('names type and file', () => {
    expect(mediaNote(file('f', 'image/png', { filename: 'cat.png' }))).toBe(
      '[Attached image/png: cat.png]',
    );
  });

  it('calls a file without a name a file', () => {
    expect(mediaNote(file('f', 'application/pdf', { filename: undefined }))).toBe(
      '[Attached application/pdf: file]',
    );
  });
});

describe('stripMedia', () => {
  it('turns media into a line of text and leaves other files', () => {
    const message = user('u1', 'see', file('i', 'image/png'), file('c', 'text/csv'));
    expect(stripMedia(frozen([message]))).toEqual([
      user('u1', 'see', text('i', '[Attached image/png: i.bin]'), file('c', 'text/csv')),
    ]);
  });

  it('takes every attachment from completed calls, media or not', () => {
    const attachments = [file('i', 'image/png'), file('c', 'text/csv')];
    const message = step('s1', [tool('t1', 'out', { attachments, compactedAt: 1 })]);
    expect(stripMedia(frozen([message]))).toEqual([
      step('s1', [tool('t1', 'out', { compactedAt: 1 })]),
    ]);
  });

  it('hands calls without attachments on as they are, beside one that has some', () => {
    const attachments = [file('i', 'image/png')];
    const parts = [
      tool('t1', 'out', { attachments }),
      tool('t2', 'out', { attachments: [] }),
      toolIn('t3', { status: 'running', input: {} }),
    ];
    const [stripped] = stripMedia(frozen([step('s1', parts)]));
    expect(stripped?.parts[1]).toBe(parts[1]);
    expect(stripped?.parts[2]).toBe(parts[2]);
  });

  it('hands messages without media on as they are', () => {
    const messages = frozen([
      user('u1', file('c', 'text/csv')),
      step('s1', [
        tool('t1', 'out'),
        tool('t2', 'out', { attachments: [] }),
        toolIn('t3', { status: 'running', input: {} }),
      ]),
    ]);
    const stripped = stripMedia(messages);
    expect(stripped[0]).toBe(messages[0]);
    expect(stripped[1]).toBe(messages[1]);
  });
});

const short: readonly [string, Part][] = [
  ['a text', text('p', 'longer than five')],
  ['an output as long as allowed', tool('t', 5)],
  ['a shorter output', tool('t', 4)],
  ['a cleared output', tool('t', 6, { compactedAt: 1 })],
  ['a call that failed', toolIn('t', { status: 'error', input: {}, error: 'longer than five' })],
  ['a call that has not come back', toolIn('t', { status: 'running', input: {} })],
];

describe('shortenOutputs', () => {
  it('cuts a longer output and says what was left out', () => {
    expect(shortenOutputs(frozen([step('s', [tool('t', 8)])]), 5)).toEqual([
      step('s', [tool('t', 'xxxxx\n[Tool output truncated for compaction: omitted 3 chars]')]),
    ]);
  });

  it.each(short)('hands a message with only %s on as it is', (_, part) => {
    const messages = frozen([step('s', [part])]);
    expect(shortenOutputs(messages, 5)[0]).toBe(messages[0]);
  });

  it.each(short)('hands %s beside a longer output on as it is', (_, part) => {
    const [shortened] = shortenOutputs(frozen([step('s', [part, tool('long', 8)])]), 5);
    expect(shortened?.parts[0]).toBe(part);
  });
});
