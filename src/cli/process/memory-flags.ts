import { setFlagsFromString } from 'node:v8';

const FLAGS = [
  // V8 takes what a session holds to its end for what stays for good, as soon as some sessions were long, and then has to
  // go through all memory for it; but of a run nothing stays.
  '--no-allocation-site-pretenuring',
  // So little outlives a replay's young objects that threads cost more to wake for them than they collect.
  '--no-parallel-scavenge',
];

/** Has V8 make and collect objects as runs need it, which throw nearly all of theirs away. It cannot be taken back. */
export function setMemoryFlags(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
