/** Presets of agents and plugins that have one preset each. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { defaultCleanups } from '../prune/cleanups.ts';
import { opencode118 } from './opencode.ts';
import { OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

/** Crush: looks at each finished step; all is summarised, and the request is quoted to go on with. */
export const crush: Policy = resolvePolicy(peer, {
  name: 'crush',
  describes:
    'Crush (2026-08): at 20,000 tokens below windows above 200,000, at 80 % of others; keeps no messages.',
  source: `${PEERS}, section 19; ${OWN_TEXT}`,
  trigger: { overflow: 'crush', afterStep: true, beforeRequest: false },
  summary: { instruction: 'crush' },
  resume: { continueText: 'crush', onlyMidTurn: true },
  breaks: [
    ...UNGUARDED,
    { law: 'newest-request-visible', source: `${PEERS}, section 19: the request is only quoted` },
  ],
});

/**
 * Goose: looks between turns only, and counts by itself where no usage is told; all is summarised but prompts that nobody
 * has answered. After a refusal in the middle of a turn its prompt is said again; how often that is done is not known, and
 * it is done once a turn here.
 */
export const goose: Policy = resolvePolicy(peer, {
  name: 'goose',
  describes:
    'Goose (2026-08): above 80 % of the window, between turns only; keeps the newest prompt.',
  source: `${PEERS}, section 13; ${OWN_TEXT}`,
  trigger: { overflow: 'goose', onlyBetweenTurns: true, onRefusal: 'compact-once' },
  cut: { keep: 'unanswered' },
  summary: { instruction: 'goose', form: { kind: 'flattened' } },
  resume: { replayRefusedPrompt: true, wrapQueued: false },
  guards: { estimateMissingUsage: true, shrinkSummaryRequest: true },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    {
      law: 'newest-request-visible',
      source: `${PEERS}, section 13: what is answered is summarised`,
    },
  ],
});

/** Masking of observations as SWE-agent does it and the study "The Complexity Trap" measures it: all but the newest ten. */
export const lastObservations: Policy = resolvePolicy(peer, {
  name: 'last-n-observations',
  describes:
    'SWE-agent\'s last_n_observations with n = 10, as in "The Complexity Trap": masks all older tool outputs before each request; never summarises.',
  source: `${PEERS}, section 22`,
  trigger: { auto: false, beforeRequest: false },
  prune: { enabled: true, when: 'before-request', pass: 'keep-last', keepLast: { outputs: 10 } },
  cut: { keep: 'everything' },
  render: { clearedOutput: 'Old environment output: (omitted)' },
  breaks: [],
});

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
