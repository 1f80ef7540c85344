import type { PrunePolicy } from '../../engine/index.ts';

/** When a prune runs, in words. */
export const PRUNE_MOMENTS: Readonly<Record<PrunePolicy['when'], string>> = {
  'turn-end': 'at the end of a turn',
  'on-overflow': 'on overflow',
  'before-request': 'before a request',
  idle: 'after a pause',
  never: 'never',
};
