import { defineConfig } from 'vitest/config';
import usual, { slowTests } from './vitest.config.ts';

export default defineConfig({
  test: {
    ...usual.test,
    include: slowTests,
    exclude: [],
    globalSetup: ['test/support/build-folder.ts'],
  },
});
