/** Rooms by name: the files that are mutated, the tests that judge them, and the per cent of mutants that these must kill. */
export const rooms = {
  setup: { mutate: ['src/simulator/setup/*.ts'], tests: ['simulator/setup/*'], least: 85 },
  bill: {
    mutate: ['src/simulator/provider/{bill,prices,usage}.ts'],
    tests: ['simulator/provider/{bill,catalog,prices,usage}'],
    least: 85,
  },
  gate: {
    mutate: ['src/simulator/sweep/gate/*.ts'],
    tests: ['simulator/sweep/gate/*'],
    least: 85,
  },
  verdicts: {
    mutate: ['src/simulator/metrics/statistics/*.ts', 'src/simulator/sweep/answer/verdicts.ts'],
    tests: ['simulator/metrics/statistics/*'],
    least: 85,
  },
  facts: {
    mutate: ['src/simulator/metrics/quality/*.ts'],
    tests: ['simulator/metrics/quality/*'],
    least: 85,
  },
  needs: {
    mutate: [
      'src/simulator/replay/references/*.ts',
      'src/simulator/metrics/{regret,rereads,tell-loss}.ts',
    ],
    tests: ['simulator/replay/references/*', 'simulator/metrics/{regret,rereads,tell-loss}'],
    least: 85,
  },
  engine: {
    mutate: ['src/engine/**/*.ts', '!src/engine/{presets,prompts}/*.ts'],
    tests: ['engine/**/*'],
    least: 90,
  },
};
