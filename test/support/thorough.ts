/** How much of something slow tests draw, or fast ones, where one test is both. */
export function thorough({ slow, fast }: { readonly slow: number; readonly fast: number }): number {
  return process.env['COMPACTION_BENCH_SLOW_TESTS'] === undefined ? fast : slow;
}
