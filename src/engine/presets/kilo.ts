/** Presets of Kilo, a fork of OpenCode. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { opencode118 } from './opencode.ts';

/** Kilo 7: as OpenCode 1.18, but checked before a request alone, so that the end of a turn waits for the next prompt. */
export const kilo: Policy = resolvePolicy(opencode118, {
  name: 'kilo',
  describes: 'Kilo 7 (2026-09): as OpenCode 1.18, checked before a request alone.',
  source: 'observed of 7.7.9',
  trigger: { afterStep: false },
  guards: { rejectEmptySummary: true },
});
