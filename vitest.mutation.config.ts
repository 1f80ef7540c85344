import { defineConfig } from 'vitest/config';

/** The engine's tests alone, for the mutation check. */
export default defineConfig({
  test: { include: ['test/engine/**/*.test.ts'], testTimeout: 60_000 },
});
