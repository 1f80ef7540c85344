import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { growingTranscript } from '../support/growing-sessions.ts';
import { createFolder, writeFile } from '../support/session-files.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TEMPLATE = join(ROOT, 'docs/reference/study.md');
const BLOCK = /<!-- (\w+) -->\n([^]*?)<!-- \/\1 -->/g;
const TIMEOUT_MS = 1_800_000;

/** A transcript that Claude Code compacted after half of its steps. */
function compacted(name: string): string {
  const lines = growingTranscript({
    name,
    startMs: Date.UTC(2026, 0, 5),
    steps: 18 + name.length,
    growthTokens: 14_000,
    model: 'claude-sonnet-4-5',
    version: '2.1.40',
  });
  const records: object[] = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const boundary = {
    type: 'system',
    subtype: 'compact_boundary',
    compactMetadata: { trigger: 'auto', preTokens: 168_000 },
  };
  const content = `1. Primary Request: mend the ${name}. Files: src/${name}-1.ts`;
  const summary = { type: 'user', isCompactSummary: true, message: { role: 'user', content } };
  return records
    .toSpliced(25, 0, boundary, summary)
    .map((one, index) => ({
      ...records[0],
      message: undefined,
      ...one,
      uuid: `${name}-${index}`,
      parentUuid: index === 0 ? null : `${name}-${index - 1}`,
    }))
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('');
}

describe('scripts/study.ts', () => {
  const recordings = createFolder();
  const work = join(createFolder(), 'work');
  const pages: string[] = [];
  const write = () => {
    const page = join(createFolder(), 'study.md');
    copyFileSync(TEMPLATE, page);
    const options = ['--work', work, '--page', page, `${recordings}=somebody/sessions@abc`];
    const program = ['--import', 'tsx', join(ROOT, 'scripts/study.ts'), ...options];
    const { status, stderr } = spawnSync(process.execPath, program, { encoding: 'utf8' });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    return readFileSync(page, 'utf8');
  };
  beforeAll(() => {
    for (const name of ['kettle', 'cup']) writeFile(recordings, `${name}.jsonl`, compacted(name));
    pages.push(write());
  }, TIMEOUT_MS);

  it('fills every block of the page with an answer, a table and its commands', () => {
    const blocks = [...(pages[0] ?? '').matchAll(BLOCK)];
    expect(blocks.map(([, name]) => name)).toEqual(
      [...readFileSync(TEMPLATE, 'utf8').matchAll(BLOCK)].map(([, name]) => name),
    );
    const lacking = blocks.filter(([, name, text = '']) => {
      const isWhole = name === 'recordings' || /^- `npx compaction-bench /m.test(text);
      return !isWhole || !/^\| .* \|$/m.test(text) || /undefined|NaN|Infinity/.test(text);
    });
    expect(lacking).toEqual([]);
  });

  it('counts what the recordings hold', () => {
    expect(pages[0]).toMatch(/\| somebody\/sessions@abc \| 2 \| 2 \| 2 \| `[\da-f]{64}` \|/);
    expect(pages[0]).toMatch(
      /A compaction leaves \d{3},\d{3} \(\d{3},\d{3} … \d{3},\d{3}\) tokens/,
    );
  });

  it('names no path of the machine', () => {
    expect(pages[0]).not.toContain(recordings);
    expect(pages[0]).not.toContain(work);
  });

  it('writes the same again from what it kept', () => {
    const rows = join(work, 'own/results.jsonl');
    const before = statSync(rows).mtimeMs;
    expect(write()).toBe(pages[0]);
    expect(statSync(rows).mtimeMs).toBe(before);
  });
});
