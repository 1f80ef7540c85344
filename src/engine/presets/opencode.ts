/** Presets of OpenCode since 1.2.16, in which a refused request compacts. */

import { resolvePolicy } from '../check-policy.ts';
import { tailRules } from '../pivot/tail.ts';
import type { BrokenLaw } from '../policy.ts';
import { brokenLaws, EXTENDING, FRESH, HISTORY, opencode1160 } from './opencode-early.ts';

const OWN_TEXT = "prompt text is the project's own under the known headings";

/** A refusal right after a pivot compacts again. */
const REPEATS: BrokenLaw = {
  law: 'one-compaction-per-step',
  source: `${HISTORY}, section 6: a request that is refused again compacts again`,
};

/** A refusal compacts, also with `auto` off, and the refused prompt is sent again after the pivot. */
export const opencode1216 = resolvePolicy(opencode1160, {
  describes: 'OpenCode 1.2.16 to 1.2.27 (2026-03-03 to 2026-03), which document 003 describes.',
  source: `design document 003; ${HISTORY}: O8, P3, F4, S4`,
  trigger: { onRefusal: 'compact' },
  reading: { overflowErrors: 'v1.2.16' },
  view: 'v1.2.16',
  summary: { stripMedia: true, overflowFinishes: true, checksOwnUsage: false },
  resume: { replayRefusedPrompt: true, explainRefusal: true },
  breaks: [
    ...brokenLaws('OpenCode issues ', {
      'auto-off-means-never': '16882 and 30664: a refusal compacts with auto off',
    }),
    REPEATS,
    ...opencode1160.breaks,
  ],
});

/** An error code tells a request that was too large, and so do the words of vLLM. */
export const opencode130 = resolvePolicy(opencode1216, {
  describes: 'OpenCode 1.3.0 to 1.3.3 (2026-03).',
  reading: { overflowErrors: 'v1.3.0' },
});

/** Cached input counts twice where a provider tells it as Anthropic does. */
export const opencode134 = resolvePolicy(opencode130, {
  describes: 'OpenCode 1.3.4 to 1.3.5 (2026-03).',
  reading: { usage: 'v1.3.4-bug', overflowErrors: 'v1.3.4' },
});

/** Cached input counts once; the summary is written without tools since 1.3.7. */
export const opencode136 = resolvePolicy(opencode134, {
  describes: 'OpenCode 1.3.6 to 1.3.15 (2026-03 to 2026-04).',
  reading: { usage: 'v1.3.12' },
  summary: { systemPrompt: 'v1.3.14', instruction: 'v1.3.7' },
});

/** An answer is counted without its reasoning. */
export const opencode1316 = resolvePolicy(opencode136, {
  describes: 'OpenCode 1.3.16 to 1.14.18 (2026-04).',
  reading: { usage: 'v1.3.16' },
});

/** The newest turns stay verbatim; prune must be asked for. */
export const opencode11419 = resolvePolicy(opencode1316, {
  describes: 'OpenCode 1.14.19 to 1.14.20 (2026-04-20 to 2026-04-21).',
  source: `${HISTORY}: O9, P4, F5, S4, tail of 1.14.19`,
  trigger: { overflow: 'v1.14.19' },
  reading: { retries: 'v1.14.19' },
  prune: { enabled: false },
  view: 'v1.14.19',
  cut: { keep: 'recent-turns', ...tailRules['v1.14.19'] },
});

/** The oldest turn may be kept in part; earlier pivots are hidden from a summary request in pairs. */
export const opencode11421 = resolvePolicy(opencode11419, {
  describes: 'OpenCode 1.14.21 to 1.14.39 (2026-04-22 to 2026-05-06).',
  source: `${HISTORY}: O9, P4, F5, S5, tail of 1.14.21; ${OWN_TEXT}`,
  cut: { keep: 'recent-turns', ...tailRules['v1.14.21'] },
  summary: {
    systemPrompt: 'v1.14.21',
    instruction: 'v1.14.21',
    toolOutputChars: 2_000,
    anchored: true,
  },
});

/** Marker and summary stand before the tail, so that an old step is taken for the newest. */
export const opencode11440 = resolvePolicy(opencode11421, {
  describes: 'OpenCode 1.14.40 to 1.14.50 (2026-05-07 to 2026-05-15).',
  source: `${HISTORY}: O9, P4, F6, S5, tail of 1.14.21; ${OWN_TEXT}`,
  view: 'v1.14.40',
  breaks: [
    ...brokenLaws('OpenCode issues ', {
      'one-compaction-per-step': '27468 and 26230: two compactions in a row',
    }),
    ...opencode11419.breaks.filter(({ law }) => law !== REPEATS.law),
  ],
});

/** The newest step in order of time; the check after a step knows no other output cap. */
export const opencode115 = resolvePolicy(opencode11440, {
  describes: 'OpenCode 1.14.51 to 1.15.13 (2026-05 to 2026-06 at the latest).',
  source: `${HISTORY}: O10, P4, F6, S5, tail of 1.14.21; ${OWN_TEXT}`,
  trigger: { afterStepOutputCapTokens: 32_000, newestBy: 'time' },
  reading: { usage: 'v1.14.46' },
  breaks: opencode11419.breaks,
});

export const opencode116 = resolvePolicy(opencode115, {
  describes: 'OpenCode 1.16.0 to 1.17.12 (2026-06 or before, to 2026-07).',
  trigger: { onRefusal: 'compact-if-auto' },
  resume: { wrapQueued: false },
  breaks: [REPEATS, ...opencode1160.breaks],
});

export const opencode11713 = resolvePolicy(opencode116, {
  describes: 'OpenCode 1.17.13 to 1.17.14 (2026-07).',
  source: `${HISTORY}: O10, P4, F6, S6, tail of 1.14.21; ${OWN_TEXT}`,
  summary: { instruction: 'v1.17.13' },
});

/** The template of later releases; the words of Z.AI are known. */
export const opencode11715 = resolvePolicy(opencode11713, {
  describes: 'OpenCode 1.17.15 to 1.18.3 (2026-07).',
  source: `${HISTORY}: O10, P4, F6, S7, tail of 1.14.21; ${OWN_TEXT}`,
  reading: { overflowErrors: 'v1.17.15', retries: 'v1.17.15' },
  summary: { instruction: 'v1.17.15' },
});

/** More errors are known, and a rate limit is none of them. */
export const opencode118 = resolvePolicy(opencode11715, {
  describes: 'OpenCode 1.18.4 to 1.18.14 (2026-07 to 2026-08).',
  reading: { overflowErrors: 'v1.18.4' },
});

/** One message asks for the summary, the template in front and the history as text behind it. */
export const opencode11815 = resolvePolicy(opencode118, {
  describes: 'OpenCode 1.18.15 to 1.18.16 (2026-08).',
  source: `${HISTORY}: O10, P4, F6, S8, tail of 1.14.21; ${OWN_TEXT}`,
  summary: { form: { kind: 'flattened', instructionFirst: true } },
});

/** The history in front, the summary before and the template behind it. */
export const opencode11817 = resolvePolicy(opencode11815, {
  describes: 'OpenCode 1.18.17 to 1.18.34 (2026-08 to 2026-11).',
  source: `observed of 1.18.17 and 1.18.34; ${HISTORY}: O10, P4, F6, S8; ${OWN_TEXT}`,
  cut: { keep: 'recent-turns', ...tailRules['v1.18.17'] },
  summary: { form: { instructionFirst: false }, instruction: 'v1.18.17', merge: 'v1.18.17' },
});

/** Its summary request extends the session's (OpenCode issue 43249). */
export const opencode20 = resolvePolicy(opencode11419, {
  describes: 'The 2.0 engine of OpenCode, 2.0.x since 2.0.12 (2026-09).',
  source: `${HISTORY}, section 11: 2.0.x; ${OWN_TEXT}`,
  trigger: {
    overflow: 'v2.0',
    afterStep: false,
    countsNewerMessages: true,
    onRefusal: 'compact-once',
    newestBy: 'time',
  },
  reading: { usage: 'v1.14.46', overflowErrors: 'v2.0', retries: 'v1.17.15' },
  prune: { when: 'never' },
  view: 'v2.0',
  cut: { keep: 'checkpoint', tokens: 15_000 },
  summary: {
    systemPrompt: 'v2.0',
    instruction: 'v2.0',
    form: EXTENDING,
    stripMedia: false,
    markerInHead: false,
    answers: 'marker',
    onFailure: 'roll-back',
  },
  resume: {
    continueText: 'none',
    replayRefusedPrompt: false,
    wrapQueued: false,
    explainRefusal: false,
  },
  guards: { rejectEmptySummary: true, rejectTruncatedSummary: true, remindMissingHeadings: true },
  render: { summaryAs: 'checkpoint' },
  breaks: brokenLaws('', {
    'one-compaction-per-step': `${HISTORY}, section 11: a refusal is answered once a turn, also right after a checkpoint`,
    'usable-above-floor': 'field report of 2.0.15: loops on a window of 32,768',
    'pivot-lowers-context': 'field report of 2.0.15: keeps more than the trigger',
    'newest-request-visible': `${HISTORY}, section 11: recent entries stay as text inside of the checkpoint`,
    'summary-request-fits': `${HISTORY}, section 11: the request keeps the real transcript`,
  }),
});

/** The summary request shares nothing with the session's. */
export const opencode200 = resolvePolicy(opencode20, {
  describes: 'The 2.0 engine of OpenCode, 2.0.0 to 2.0.11 (2026-09).',
  summary: { form: FRESH },
});
