import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 make every object where those are thrown away soonest. It takes what a session holds to its end for what stays
 * for good, as soon as some sessions were long, and then has to go through all memory for it; but of a run nothing
 * stays. It cannot be taken back.
 */
export function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
