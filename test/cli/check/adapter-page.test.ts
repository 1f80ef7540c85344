import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { EXIT } from '../../../src/cli/process/io.ts';
import { listLaws } from '../../../src/simulator/replay/foreign/laws.ts';
import { captureIo } from '../../support/captured-io.ts';
import { readBlocks } from '../../support/markdown-blocks.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/adapter.md'), 'utf8');
const hasPython = spawnSync('python3', ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('docs/adapter.md', () => {
  it.skipIf(!hasPython)(
    'has a program in Python that keeps a session below its window (skipped without python3)',
    async () => {
      const program = join(folder, 'compact.py');
      const block = readBlocks('docs/adapter.md', page).find(
        ({ language }) => language === 'python',
      );
      writeFileSync(program, block?.text ?? '');
      const scenario = join(folder, 'long.yaml');
      const script =
        '[{ user: 50 }, { repeat: 40, of: [{ step: { text: 40, tools: [read 2k] } }] }]';
      const model = '{ id: local/small, contextTokens: 60k }';
      writeFileSync(
        scenario,
        `why: A long session.\nsession: { script: ${script} }\nmodel: ${model}\npolicy: none\nexpect: { state: refused }\n`,
      );
      const io = captureIo();
      const adapter = `python3 ${JSON.stringify(program)}`;
      const code = await main(['check', scenario, '--adapter', adapter, '--format', 'json'], io);
      const [run] = JSON.parse(io.written.stdout).scenarios[0].runs;
      expect({ code, state: run.state }).toEqual({ code: EXIT.done, state: 'completed' });
      expect(run.metrics.compactions).toBeGreaterThan(0);
    },
  );

  it('names every law of lists', () => {
    for (const law of Object.keys(listLaws)) expect(page).toContain(`| \`${law}\``);
  });
});
