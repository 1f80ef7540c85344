import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverSessionFiles } from '../../../../src/simulator/session/files/discover.ts';
import { loadSessions, readSessions } from '../../../../src/simulator/session/load.ts';
import { createFolder, recording } from '../../../support/session-files.ts';
import { zipOf } from '../../../support/zip.ts';

const log = JSON.parse(recording('inspect-ai.json')) as { samples: object[] };
const [sample = {}] = log.samples;
const header = JSON.stringify({ ...log, samples: undefined });
const again = JSON.stringify({ ...sample, uuid: 'kettle-2' });
const files = [
  ['header.json', header],
  ['samples/1_epoch_1.json', '{}'],
  ['samples/1_epoch_2.json', again],
  ['summaries.json', '[]'],
  ['samples/1_epoch_1.json', JSON.stringify(sample)],
] as const;

const write = (name: string, bytes: Uint8Array) => {
  const path = join(createFolder(), name);
  writeFileSync(path, bytes);
  return path;
};
const load = (path: string) => [...loadSessions([path])];

describe('an archive', () => {
  it('gives the sessions that its document gives, the last of files with one name', () => {
    const path = write('log.eval', zipOf(files));
    const [whole] = readSessions('x', recording('inspect-ai.json'));
    const sessions = load(path).map((one) => (one.state === 'read' ? one.session : one.reason));
    expect(sessions).toEqual([
      { ...whole, name: `${path}#0` },
      { ...whole, name: `${path}#1`, sessionId: 'kettle-2' },
    ]);
    expect(discoverSessionFiles([join(path, '..')]).files).toEqual([path]);
  });

  it.each<[string, (bytes: Buffer) => Uint8Array, RegExp]>([
    ['cut off', (bytes) => bytes.subarray(0, bytes.length / 2), /got one without a directory/],
    ['of something else', () => zipOf([['a.txt', 'x']]), /got an archive with files "a.txt"/],
    ['whose file is broken', (bytes) => bytes.fill(1, 100, 400), /^Expected to read '.*', got /],
  ])('that is %s is refused in a sentence', (_, change, reason) => {
    const [loaded] = load(write('log.eval', change(zipOf(files.slice(2, 3)))));
    expect(loaded).toMatchObject({ state: 'unread', reason: expect.stringMatching(reason) });
  });
});
