import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage, so that what was left before is not collected in the time of what is measured. */
export const collectGarbage = runInNewContext('gc') as () => void;
