import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compilerFlags } from '../../../src/cli/process/leave-cores.ts';
import { type BuiltPackage, buildPackage } from '../../support/built-package.ts';
import { chatOf, createFolder, writeFile } from '../../support/session-files.ts';

const folder = createFolder();
const sessions = join(folder, 'sessions');
for (const [index, words] of [100, 200, 300, 400, 500].entries()) {
  writeFile(sessions, `chat-${index}.json`, chatOf(20, words));
}
const SWEEP = `npx compaction-bench --no-cache sweep '${sessions}' --set contextTokens=16k --vary reserved=1k,3k --policy document-001 --format json`;

const read = (out: string, name: string) => readFileSync(join(folder, out, name), 'utf8');

/** Workers run only what is built. */
describe('workers', () => {
  const bench: { built?: BuiltPackage } = {};
  const shell = (line: string) => bench.built!.runShell(line);
  beforeAll(() => {
    bench.built = buildPackage();
  });
  afterAll(() => bench.built?.remove());

  it('come to the same bytes, however many there are', async () => {
    const one = await shell(`${SWEEP} --jobs 1 --out '${join(folder, 'one')}'`);
    const three = await shell(`${SWEEP} --jobs 3 --out '${join(folder, 'three')}'`);
    expect(one.code).toBe(0);
    // What is written beside it tells how far a slow machine came.
    expect([three.code, three.stdout]).toEqual([one.code, one.stdout]);
    for (const name of ['sweep.json', 'results.jsonl']) {
      expect(read('three', name)).toBe(read('one', name));
    }
  });

  it('are told nothing that V8 does not know', async () => {
    const flags = compilerFlags({ jobs: 2, cores: 2 }).join(' ');
    expect(await shell(`node ${flags} --eval ''`)).toMatchObject({ code: 0, stderr: '' });
  });

  it('leave nothing behind where nobody reads what they found', async () => {
    const passing = join(folder, 'passing');
    await shell(`mkdir '${passing}' && TMPDIR='${passing}' ${SWEEP} --jobs 2 | true`);
    expect(readdirSync(passing).filter((name) => name.startsWith('compaction-bench'))).toEqual([]);
  });

  it('lose nothing that was finished when all is killed', async () => {
    const out = join(folder, 'killed');
    const file = join(out, 'results.jsonl');
    const waits = `while kill -0 $pid && ! [ -s '${file}' ]; do sleep 0.01; done`;
    await shell(`${SWEEP} --jobs 2 --out '${out}' & pid=$!; ${waits}; kill -9 $pid; wait $pid`);
    expect(read('killed', 'results.jsonl')).not.toBe('');
    const resumed = await shell(`${SWEEP} --jobs 2 --out '${out}'`);
    expect(resumed.code).toBe(0);
    expect(read('killed', 'results.jsonl')).toBe(read('one', 'results.jsonl'));
  });
});
