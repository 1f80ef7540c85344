import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  /** What tests are given from outside. */
  interface ProvidedContext {
    /** A folder of this run of all tests, in which the first that needs the built package leaves it to the others. */
    readonly buildFolder?: string;
  }
}

/** Makes a folder for what the tests of one run build, and gives what takes it away. */
export function setup({ provide }: Pick<TestProject, 'provide'>): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'compaction-bench-'));
  provide('buildFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
