/** Presets of plugins for agents. */

import { type Policy } from '../policy.ts';
import { resolvePolicy } from '../form/policy-form.ts';
import { defaultCleanups } from '../prune/cleanups.ts';
import { opencode118 } from './opencode.ts';

/**
 * The plugin "dynamic context pruning" beside OpenCode: before each request it takes out what later messages made useless.
 * The tool by which the model itself compresses ranges of the conversation is left out.
 */
export const dcp: Policy = resolvePolicy(opencode118, {
  name: 'dcp',
  describes:
    'OpenCode 1.18 with the automatic strategies of the plugin "dynamic context pruning" (2026-08): repeated calls, writes read back since, inputs of failed calls.',
  source: 'comparison of peers (2026-08), section 3, and the public source of the plugin',
  prune: {
    cleanups: [
      defaultCleanups.duplicates,
      defaultCleanups.superseded,
      defaultCleanups['failed-inputs'],
    ],
  },
  render: {
    clearedOutput: '[Output removed to save context - information superseded or no longer needed]',
  },
});
