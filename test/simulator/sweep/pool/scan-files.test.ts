import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { scanFiles } from '../../../../src/simulator/sweep/pool/scan-files.ts';
import { chatOf, createFolder, fixture, writeFile } from '../../../support/session-files.ts';

const CHECK_BYTES = 16;

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

  it('keeps neither texts nor paths', async () => {
    const [folder, keptIn] = [createFolder(), createFolder()];
    const words = 'Question 1';
    await scanFiles({ files: [writeFile(folder, 'chat.json', chatOf(2))], keptIn });
    const found = join(keptIn, 'found');
    for (const name of readdirSync(found)) {
      const kept = inflateRawSync(readFileSync(join(found, name)).subarray(CHECK_BYTES));
      for (const text of [words, 'chat.json', folder]) expect(kept.includes(text)).toBe(false);
    }
  });
});
