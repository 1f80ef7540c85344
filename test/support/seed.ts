import * as fc from 'fast-check';

const { CI, COMPACTION_BENCH_SLOW_TESTS: slow } = process.env;
// Free seeds find more on a developer's machine; a build must fail for the change it builds only, and has time for more runs.
if (CI !== undefined) fc.configureGlobal({ seed: 1 });
else if (slow === undefined) fc.configureGlobal({ numRuns: 25 });
