import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeText, readTextFile } from '../../src/simulator/text-file.ts';
import { createFolder } from '../support/session-files.ts';

describe('decodeText', () => {
  it.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from('té'), 'té'],
    ['marked UTF-8', Buffer.from('\uFEFFtea'), 'tea'],
    ['marked UTF-16, as PowerShell writes it', Buffer.from('\uFEFFté', 'utf16le'), 'té'],
    ['marked UTF-16 the other way round', Buffer.from('\uFEFFté', 'utf16le').swap16(), 'té'],
    ['bytes that are no text', Buffer.from([0x61, 0xff, 0x62]), 'a\uFFFDb'],
    ['nothing', Buffer.from([]), ''],
  ])('reads %s', (_, bytes, expected) => {
    expect(decodeText(bytes)).toBe(expected);
  });
});

function toError(reason: string, cause: unknown) {
  return new Error(`got ${reason}`, { cause });
}

describe('readTextFile', () => {
  const folder = createFolder();

  it('reads a text whatever mark tells how it is written', () => {
    const file = join(folder, 'marked.json');
    writeFileSync(file, Buffer.from('\uFEFF{"té":1}', 'utf16le'));
    expect(readTextFile(file, toError)).toBe('{"té":1}');
  });

  it.each([
    ['a folder', folder],
    ['nothing at that path', join(folder, 'absent')],
  ])('has the caller say that there is %s', (reason, path) => {
    expect(() => readTextFile(path, toError)).toThrow(
      expect.objectContaining({ message: `got ${reason}`, cause: expect.any(Error) }),
    );
  });
});
