import { EventEmitter, getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { hasColors, terminalOf, writePieces } from '../../../src/cli/process/io.ts';
import { type CapturedIoOptions, captureIo } from '../../support/captured-io.ts';

describe('hasColors', () => {
  it.each<[string, CapturedIoOptions, boolean]>([
    ['a pipe', {}, false],
    ['a terminal', { isTTY: true }, true],
    ['a terminal that has none', { isTTY: true, env: { TERM: 'dumb' } }, false],
    ['a terminal of somebody who wants none', { isTTY: true, env: { NO_COLOR: '1' } }, false],
    ['an empty NO_COLOR', { isTTY: true, env: { NO_COLOR: '' } }, true],
    ['a pipe of somebody who wants them', { env: { FORCE_COLOR: '1' } }, true],
    ['an empty FORCE_COLOR', { env: { FORCE_COLOR: '' } }, false],
    ['a terminal where they are forced off', { isTTY: true, env: { FORCE_COLOR: '0' } }, false],
    ['a CI log', { env: { CI: '1' } }, false],
    ['somebody who wants both', { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }, false],
  ])('decides for %s', (_, options, expected) => {
    expect(hasColors(captureIo(options))).toBe(expected);
  });
});

describe('terminalOf', () => {
  const terminal = { isTTY: true, columns: 100 };

  it.each<[string, CapturedIoOptions, string | undefined, ReturnType<typeof terminalOf>]>([
    ['a terminal', terminal, undefined, { colors: true, terminalColumns: 100 }],
    ['a terminal that says it has none', { isTTY: true, columns: 0 }, undefined, { colors: true }],
    ['a pipe of a terminal', { columns: 100 }, undefined, { colors: false }],
    ['a file', terminal, 'report.txt', { colors: false }],
  ])('tells what fits into %s', (_, options, out, expected) => {
    expect(terminalOf(captureIo(options), out)).toEqual(expected);
  });
});

/** Somebody who takes one piece at a time. */
function slowReader(controller = new AbortController()) {
  const taken: string[] = [];
  const stdout = Object.assign(new EventEmitter(), {
    write: (piece: string) => {
      taken.push(piece);
      return false;
    },
  });
  const { signal } = controller;
  const io = { ...captureIo({ signal }), stdout: stdout as never };
  return { io, stdout, taken, controller, signal };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('writePieces', () => {
  it('writes the next piece when the one before is taken', async () => {
    const { io, stdout, taken, signal } = slowReader();
    const written = writePieces(io, ['one', 'two']);
    await turn();
    expect(taken).toEqual(['one']);
    stdout.emit('drain');
    await turn();
    stdout.emit('drain');
    expect(await written).toBe(true);
    expect(taken).toEqual(['one', 'two']);
    expect([stdout.listenerCount('drain'), getEventListeners(signal, 'abort').length]).toEqual([
      0, 0,
    ]);
  });

  it('ends where nobody takes a piece and the user wants to stop', async () => {
    const { io, taken, controller } = slowReader();
    const written = writePieces(io, ['one', 'two']);
    await turn();
    controller.abort();
    expect(await written).toBe(false);
    expect(taken).toEqual(['one']);
  });

  it('ends where the write itself has the user stop', async () => {
    const { io, stdout, controller } = slowReader();
    stdout.write = () => {
      controller.abort();
      return false;
    };
    await writePieces(io, ['one', 'two']);
    expect(stdout.listenerCount('drain')).toBe(0);
  });
});
