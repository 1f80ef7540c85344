import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSessionStore } from '../../src/cli/session-store.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const root = createFolder();
let made = 0;
const newFolder = () => join(root, `store-${(made += 1)}`);
const contentOf = (folder: string, path: string) => readFileSync(join(folder, path), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();

function* broken(): Generator<string> {
  yield 'half';
  throw new Error('broken');
}

describe('a session store', () => {
  it('writes lines one behind another, in folders that it makes', () => {
    const folder = newFolder();
    const store = createSessionStore(folder);
    expect(store.write('a/b.jsonl', ['1\n', '2\n'])).toEqual({
      path: 'a/b.jsonl',
      isUnchanged: false,
    });
    expect(contentOf(folder, 'a/b.jsonl')).toBe('1\n2\n');
  });

  it('writes texts that are longer than what is gathered', () => {
    const folder = newFolder();
    const lines = Array.from({ length: 300 }, (_, index) => `${'ü'.repeat(9_999)}${index}\n`);
    createSessionStore(folder).write('a.jsonl', lines);
    expect(contentOf(folder, 'a.jsonl')).toBe(lines.join(''));
  });

  it('gives what has the same name a number, also where only the case differs', () => {
    const folder = newFolder();
    const store = createSessionStore(folder);
    const paths = ['a.jsonl', 'a.jsonl', 'A.jsonl'].map((path) => store.write(path, ['x']).path);
    expect(paths).toEqual(['a.jsonl', 'a-2.jsonl', 'A-3.jsonl']);
  });

  it('leaves what lies there as it is, and leaves out what is the same', () => {
    const folder = newFolder();
    writeFile(folder, 'a.jsonl', 'mine');
    const first = createSessionStore(folder);
    expect(first.write('a.jsonl', ['new'])).toEqual({ path: 'a-2.jsonl', isUnchanged: false });
    const second = createSessionStore(folder);
    expect(second.write('a.jsonl', ['new'])).toEqual({ path: 'a-2.jsonl', isUnchanged: true });
    expect(second.write('b.jsonl', ['new']).isUnchanged).toBe(false);
    expect(contentOf(folder, 'a.jsonl')).toBe('mine');
    expect(filesIn(folder)).toEqual(['a-2.jsonl', 'a.jsonl', 'b.jsonl']);
  });

  it('does not follow links to write', () => {
    const folder = newFolder();
    mkdirSync(folder);
    const target = join(root, 'target');
    symlinkSync(target, join(folder, 'a.jsonl'));
    mkdirSync(join(folder, 'b.jsonl'));
    const store = createSessionStore(folder);
    expect(store.write('a.jsonl', ['x']).path).toBe('a-2.jsonl');
    expect(store.write('b.jsonl', ['x']).path).toBe('b-2.jsonl');
    expect(existsSync(target)).toBe(false);
  });

  it('leaves nothing behind when a session breaks off', () => {
    const folder = newFolder();
    expect(() => createSessionStore(folder).write('a.jsonl', broken())).toThrow('broken');
    expect(filesIn(folder)).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['a file', 'file', 'which is not one'],
    ['no name', '', 'got nothing'],
  ])('refuses %s for a folder', (_, name, message) => {
    writeFileSync(join(root, 'file'), '');
    expect(() => createSessionStore(name === '' ? '' : join(root, name))).toThrow(message);
  });
});
