import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Time that processes which are just ending may still write there, in ms. */
const RETRY_MS = 200;

/** Gives all tests of a run, and the processes that they start, one folder for what they write; it goes with the run. */
export default function setUp(): () => void {
  const before = process.env['TMPDIR'];
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-tests-'));
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: RETRY_MS });
  };
}
