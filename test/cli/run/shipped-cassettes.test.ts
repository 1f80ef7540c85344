import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  RECORDED_AGAINST,
  recordSuite,
  SUITE_FILES,
  SUITE_MODEL,
  SUITE_OPTIONS,
} from '../../../scripts/cassettes/suite.ts';
import { callMain } from '../../support/command.ts';
import { createFolder } from '../../support/session-files.ts';

const folder = createFolder();
const shipped = join(import.meta.dirname, '../../../cassettes/loopback');

describe('the shipped cassettes', () => {
  const files = readdirSync(shipped);

  it('say what they were recorded against, and hold no key and no path', () => {
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      const text = readFileSync(join(shipped, file), 'utf8');
      expect(JSON.parse(text)).toMatchObject({
        recordedAgainst: RECORDED_AGAINST,
        request: { summarizer: SUITE_MODEL },
      });
      expect(text).not.toMatch(/\/home\/|\/Users\/|\/tmp\/|127\.0\.0\.1|sk-|Bearer|authorization/i);
    }
  });

  it('are what the script records', async () => {
    const again = join(folder, 'again');
    await recordSuite(again);
    expect(contentsOf(again)).toEqual(contentsOf(shipped));
  });

  it('replay strictly, by their folder alone', async () => {
    const { policy, set, model } = SUITE_OPTIONS;
    const { code, stdout } = await callMain([
      'run',
      ...SUITE_FILES,
      ...policy.flatMap((names) => ['--policy', names]),
      ...set.flatMap((setting) => ['--set', setting]),
      '--model',
      model,
      '--summarizer',
      `cassette:${shipped}`,
      '--format',
      'json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).runs.map((one: { summarizer: string }) => one.summarizer)).toEqual([
      SUITE_MODEL,
      SUITE_MODEL,
    ]);
  });
});

function contentsOf(place: string) {
  return readdirSync(place).map((file) => [file, readFileSync(join(place, file), 'utf8')]);
}
