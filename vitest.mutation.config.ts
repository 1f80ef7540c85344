import { defineConfig } from 'vitest/config';

/** The tests of the mutated files alone; the laws over whole sessions would take most of the time and kill little more. */
export default defineConfig({
  test: {
    include: [
      'test/engine/{conformance,checks,latest,overflow,prompts,tail,usable,view*}.test.ts',
      'test/engine/{prune,pivot,cases}/*.test.ts',
      'test/engine/guards*.test.ts',
      'test/engine/{loop,loop-failure,loop-model-changed,loop-refusal,loop-trigger}.test.ts',
      'test/engine/presets/{alternatives,documents,releases*}.test.ts',
    ],
    testTimeout: 60_000,
  },
});
