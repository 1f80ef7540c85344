import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** What starts browsers, other processes and servers. */
export default defineConfig({
  test: { ...usual.test, include: ['test/**/*.slow.test.ts'], exclude: [] },
});
