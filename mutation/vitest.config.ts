import { defineConfig } from 'vitest/config';
import usual, { slowTests } from '../vitest.config.ts';
import { rooms } from './rooms.js';

const { tests } = rooms[process.env['MUTATION_ROOM'] as keyof typeof rooms];

export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: tests.map((name) => `test/${name}.test.ts`),
    exclude: slowTests,
  },
});
