import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCountFile } from '../../../src/simulator/tokens/count-file.ts';
import {
  DIGEST_LENGTH,
  RECORD_BYTES,
  toRecord,
} from '../../../src/simulator/tokens/count-records.ts';

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
  path = join(folder, 'deeper', 'counts');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function digestOf(index: number): string {
  return createHash('sha256').update(`${index}`).digest('base64url').slice(0, DIGEST_LENGTH);
}

/** Keeps the index as the count of each from the first to before the end. */
function keep(first: number, end: number, maxRecords?: number): void {
  const file = createCountFile(path, maxRecords === undefined ? {} : { maxRecords });
  for (let index = first; index < end; index++) file.add(digestOf(index), index);
  file.save();
}

/** Which indices have a count. */
function kept(end: number): number[] {
  const file = createCountFile(path);
  return Array.from({ length: end }, (_, index) => index).filter(
    (index) => file.get(digestOf(index)) === index,
  );
}

describe('createCountFile', () => {
  it('keeps counts for the next process', () => {
    keep(0, 3);
    expect(kept(4)).toEqual([0, 1, 2]);
  });

  it('knows a count before it is written', () => {
    const file = createCountFile(path);
    file.add(digestOf(7), 7);
    expect(file.get(digestOf(7))).toBe(7);
    expect(existsSync(path)).toBe(false);
  });

  it('writes a batch without being asked to', () => {
    const file = createCountFile(path);
    for (let index = 0; index < 600; index++) file.add(digestOf(index), index);
    expect(kept(600)).toHaveLength(500);
    file.save();
    file.save();
    expect(kept(600)).toHaveLength(600);
  });

  it('makes no file where nothing was counted', () => {
    const file = createCountFile(path);
    expect(file.get(digestOf(1))).toBeUndefined();
    file.save();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps what several processes write in turns', () => {
    const files = [0, 1, 2].map(() => createCountFile(path));
    for (let index = 0; index < 30; index++) {
      files[index % 3]?.add(digestOf(index), index);
      files[index % 3]?.save();
    }
    expect(kept(30)).toHaveLength(30);
  });

  it.skipIf(process.platform === 'win32')('lets nobody else look', () => {
    keep(0, 1);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(statSync(join(path, '..')).mode & 0o077).toBe(0);
  });

  it('loses one count at most where a write was cut short', () => {
    keep(0, 2);
    appendFileSync(path, toRecord(digestOf(2), 2)?.slice(0, 20) ?? '');
    keep(3, 5);
    expect(kept(5)).toEqual([0, 1, 3, 4]);
  });

  it.each<[what: string, content: string | Buffer]>([
    [
      'bytes that are no text',
      Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 73) % 256)),
    ],
    ['one endless line', 'a'.repeat(50_000)],
    ['nothing', ''],
  ])('goes on after %s', (_, content) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
    expect(kept(3)).toEqual([]);
    keep(0, 3);
    expect(kept(3)).toEqual([0, 1, 2]);
  });

  it.each<[what: string, prepare: () => void]>([
    ['a folder has its name', () => mkdirSync(path, { recursive: true })],
    ['its folder is a file', () => writeFileSync(join(path, '..'), '')],
  ])('counts on without it where %s', (_, prepare) => {
    prepare();
    expect(() => keep(0, 1_000)).not.toThrow();
    expect(kept(3)).toEqual([]);
  });

  it('stops when it is full', () => {
    keep(0, 50, 10);
    expect(kept(50)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(statSync(path).size).toBeLessThanOrEqual(10 * RECORD_BYTES + 1);
  });

  it('gives a full file up but for its newer half', () => {
    keep(0, 10, 10);
    keep(10, 13, 10);
    expect(kept(20)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    expect(readdirSync(join(path, '..'))).toEqual(['counts']);
  });

  it('reads the end only of a file that is far too large', () => {
    keep(0, 1_000);
    keep(1_000, 1_001, 10);
    expect(kept(2_000)).toEqual([995, 996, 997, 998, 999, 1_000]);
    expect(statSync(path).size).toBe(6 * RECORD_BYTES + 1);
  });
});
