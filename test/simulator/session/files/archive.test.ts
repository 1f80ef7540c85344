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

const BOMB = ['samples/1_epoch_1.json', ' '.repeat(17 * 2 ** 20)] as const;
/** The archive with another size of its only file in its directory. */
const withSize = (bytes: Buffer, at: number, size: number) => {
  bytes.writeUInt32LE(size, bytes.indexOf('PK\u0001\u0002') + at);
  return bytes;
};
const concealed = (bytes: Buffer) => withSize(bytes, 24, 100);

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

  it('gives what can be read of one that is damaged, and says so', () => {
    const bytes = zipOf([['header.json', header], files[2], ['samples/2_epoch_1.json', again]]);
    const torn = bytes.indexOf('samples/2') + 30;
    const path = write('log.eval', bytes.fill(1, torn, torn + 99));
    const kept = { state: 'read', session: { sessionId: 'kettle-2' } };
    const reason = expect.stringMatching(/to be a whole archive, got one that is damaged: /);
    expect(load(path)).toMatchObject([kept, { state: 'unread', reason }]);
  });

  it.each<[string, (bytes: Buffer) => Uint8Array, RegExp]>([
    ['cut off', (bytes) => bytes.subarray(0, bytes.length / 2), /got one without a directory/],
    ['of something else', () => zipOf([['a.txt', 'x']]), /got an archive with files "a.txt"/],
    ['whose file is broken', (bytes) => bytes.fill(1, 100, 400), /got one that is damaged: inv/],
    ['of what fills the memory', () => zipOf([BOMB]), /200 times .*, got 17 MB from \d\d kB\.$/],
    ['that conceals it', () => concealed(zipOf([BOMB])), /, got more than 16 MB from \d\d kB\.$/],
  ])('that is %s is refused in a sentence', (_, change, reason) => {
    const [loaded] = load(write('log.eval', change(zipOf(files.slice(2, 3)))));
    expect(loaded).toMatchObject({ state: 'unread', reason: expect.stringMatching(reason) });
  });
});
