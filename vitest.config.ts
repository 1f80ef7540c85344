import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Browsers, other processes and Redis: `npm run test:slow`.
    exclude: ['test/**/*.live.test.ts', 'test/**/*.slow.test.ts'],
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests share no state; a process for each file would take longer to start than most files take to run.
    pool: 'forks',
    isolate: false,
    // By default a core is left out, which is half of a machine with two.
    maxWorkers: '100%',
  },
});
