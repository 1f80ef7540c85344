import { EventEmitter, getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { writePieces } from '../../../src/cli/process/write-pieces.ts';
import { captureIo } from '../../support/captured-io.ts';

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
