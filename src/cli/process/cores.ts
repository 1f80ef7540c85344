import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { CAN_START_WORKERS } from '../../simulator/sweep/pool/pool.ts';

/** Beside a thread that works, V8 keeps most of another core busy with compiling its hot functions. */
const CORES_OF_A_JOB = 2;
/** Functions have to be six times as hot, and take in a third of what they call. */
const LESS_COMPILING = ['--interrupt-budget=400000', '--max-inlined-bytecode-size-cumulative=300'];

/** Flags for V8 with that many threads; none if cores are left for its compiler. */
export function compilerFlags({ jobs, cores }: { jobs: number; cores: number }) {
  return jobs * CORES_OF_A_JOB > cores ? LESS_COMPILING : [];
}

/** Has this process compile less if its threads need the cores, for good. */
export function leaveCoresTo(jobs: number): void {
  // Without workers there is one thread, and it need not be a process of ours.
  if (!CAN_START_WORKERS) return;
  const flags = compilerFlags({ jobs, cores: availableParallelism() });
  for (const flag of flags) setFlagsFromString(flag);
}
