import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkReading } from './memory/check-reading.ts';
import { checkSweeps } from './memory/check-sweeps.ts';

const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
try {
  const results = [checkReading, checkSweeps].map((check) => check(folder));
  if (results.includes(false)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
