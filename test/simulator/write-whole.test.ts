import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { platform } from 'node:process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDraft, writeTogether, writeWhole } from '../../src/simulator/write-whole.ts';
import { createFolder } from '../support/session-files.ts';

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
