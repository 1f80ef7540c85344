import { defineConfig } from 'vitest/config';
import usual, { slowTests } from './vitest.config.ts';

export default defineConfig({
  test: {
    ...usual.test,
    include: slowTests,
    exclude: [],
    // Operations are counted in code that nobody has compiled before.
    isolate: true,
    globalSetup: ['test/support/temporary-folder.ts', 'test/support/build-folder.ts'],
  },
});
