import { describe, expect, it } from 'vitest';
import { isMedia, mediaNote, stripMedia } from '../../../src/engine/index.ts';
import { frozen } from '../../../src/engine/frozen.ts';
import { file, step, text, tool, toolIn, user } from '../../support/history.ts';

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
