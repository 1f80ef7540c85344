import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { scanFiles, scanKept } from '../../../../src/simulator/sweep/pool/scan-files.ts';
import { chatOf, createFolder, fixture, writeFile } from '../../../support/session-files.ts';

/** A story is of texts, and not kept. */
function withoutStories(scan: Awaited<ReturnType<typeof scanFiles>>) {
  return scan && { ...scan, sessions: scan.sessions.map((one) => ({ ...one, story: undefined })) };
}

describe('scanFiles', () => {
  it('finds the same in what it kept as in the files, which it need not read as sessions', async () => {
    const [folder, keptIn] = [createFolder(), createFolder()];
    const files = [
      writeFile(folder, 'claude.jsonl', fixture('claude-code.jsonl')),
      writeFile(folder, 'chat.json', chatOf(2)),
      writeFile(folder, 'none.txt', 'nothing'),
    ];
    const scan = async (kept?: string) => withoutStories(await scanFiles({ files, keptIn: kept }));
    const anew = await scan();
    expect(anew?.unread).toHaveLength(1);
    expect(await scan(keptIn)).toEqual(anew);
    const names = readdirSync(join(keptIn, 'found'));
    expect(names).toHaveLength(2);
    expect(await scan(keptIn)).toEqual(anew);
  });

  it('reads a file again that has changed', async () => {
    const [folder, keptIn] = [createFolder(), createFolder()];
    const files = [writeFile(folder, 'chat.json', chatOf(2))];
    const hashes = async () =>
      (await scanFiles({ files, keptIn }))?.sessions.map(({ hash }) => hash);
    const before = await hashes();
    writeFileSync(files[0]!, chatOf(3));
    expect(await hashes()).not.toEqual(before);
    writeFileSync(files[0]!, chatOf(2));
    expect(await hashes()).toEqual(before);
  });

  it('keeps neither texts nor paths', () => {
    const folder = createFolder();
    const file = writeFile(folder, 'chat.json', chatOf(2));
    const kept: Buffer[] = [];
    const keep = {
      get: () => undefined,
      has: () => false,
      put: (_: string, value: unknown) => void kept.push(serialize(value)),
    };
    for (const _ of scanKept(file, { keep, keepTrace: undefined })) expect(kept).toEqual([]);
    expect(kept).toHaveLength(1);
    for (const text of ['Question 1', 'chat.json', folder])
      expect(kept[0]?.includes(text)).toBe(false);
  });
});
