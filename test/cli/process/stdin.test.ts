import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readsStdin, readStdin } from '../../../src/cli/process/stdin.ts';
import { captureIo } from '../../support/captured-io.ts';
import { createFolder, writeFile } from '../../support/session-files.ts';

const MEGABYTE = Buffer.alloc(2 ** 20);
const TOLD =
  'Expected to read standard input, got more than the 512 MB that can be read at once; split it into several files.';

function read(chunks: () => Iterable<Uint8Array>) {
  const stdin = {
    destroy: () => undefined,
    async *[Symbol.asyncIterator]() {
      yield* chunks();
    },
  };
  return readStdin({ ...captureIo(), stdin });
}

function* endless(): Generator<Uint8Array> {
  for (;;) yield MEGABYTE;
}

function* tooLong(): Generator<Uint8Array> {
  yield MEGABYTE;
  throw Object.assign(new Error('x'), { code: 'ERR_STRING_TOO_LONG' });
}

function* broken(): Generator<Uint8Array> {
  yield MEGABYTE;
  throw new Error('the pipe broke');
}

describe('readStdin', () => {
  it('gives all that is piped in as one text', async () => {
    expect(await read(() => [Buffer.from('ket'), Buffer.from('tle')])).toBe('kettle');
  });

  it('refuses what never ends before it fills the memory', async () => {
    await expect(read(endless)).rejects.toMatchObject({ name: 'HarnessError', message: TOLD });
  });

  it('refuses what is too long for one text', async () => {
    await expect(read(tooLong)).rejects.toMatchObject({ name: 'HarnessError', message: TOLD });
  });

  it('passes on any other fault', async () => {
    await expect(read(broken)).rejects.toThrow('the pipe broke');
  });
});

describe('readsStdin', () => {
  const given = writeFile(createFolder(), 'given.json', '[]');

  it.each<
    [string, readonly string[], { readonly isTTY?: boolean; readonly path?: string }, boolean]
  >([
    ['what is piped in', [], {}, true],
    ['a file', [], { path: given }, true],
    ['nothing that a person would type', [], { isTTY: true }, false],
    ['nothing where there is none', [], { path: '/dev/null' }, false],
    ['what is named so, even where there is none', ['-'], { path: '/dev/null' }, true],
    ['nothing where something else is named', ['a.json'], {}, false],
  ])('is right about %s', (_, inputs, { path, ...rest }, expected) => {
    const fd = path === undefined ? undefined : openSync(path, 'r');
    const io = captureIo({ stdin: '' });
    const stdin = Object.assign(io.stdin, rest, fd !== undefined && { fd });
    expect(readsStdin(inputs, { ...io, stdin })).toBe(expected);
    if (fd !== undefined) closeSync(fd);
  });
});
