/** Presets of OpenCode by release. */

import { resolvePolicy } from '../check.ts';
import { NO_GUARDS } from '../guards.ts';
import type { BrokenLaw, LawName, Policy, SummaryForm, SummaryLength } from '../policy.ts';
import { pruneRules } from '../prune/plan.ts';
import { tailRules } from '../pivot/tail.ts';

export const HISTORY = 'OpenCode release history';

/** Laws that a source breaks, each with what it says of it. */
export const brokenLaws = (
  source: string,
  laws: Readonly<Partial<Record<LawName, string>>>,
): readonly BrokenLaw[] =>
  Object.entries(laws).map(([law, where]) => ({ law: law as LawName, source: source + where }));

/** The newest request may be out of sight, as its source has it. */
export const hidesRequest = (source: string): BrokenLaw => ({
  law: 'newest-request-visible',
  source,
});

/** A request that shares nothing with the session's; releases up to 1.18 and most peers. */
export const FRESH: SummaryForm = { kind: 'fresh', tools: false, verifies: false };

/** The session's own request and one message more, so that its beginning is cached. */
export const EXTENDING: SummaryForm = { kind: 'extends', tools: true, verifies: false };

/** Between those of pi and of Claude Code. */
export const ASSUMED_LENGTH: SummaryLength = {
  tokens: 2_000,
  source: 'assumed: no recorded summary; document 004 draws one of 2K tokens',
};

const UNGUARDED = brokenLaws('', {
  'usable-above-floor': 'OpenCode issues 27924 and 45368: no floor is looked at',
  'pivot-lowers-context': 'OpenCode issue 27924: no progress guard was ever merged',
  'no-boundary-without-text': `${HISTORY}, section 14: empty summaries accepted`,
  'summary-request-fits': `${HISTORY}, section 6: no smaller input in any classic release`,
});

/** A summary in place of all before it. */
export const opencode08: Policy = {
  name: 'opencode-0.8',
  describes: 'OpenCode 0.8.0 to 0.9.4 (2025-09-14 to 2025-09-16).',
  source: `${HISTORY}: O4, P0, F1, S1`,
  trigger: {
    auto: true,
    overflow: 'v0.8.0',
    outputCapTokens: 32_000,
    afterStep: false,
    beforeRequest: true,
    countsNewerMessages: false,
    onRefusal: 'stop',
    newestBy: 'position',
  },
  reading: { usage: 'v1.0.61', retries: 'v1.2.16' },
  prune: {
    enabled: false,
    when: 'never',
    pass: 'by-age',
    byAge: pruneRules['v0.9.9'].byAge,
    storedOutput: 'kept',
  },
  view: 'v0.8.0',
  cut: { keep: 'nothing' },
  summary: {
    systemPrompt: 'v0.8.0',
    instruction: 'v0.8.0',
    form: FRESH,
    length: ASSUMED_LENGTH,
    stripMedia: false,
    anchored: false,
    markerInHead: false,
    answers: 'last-user',
    onFailure: 'keep',
    overflowFinishes: false,
    checksOwnUsage: false,
  },
  resume: { replayRefusedPrompt: false, wrapQueued: false, explainRefusal: false },
  guards: NO_GUARDS,
  estimator: { charsPerToken: 4, rounding: 'round' },
  render: {
    clearedOutput: '[Old tool result content cleared]',
    markerQuestion: 'What did we do so far?',
    summaryAs: 'assistant',
  },
  breaks: [
    ...UNGUARDED,
    {
      law: 'failed-summary-changes-nothing',
      source: `${HISTORY}, section 14: a failed summary hides the history (F2)`,
    },
    hidesRequest(`${HISTORY}: F1 shows nothing before the summary`),
  ],
};

export const opencode099 = resolvePolicy(opencode08, {
  describes: 'OpenCode 0.9.9 to 0.9.11 (2025-09-17 to 2025-09).',
  source: `${HISTORY}: O4, P2, F1, S1`,
  prune: { enabled: true, when: 'turn-end', byAge: pruneRules['v0.9.9'].byAge },
});

/** Prunes whatever is older than the newest message, unless a summary is in its way. */
export const opencode095 = resolvePolicy(opencode099, {
  describes: 'OpenCode 0.9.5 to 0.9.8 (2025-09-16 to 2025-09-17).',
  source: `${HISTORY}: O4, P1, F1, S1`,
  prune: { byAge: pruneRules['v0.9.5'].byAge },
});

export const opencode010 = resolvePolicy(opencode099, {
  describes: 'OpenCode 0.10.0 to 1.0.61 (2025-09 to 2025-11).',
  source: `${HISTORY}: O4, P2, F1 and F2, S1`,
  resume: { continueText: 'v0.10.0' },
});

/** Cache reads are counted once. */
export const opencode1062 = resolvePolicy(opencode010, {
  describes: 'OpenCode 1.0.62 to 1.0.68 (2025-11).',
  source: `${HISTORY}: O4, P2, F2, S1`,
  reading: { usage: 'v1.0.62' },
});

/** A marker asks for the summary, in the loop of the session. */
export const opencode1069 = resolvePolicy(opencode1062, {
  describes: 'OpenCode 1.0.69 to 1.0.122 (2025-11-17 to 2025-12).',
  source: `${HISTORY}: O4, P2, F3, S2; outputs: observed of 1.0.98`,
  reading: { outputCapCharacters: { whole: 30_000, kept: 30_000 } },
  view: 'v1.0.69',
  summary: { markerInHead: true, checksOwnUsage: true },
  resume: { continueText: 'v1.0.69' },
  breaks: [
    ...UNGUARDED,
    ...brokenLaws(HISTORY, {
      'failed-summary-changes-nothing': ', section 14: the failed attempt stays',
      'newest-request-visible': ': F3 shows nothing before the marker',
    }),
  ],
});

/** The summary is asked for as a prompt to continue from. */
export const opencode10123 = resolvePolicy(opencode1069, {
  describes: 'OpenCode 1.0.123 to 1.0.153 (2025-12).',
  source: `${HISTORY}: O4, P2, F3, S3`,
  summary: { instruction: 'v1.0.123' },
});

/** An agent of its own writes the summary; skills, since 1.0.190, are never cleared. */
export const opencode10154 = resolvePolicy(opencode10123, {
  describes: 'OpenCode 1.0.154 to 1.0.223 (2025-12 to 2026-01-01).',
  source: `${HISTORY}: O4, P2 and P3, F3, S3`,
  prune: { byAge: pruneRules['v1.0.190'].byAge },
  summary: { systemPrompt: 'v1.0.154' },
});

/** Checked at each step's end as well; a prompt that waits is sent as a reminder; outputs are whole. */
export const opencode10224 = resolvePolicy(
  { ...opencode10154, reading: opencode1062.reading },
  {
    describes: 'OpenCode 1.0.224 to 1.1.22 (2026-01-02 to 2026-01-14).',
    source: `${HISTORY}: O5, P3, F3, S3`,
    trigger: { afterStep: true },
    resume: { wrapQueued: true },
  },
);

export const opencode1123 = resolvePolicy(opencode10224, {
  describes:
    'OpenCode 1.1.23 to 1.1.36 (2026-01-15 to 2026-01), which documents 000 and 002 describe.',
  source: `${HISTORY}: O6, P3, F3, S3`,
  trigger: { overflow: 'v1.1.23' },
});

/** Cache writes are taken off the input as well. */
export const opencode1137 = resolvePolicy(opencode1123, {
  describes:
    'OpenCode 1.1.37 to 1.1.53 (2026-01 to 2026-02), which documents 000 and 002 describe.',
  reading: { usage: 'v1.1.37' },
});

/** A request that was too large is called so, and still ends the turn. */
export const opencode1154 = resolvePolicy(opencode1137, {
  describes: 'OpenCode 1.1.54 to 1.1.56 (2026-02), which documents 000 and 002 describe.',
  reading: { overflowErrors: 'v1.1.54' },
});

/** A reserve below the limit, `>=`, cache writes counted. */
export const opencode1157 = resolvePolicy(opencode1154, {
  describes: 'OpenCode 1.1.57 to 1.1.59 (2026-02-11 to 2026-02-12), which document 001 describes.',
  source: `${HISTORY}: O7, P3, F3, S4`,
  trigger: { overflow: 'v1.1.57' },
  reading: { usage: 'v1.1.57', overflowErrors: 'v1.1.57' },
  summary: { systemPrompt: 'v1.1.57', instruction: 'v1.1.57' },
  resume: { continueText: 'v1.1.57' },
});

/** The reserve counts below an input cap only. */
export const opencode1160 = resolvePolicy(opencode1157, {
  describes: 'OpenCode 1.1.60 to 1.2.15 (2026-02-12 to 2026-03).',
  source: `${HISTORY}: O8, P3, F3, S4`,
  trigger: { overflow: 'v1.1.60' },
});

export const OWN_TEXT = "prompt text is the project's own under the known headings";

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
  trigger: { overflow: 'v1.14.21' },
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
