import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endEarly, EXIT } from '../src/cli/process/io.ts';
import { HarnessError } from '../src/simulator/lib/errors.ts';
import { runBench } from './run.ts';
import { suites } from './suites.ts';
import { buildInto } from './support/build.ts';
import { runApart } from './support/run-apart.ts';

const MEASURE_SUITE = new URL('./measure-suite.ts', import.meta.url);

const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-built-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.stdout.once('error', endEarly);
let built: string | undefined;
const apart = suites.map((suite) => ({
  ...suite,
  run: () => runApart(MEASURE_SUITE, [(built ??= buildInto(folder)), suite.id]),
}));
try {
  process.exitCode = await runBench(apart, process.argv.slice(2), console.log);
} catch (error) {
  if (!(error instanceof HarnessError)) throw error;
  console.error(error.message);
  process.exitCode = EXIT.wrongUse;
}
