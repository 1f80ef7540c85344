import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from 'node:process';
import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../../src/simulator/lib/errors.ts';
import {
  createDraft,
  decodeText,
  describeFailure,
  describeFault,
  faultCode,
  makeFolder,
  readTextFile,
  statOf,
  writeTogether,
  writeWhole,
} from '../../../src/simulator/lib/files.ts';
import { createFolder } from '../../support/session-files.ts';

describe('makeFolder', () => {
  it('makes what lacks, and leaves what is there', () => {
    const folder = createFolder();
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a/file'), '');
    makeFolder(join(folder, 'a/b/c'));
    makeFolder(join(folder, 'a/b/c'));
    makeFolder('.');
    expect(readdirSync(join(folder, 'a')).toSorted()).toEqual(['b', 'file']);
    expect(readdirSync(join(folder, 'a/b/c'))).toEqual([]);
  });

  it.skipIf(platform === 'win32')('gives every new folder the rights that are asked for', () => {
    const folder = createFolder();
    makeFolder(join(folder, 'a/b'), { mode: 0o700 });
    const rights = ['a', 'a/b'].map((name) => statSync(join(folder, name)).mode & 0o777);
    expect(rights).toEqual([0o700, 0o700]);
  });

  it('throws what the system says of a file, and of a link to nothing', () => {
    const folder = createFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'absent'), join(folder, 'link'));
    expect(() => makeFolder(join(folder, 'file'))).toThrow(/EEXIST/);
    expect(() => makeFolder(join(folder, 'file/below'))).toThrow(/ENOTDIR/);
    expect(() => makeFolder(join(folder, 'link'))).toThrow(/EEXIST/);
  });
});

it('finds what is there, and nothing where nothing can be', () => {
  expect(statOf(import.meta.dirname)?.isDirectory()).toBe(true);
  expect(statOf(import.meta.filename)?.isFile()).toBe(true);
  expect(statOf(join(import.meta.dirname, '../none'))).toBeUndefined();
  expect(statOf(join(import.meta.filename, 'below'))).toBeUndefined();
});

it('tells in words where it may not look', () => {
  const tooLong = 'x'.repeat(5_000);
  expect(() => statOf(tooLong)).toThrow(HarnessError);
  expect(() => statOf(tooLong)).toThrow(
    /to be a readable file or folder, got a name that is too long\.$/,
  );
});

function faultOf(path: string): unknown {
  try {
    return readFileSync(path);
  } catch (error) {
    return error;
  }
}

describe('describeFailure', () => {
  it('has words for a fault of the system, and quotes anything else', () => {
    expect(describeFailure(faultOf(tmpdir()))).toBe('a folder');
    expect(describeFailure(new SyntaxError('no JSON'))).toBe("'no JSON'");
  });
});

describe('describeFault', () => {
  it.each([
    ['a path at which nothing stands', join(tmpdir(), 'no', 'such'), 'nothing at that path'],
    ['a folder', tmpdir(), 'a folder'],
    ['a path below a file', join(import.meta.filename, 'below'), 'a path inside a file'],
    ['a name of a thousand letters', join(tmpdir(), 'x'.repeat(1_000)), 'a name that is too long'],
  ])('says in words what is wrong with %s', (_, path, words) => {
    expect(describeFault(faultOf(path))).toBe(words);
  });

  it.each(['ERR_STRING_TOO_LONG', 'ERR_FS_FILE_TOO_LARGE'])('tells the way out of %s', (code) => {
    expect(describeFault(Object.assign(new Error('x'), { code }))).toBe(
      'more than the 512 MB that can be read at once; split it into several files',
    );
  });

  it.each([
    [
      'a fault without words by its code',
      Object.assign(new Error('many'), { code: 'EXDEV' }),
      'EXDEV',
    ],
    ['anything else as it is', 'odd', 'odd'],
  ])('tells %s', (_, fault, told) => {
    expect([describeFault(fault), faultCode(fault)]).toEqual([told, told]);
  });
});

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

const rightsOf = (file: string) => statSync(file).mode & 0o777;

describe.skipIf(platform === 'win32')('a file that is written whole', () => {
  it.each([0o600, 0o666])('keeps the rights that it had: %d', (rights) => {
    const file = join(createFolder(), 'file');
    writeFileSync(file, 'old');
    chmodSync(file, rights);
    writeWhole(file, 'new', { mode: 0o640 });
    expect([readFileSync(file, 'utf8'), rightsOf(file)]).toEqual(['new', rights]);
    const draft = createDraft(file);
    writeFileSync(draft.path, 'newer');
    draft.keep();
    draft.drop();
    expect([readFileSync(file, 'utf8'), rightsOf(file)]).toEqual(['newer', rights]);
  });

  it('has the rights that are asked for where it is new, in a folder that is made', () => {
    const file = join(createFolder(), 'folder', 'file');
    writeWhole(file, 'text', { mode: 0o600 });
    expect(rightsOf(file)).toBe(0o600);
  });

  it('is the one that a link leads to', () => {
    const folder = createFolder();
    const [file, link] = [join(folder, 'file'), join(folder, 'link')];
    writeFileSync(file, 'old');
    symlinkSync(file, link);
    writeWhole(link, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(folder).toSorted()).toEqual(['file', 'link']);
  });

  it('is as it was where its draft is dropped', () => {
    const folder = createFolder();
    const file = join(folder, 'file');
    writeFileSync(file, 'old');
    const draft = createDraft(file);
    writeFileSync(draft.path, 'half');
    draft.drop();
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['file']);
  });
});

describe('files that are written together', () => {
  it('are all written, also where a folder is made', () => {
    const folder = createFolder();
    const [one, other] = [join(folder, 'one'), join(folder, 'made', 'other')];
    writeFileSync(one, 'old');
    writeTogether(
      new Map([
        [one, 'new'],
        [other, 'first'],
      ]),
    );
    expect([one, other].map((file) => readFileSync(file, 'utf8'))).toEqual(['new', 'first']);
    expect(readdirSync(folder).toSorted()).toEqual(['made', 'one']);
  });

  it('are all as they were where one of them cannot be written', () => {
    const folder = createFolder();
    const [one, other] = [join(folder, 'one'), join(folder, 'other')];
    for (const file of [one, other]) writeFileSync(file, 'old');
    const texts = new Map([
      [one, 'new'],
      [join(other, 'inside'), 'new'],
    ]);
    expect(() => writeTogether(texts)).toThrow(
      `Expected '${other}' to be a folder that can be created, got something that is no folder.`,
    );
    expect([one, other].map((file) => readFileSync(file, 'utf8'))).toEqual(['old', 'old']);
    expect(readdirSync(folder).toSorted()).toEqual(['one', 'other']);
  });
});
