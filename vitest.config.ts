import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

/** What starts browsers, other processes and servers, counts operations, runs every command of the pages, or reads, draws or replays so many sessions that it takes long. */
export const slowTests = ['test/**/*.slow.test.ts', 'test/docs.test.ts'];

/** Contracts whose recordings are damaged in more ways where tests may be slow. */
export const contractTests = ['test/simulator/session/formats/*.test.ts'];

export default defineConfig({
  // Examples import the package as a user does, and are tested against its source.
  resolve: {
    alias: {
      'compaction-bench/ai-sdk': resolve(import.meta.dirname, 'src/simulator/ai-sdk.ts'),
      'compaction-bench/engine': resolve(import.meta.dirname, 'src/engine/index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run test:slow`.
    exclude: ['test/**/*.live.test.ts', ...slowTests],
    globalSetup: ['test/support/temporary-folder.ts'],
    setupFiles: ['test/support/seed.ts'],
    // A test that checks nothing, as where a loop has nothing to go over, is none.
    expect: { requireAssertions: true },
    // For what hangs alone: a busy machine takes many times as long as another one.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Tests share no state; a process for each file would take longer to start than most files take to run.
    pool: 'forks',
    isolate: false,
    // By default a core is left out, which is half of a machine with two.
    maxWorkers: '100%',
    // Below node_modules; by the content of each file.
    experimental: { fsModuleCache: true },
  },
});
