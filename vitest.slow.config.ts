import { defineConfig } from 'vitest/config';
import usual, { contractTests, slowTests } from './vitest.config.ts';

export default defineConfig({
  test: {
    ...usual.test,
    include: [...slowTests, ...contractTests],
    env: { COMPACTION_BENCH_SLOW_TESTS: '1' },
    exclude: [],
    // Operations are counted in code that nobody has compiled before.
    isolate: true,
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    globalSetup: ['test/support/temporary-folder.ts', 'test/support/build-folder.ts'],
  },
});
