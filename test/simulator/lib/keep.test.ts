import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize } from 'node:v8';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openKeep } from '../../../src/simulator/lib/keep.ts';
import { createFolder } from '../../support/session-files.ts';

const sizeOf = (folder: string) =>
  readdirSync(folder).reduce((total, name) => total + statSync(join(folder, name)).size, 0);

describe('openKeep', () => {
  it('gives another process what was put there, shared objects as one', () => {
    const folder = join(createFolder(), 'kept');
    const shared = { size: 1 };
    openKeep(folder).put('a', new Map([[shared, [shared]]]));
    const kept = openKeep(folder).get('a') as Map<object, object[]>;
    for (const [key, values] of kept) expect(values[0]).toBe(key);
    expect(kept.size).toBe(1);
    expect(openKeep(folder).get('b')).toBeUndefined();
  });

  it.each<[string, (bytes: Buffer, other: Buffer) => Buffer]>([
    ['cut', (bytes) => bytes.subarray(0, bytes.length - 1)],
    [
      'changed',
      (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1)! ^ 1])]),
    ],
    ['empty', () => Buffer.alloc(0)],
    ['put there under another key', (_, other) => other],
  ])('has no value of a file that was %s, and takes it again', (_, damage) => {
    const folder = createFolder();
    const keep = openKeep(folder);
    keep.put('a', 'value');
    const path = join(folder, readdirSync(folder)[0]!);
    keep.put('b', 1);
    const other = readdirSync(folder).find((name) => !path.endsWith(name))!;
    writeFileSync(path, damage(readFileSync(path), readFileSync(join(folder, other))));
    expect(keep.get('a')).toBeUndefined();
    keep.put('a', 'value');
    expect(keep.get('a')).toBe('value');
  });

  it('shows nothing of a value to whoever does not know its key', () => {
    const folder = createFolder();
    openKeep(folder).put('a', 'gateway.corp.internal'.repeat(9));
    const bytes = readFileSync(join(folder, readdirSync(folder)[0]!));
    const readAt = (start: number) => {
      try {
        return [deserialize(inflateRawSync(bytes.subarray(start))) as unknown];
      } catch {
        return [];
      }
    };
    expect(Array.from(bytes, (_, start) => start).flatMap(readAt)).toEqual([]);
  });

  it('has no value of another kind', () => {
    const folder = createFolder();
    openKeep(folder).put('a', 'text');
    expect(openKeep(folder, { isOne: Array.isArray }).get('a')).toBeUndefined();
  });

  it('lets old values go where there is no room for new ones', () => {
    const folder = createFolder();
    const keep = openKeep(folder, { maxBytes: 20_000 });
    for (let index = 0; index < 40; index++) {
      const values = Array.from({ length: 400 }, (_, at) => Math.sin(index * 400 + at));
      keep.put(String(index), values);
    }
    expect(sizeOf(folder)).toBeLessThanOrEqual(20_000);
    expect(keep.get('39')).toHaveLength(400);
    expect(keep.get('0')).toBeUndefined();
  });

  it('forgets without a folder, or in one that cannot be written', () => {
    const file = join(createFolder(), 'file');
    writeFileSync(file, '');
    for (const folder of [undefined, join(file, 'below')]) {
      const keep = openKeep(folder);
      keep.put('a', 1);
      expect(keep.get('a')).toBeUndefined();
    }
  });
});
