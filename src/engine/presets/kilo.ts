/** Presets of Kilo, a fork of OpenCode. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { opencode118 } from './opencode.ts';

/** Kilo 7: decides as OpenCode 1.18. */
export const kilo: Policy = resolvePolicy(opencode118, {
  name: 'kilo',
  describes: 'Kilo 7 (2026-09): as OpenCode 1.18.',
  source: 'observed of 7.7.9',
});
