import { mkdtempSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBench } from './run.ts';
import { buildInto } from './support/build.ts';

const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-built-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
register('./support/built-sources.ts', import.meta.url, { data: buildInto(folder) });
// Only what is imported from here on is the built one.
const { suites } = await import('./suites.ts');
// As the program itself runs.
const { endEarly } = await import('../src/cli/process/end-early.ts');
const { setMemoryFlags } = await import('../src/cli/process/memory-flags.ts');
process.stdout.once('error', endEarly);
setMemoryFlags();
process.exitCode = await runBench(suites, process.argv.slice(2), console.log);
