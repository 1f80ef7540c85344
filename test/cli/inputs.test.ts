import { closeSync, openSync, utimesSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findSessions } from '../../src/cli/inputs.ts';
import { captureIo } from '../support/captured-io.ts';
import { createFolder, writeFile } from '../support/session-files.ts';
import { readStdin, readsStdin } from '../../src/cli/commands/stats.ts';

const folder = createFolder();
const line = (type: string, index: number, content: unknown) =>
  JSON.stringify({
    type,
    uuid: `${type}-${index}`,
    sessionId: 's1',
    timestamp: new Date(index * 60_000).toISOString(),
    message: { id: `m-${type}-${index}`, role: type, content },
  });
const lines = [0, 1, 2, 3].flatMap((index) => [
  line('user', index, `Go on with ${index}.`),
  line('assistant', index, [{ type: 'text', text: 'word '.repeat(200) }]),
]);

describe('findSessions', () => {
  const home = createFolder();
  const own = writeFile(`${home}/.claude/projects/app`, 'own.jsonl', lines.join('\n'));
  const old = writeFile(`${home}/.claude/projects/app`, 'old.jsonl', lines.join('\n'));
  utimesSync(old, 0, 0);
  const filesIn = (env: Readonly<Record<string, string>>, demo?: true) => {
    const io = captureIo({ env });
    const { files, isShipped = false } = findSessions([], { demo }, io);
    return { files: isShipped ? 'shipped' : files, stderr: io.written.stderr };
  };

  it('takes the sessions of the last 30 days on this machine', () => {
    expect(filesIn({ HOME: home })).toEqual({ files: [own], stderr: '' });
  });

  it('takes the shipped ones for a demo, and where there are none, which it says', () => {
    expect(filesIn({ HOME: home }, true)).toEqual({ files: 'shipped', stderr: '' });
    expect(filesIn({ HOME: folder })).toEqual({
      files: 'shipped',
      stderr:
        'Note: Found no sessions of agents on this machine: those that come with the program are taken.\n',
    });
  });

  it('shows the sessions of the package by names from which their paths can be told', () => {
    const inputs = findSessions([], { demo: true }, captureIo());
    const shown = inputs.files.map((file) => inputs.nameOf(file));
    expect(shown[0]).toMatch(/^scenarios\/recorded\//);
    expect(shown.map((name) => inputs.pathOf(name))).toEqual(inputs.files);
    expect(inputs.pathOf(`${shown[0]}#1`)).toBe(`${inputs.files[0]}#1`);
  });
});

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
