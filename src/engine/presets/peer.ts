/** The common part of presets of agents other than OpenCode, and the laws that they leave unguarded. */

import { resolvePolicy } from '../check-policy.ts';
import type { BrokenLaw, Policy } from '../policy.ts';
import { opencode20 } from './opencode.ts';
import { brokenLaws, FRESH } from './opencode-early.ts';

/** Where a figure of theirs is from, unless a preset says otherwise. */
export const PEERS = 'comparison of peers (2026-08)';
export const OWN_TEXT = "prompt text is the project's own under the known headings";

/** Laws that none of these agents guards. */
export const UNGUARDED = brokenLaws(PEERS, {
  'usable-above-floor': ': no floor that is looked at was found',
  'pivot-lowers-context': ': nothing that compares requests was found',
  'no-boundary-without-text': ': nothing against empty summaries was found',
  'summary-request-fits': ': no smaller input at once was found',
});

/** Laws left unguarded by agents that reject empty summaries. */
export const FILLED = UNGUARDED.filter(({ law }) => law !== 'no-boundary-without-text');

/** A refusal right after a pivot compacts again. */
export const REPEATS: BrokenLaw = {
  law: 'one-compaction-per-step',
  source: `${PEERS}: a refusal is answered, also right after a compaction`,
};

/** The common part of most of these agents: a check before each request, and a summary in the user's place. */
export const peer: Policy = resolvePolicy(opencode20, {
  trigger: { countsNewerMessages: false, onRefusal: 'stop' },
  prune: { byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0, protectedTools: [] } },
  view: 'marker-first',
  cut: { keep: 'nothing' },
  summary: { form: FRESH },
  guards: {
    rejectEmptySummary: false,
    rejectTruncatedSummary: false,
    remindMissingHeadings: false,
  },
  render: { summaryAs: 'handover', markerQuestion: '' },
  breaks: UNGUARDED,
});
