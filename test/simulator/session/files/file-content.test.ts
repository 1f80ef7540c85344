import { execFileSync } from 'node:child_process';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  keepChunks,
  openContent,
  splitLines,
} from '../../../../src/simulator/session/files/file-content.ts';
import { linesIn } from '../../../../src/simulator/session/files/source-file.ts';
import type { SourceLine } from '../../../../src/simulator/session/format.ts';
import { loadSessions } from '../../../../src/simulator/session/load.ts';
import { createFolder } from '../../../support/session-files.ts';

const folder = createFolder();
const PATH = join(folder, 'kettle.txt');
const MEGABYTE = Buffer.alloc(2 ** 20);
const LINES = Array.from({ length: 9_000 }, (_, index) => `line ${index} of ü`);
const textsOf = (lines: Iterable<SourceLine>) => [...lines].map(({ text }) => text);

describe('openContent', () => {
  it('gives the same lines and the same text, however often they are asked for', () => {
    const content = openText(LINES.join('\n'));
    const [first] = content.linesWith('');
    expect(first).toEqual({ text: 'line 0 of ü', startByte: 0 });
    expect(textsOf(content.linesWith(''))).toEqual(LINES);
    expect(content.readText()).toBe(LINES.join('\n'));
    expect(content.readText()).toBe(LINES.join('\n'));
    expect(textsOf(content.linesWith(''))).toEqual(LINES);
    expect(textsOf(content.takeLines())).toEqual(LINES);
  });

  it('gives lines for the last time behind some that were looked at', () => {
    const content = openText(LINES.join('\n'));
    const [first] = content.linesWith('');
    expect(first?.text).toBe(LINES[0]);
    expect(textsOf(content.takeLines())).toEqual(LINES);
  });

  it('gives a part as if it were the whole', () => {
    writeFileSync(PATH, 'tea\nwäter\ncup\n');
    const content = openContent(PATH, { startByte: 4, endByte: 11 });
    expect([...content.linesWith('')]).toEqual([
      { text: 'wäter', startByte: 4 },
      { text: '', startByte: 11 },
    ]);
    expect(content.readText()).toBe('wäter\n');
  });

  it.each([
    ['UTF-16', Buffer.from('\uFEFFtéa\ncup', 'utf16le')],
    ['UTF-16 the other way round', Buffer.from('\uFEFFtéa\ncup', 'utf16le').swap16()],
    ['marked UTF-8', Buffer.from('\uFEFFtéa\ncup')],
  ])('gives the lines of %s', (_, bytes) => {
    writeFileSync(PATH, bytes);
    const content = openContent(PATH);
    expect(textsOf(content.linesWith(''))).toEqual(['téa', 'cup']);
    expect(textsOf(content.takeLines())).toEqual(['téa', 'cup']);
  });

  it('has little of a file that no text can hold', () => {
    writeFileSync(PATH, '');
    truncateSync(PATH, 2 ** 32);
    const before = process.memoryUsage().arrayBuffers;
    const content = openContent(PATH);
    expect(() => textsOf(content.linesWith(''))).toThrow('ERR_STRING_TOO_LONG');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 * MEGABYTE.length);
    const reason = `Expected to read '${PATH}', got more than the 512 MB that can be read at once; split it into several files.`;
    expect([...loadSessions([PATH])]).toEqual([{ state: 'unread', file: PATH, reason }]);
    rmSync(PATH);
  });

  it.runIf(process.platform === 'linux')('reads a pipe, which gives everything once', () => {
    const pipe = join(folder, 'pipe');
    const fixture = join(import.meta.dirname, '../../../fixtures/sessions/canonical.jsonl');
    const script = 'mkfifo "$1"; cat "$0" > "$1" &';
    execFileSync('sh', ['-c', script, fixture, pipe], { stdio: 'ignore' });
    expect([...loadSessions([pipe])]).toMatchObject([{ state: 'read', session: { name: pipe } }]);
  });
});

describe('keepChunks', () => {
  it('refuses what never ends before it fills the memory', () => {
    const kept = keepChunks(endless(), 8 * MEGABYTE.length);
    expect(() => [...kept.each()]).toThrow('ERR_STRING_TOO_LONG');
  });
});

function openText(text: string) {
  writeFileSync(PATH, text);
  return openContent(PATH);
}

function* endless(): Generator<Buffer, void> {
  for (;;) yield MEGABYTE;
}

/** Characters of one to four bytes, marks and bytes of no character among them. */
const pieces = fc.constantFrom(
  ...['\n', '\r\n', 'a', 'é', '水', '😀', '\uFEFF', ''].map((text) => Buffer.from(text)),
  Buffer.from([0xff]),
  Buffer.from([0xe6, 0xb0]),
);
const contents = fc.array(pieces, { maxLength: 30 }).map((all) => Buffer.concat(all));

describe('splitLines', () => {
  it('gives the lines of the whole text, wherever its chunks end', () => {
    fc.assert(
      fc.property(contents, fc.integer({ min: 1, max: 7 }), (bytes, size) => {
        const lines = [...splitLines(chunksOf(bytes, size), 0)].map(({ text }) => text);
        const whole = new TextDecoder().decode(bytes);
        expect(lines).toEqual([...linesIn(whole)].map(({ text }) => text));
        expect(lines).toEqual(whole.split('\n'));
      }),
    );
  });

  it('leaves out lines without a part, as in a text', () => {
    const part = fc.constantFrom('a', 'é', '水', '\r', 'aa');
    fc.assert(
      fc.property(contents, part, (bytes, wanted) => {
        const all = [...splitLines(chunksOf(bytes, 3), 0)];
        const some = all.filter(({ text }) => text.includes(wanted));
        expect([...splitLines(chunksOf(bytes, 3), 0, wanted)]).toEqual(some);
        const texts = [...linesIn(new TextDecoder().decode(bytes), wanted)];
        expect(texts).toEqual(some.map(({ text }) => ({ text })));
      }),
    );
  });

  it('tells where each line begins', () => {
    const [, ...lines] = splitLines(chunksOf(Buffer.from('水\n\né\r\nx'), 2), 100);
    expect(lines).toEqual([
      { text: '', startByte: 104 },
      { text: 'é\r', startByte: 105 },
      { text: 'x', startByte: 109 },
    ]);
  });

  it('refuses a line that never ends before it fills the memory', () => {
    expect(() => [...splitLines(endlessOfSplitLines(), 0)]).toThrow('ERR_STRING_TOO_LONG');
  });
});

function chunksOf(bytes: Buffer, size: number): readonly Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

function* endlessOfSplitLines(): Generator<Buffer> {
  for (;;) yield MEGABYTE;
}
