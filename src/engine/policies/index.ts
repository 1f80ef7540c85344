import type { Policy } from '../policy.ts';
import { document002 } from './documents.ts';
import { none } from './none.ts';
import { opencode1216 } from './opencode.ts';

/** Presets by name, the control first. */
export const policies = {
  none,
  'opencode-1.2.16': opencode1216,
  'document-002': document002,
} satisfies Record<string, Policy>;

/** The name of a preset. */
export type PolicyName = keyof typeof policies;
