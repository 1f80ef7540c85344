import { execFileSync } from 'node:child_process';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openContent } from '../../../../src/simulator/session/files/file-content.ts';
import { keepChunks } from '../../../../src/simulator/session/files/keep-chunks.ts';
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
