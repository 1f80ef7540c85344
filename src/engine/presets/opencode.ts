/**
 * Presets of OpenCode's releases, one for each state of its compaction. How a usage is read, which errors are known and
 * what prompts say changed more often: of these a preset has what its first release had, 1.18 the errors of 1.18.4.
 */

import { resolvePolicy } from '../check-policy.ts';
import { NO_GUARDS } from '../guards.ts';
import { tailRules } from '../pivot/tail.ts';
import type { BrokenLaw, Policy, SummaryForm, SummaryLength } from '../policy.ts';
import { pruneRules } from '../prune/by-age.ts';

const HISTORY = 'OpenCode release history';
const OWN_TEXT = "prompt text is the project's own under the known headings";

/** A request that shares nothing with the session's, as observed of releases up to 1.18, Kilo, Codex, Gemini CLI, pi and Cline. */
export const FRESH: SummaryForm = { kind: 'fresh', tools: false, verifies: false };

/** The session's own request and one message more, so that its beginning is cached. */
export const EXTENDING: SummaryForm = { kind: 'extends', tools: true, verifies: false };

/** Stands where no summaries of an agent were seen: between those of pi and of Claude Code. */
export const ASSUMED_LENGTH: SummaryLength = {
  tokens: 2_000,
  source: 'assumed: no recorded summary; document 004 draws one of 2K tokens',
};

/** Laws that no release before 2.0 guards. */
const UNGUARDED: readonly BrokenLaw[] = [
  { law: 'usable-above-floor', source: 'OpenCode issues 27924 and 45368: no floor is looked at' },
  {
    law: 'pivot-lowers-context',
    source: 'OpenCode issue 27924: no progress guard was ever merged',
  },
  { law: 'no-boundary-without-text', source: `${HISTORY}, section 14: empty summaries accepted` },
  {
    law: 'summary-request-fits',
    source: `${HISTORY}, section 6: no smaller input in any classic release`,
  },
];

/** A refusal right after a pivot compacts again. */
const REPEATS: BrokenLaw = {
  law: 'one-compaction-per-step',
  source: `${HISTORY}, section 6: a request that is refused again compacts again`,
};

/** 0.8.0 (2025-09-14) to 0.9.4: a summary in place of everything before it, asked for before any step; no prune, no marker in what the model sees. */
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
  resume: { replayRefusedPrompt: false, wrapReplay: false, explainRefusal: false },
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
    { law: 'newest-request-visible', source: `${HISTORY}: F1 shows nothing before the summary` },
  ],
};

/** 1.0.224 (2026-01-02) to 1.1.22: checked at each step's end as well; marker, prune, a turn that continues by itself. */
export const opencode10224: Policy = resolvePolicy(opencode08, {
  name: 'opencode-1.0.224',
  describes:
    'OpenCode 1.0.224 to 1.1.22 (2026-01-02 to 2026-01-14), from its source code; no binary was run.',
  source: `${HISTORY}: O5, P3, F3, S3`,
  trigger: { afterStep: true },
  reading: { usage: 'v1.0.62' },
  prune: { enabled: true, when: 'turn-end', byAge: pruneRules['v1.0.190'].byAge },
  view: 'v1.0.69',
  summary: {
    systemPrompt: 'v1.0.154',
    instruction: 'v1.0.123',
    markerInHead: true,
    checksOwnUsage: true,
  },
  resume: { continueText: 'v1.0.69' },
  breaks: [
    ...UNGUARDED,
    {
      law: 'failed-summary-changes-nothing',
      source: `${HISTORY}, section 14: the failed attempt stays`,
    },
    { law: 'newest-request-visible', source: `${HISTORY}: F3 shows nothing before the marker` },
  ],
});

/** 1.1.23 (2026-01-15) to 1.1.56: an input cap is the limit, with no headroom; what documents 000 and 002 describe. */
export const opencode1123: Policy = resolvePolicy(opencode10224, {
  name: 'opencode-1.1.23',
  describes:
    'OpenCode 1.1.23 to 1.1.56 (2026-01-15 to 2026-02-10), which documents 000 and 002 describe.',
  source: `${HISTORY}: O6, P3, F3, S3`,
  trigger: { overflow: 'v1.1.23' },
});

/** 1.1.57 (2026-02-11) to 1.1.59: a reserve below the limit, `>=`, cache writes counted; what document 001 describes. */
export const opencode1157: Policy = resolvePolicy(opencode1123, {
  name: 'opencode-1.1.57',
  describes: 'OpenCode 1.1.57 to 1.1.59 (2026-02-11 to 2026-02-12), which document 001 describes.',
  source: `${HISTORY}: O7, P3, F3, S4`,
  trigger: { overflow: 'v1.1.57' },
  reading: { usage: 'v1.1.57' },
  summary: { systemPrompt: 'v1.1.57', instruction: 'v1.1.57' },
  resume: { continueText: 'v1.1.57' },
});

/**
 * 1.2.16 (2026-03-03) to 1.14.18: a refusal compacts, also with `auto` off, and the refused prompt is
 * sent again after the pivot; a failed summary is no boundary; media is not sent to the summarizer.
 */
export const opencode1216: Policy = resolvePolicy(opencode1157, {
  name: 'opencode-1.2.16',
  describes: 'OpenCode 1.2.16 to 1.14.18 (2026-03-03 to 2026-04-19), which document 003 describes.',
  source: `design document 003; ${HISTORY}: O8, P3, F4, S4`,
  trigger: { overflow: 'v1.1.60', onRefusal: 'compact' },
  reading: { overflowErrors: 'v1.2.16' },
  view: 'v1.2.16',
  summary: { stripMedia: true, overflowFinishes: true, checksOwnUsage: false },
  resume: { replayRefusedPrompt: true, wrapReplay: true, explainRefusal: true },
  breaks: [
    {
      law: 'auto-off-means-never',
      source: 'OpenCode issues 16882 and 30664: a refusal compacts with auto off',
    },
    REPEATS,
    ...opencode1157.breaks,
  ],
});

/**
 * 1.14.19 (2026-04-20) and 1.14.20: the newest turns stay verbatim; prune must be asked for. An attempt that failed stores
 * where its tail begins; of an aborted one the history does not tell, and it stores nothing here.
 */
export const opencode11419: Policy = resolvePolicy(opencode1216, {
  name: 'opencode-1.14.19',
  describes: 'OpenCode 1.14.19 to 1.14.20 (2026-04-20 to 2026-04-21).',
  source: `${HISTORY}: O9, P4, F5, S4, tail of 1.14.19`,
  trigger: { overflow: 'v1.14.19' },
  reading: { usage: 'v1.3.16', overflowErrors: 'v1.3.4', retries: 'v1.14.19' },
  prune: { enabled: false },
  view: 'v1.14.19',
  cut: { keep: 'recent-turns', ...tailRules['v1.14.19'] },
  summary: { systemPrompt: 'v1.3.14', instruction: 'v1.3.7' },
});

/**
 * 1.14.21 to 1.14.39: the oldest turn that is kept may be kept in part, and summaries are anchored. Of its day only that of
 * the change is known (2026-04-22). Earlier markers and summaries are hidden from a summary request in pairs: the marker of
 * an attempt that failed asks its question there, and a summary that was made again in vain is a message like any other.
 */
export const opencode11421: Policy = resolvePolicy(opencode11419, {
  name: 'opencode-1.14.21',
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

/**
 * 1.14.40 (2026-05-07) to 1.14.50: marker and summary stand before the tail, so that an old step is taken for the newest.
 * A compaction by hand ends the turn also where the end of one is kept (case loop-007).
 */
export const opencode11440: Policy = resolvePolicy(opencode11421, {
  name: 'opencode-1.14.40',
  describes: 'OpenCode 1.14.40 to 1.14.50 (2026-05-07 to 2026-05-15).',
  source: `${HISTORY}: O9, P4, F6, S5, tail of 1.14.21; ${OWN_TEXT}`,
  view: 'v1.14.40',
  breaks: [
    {
      law: 'one-compaction-per-step',
      source: 'OpenCode issues 27468 and 26230: two compactions in a row',
    },
    ...opencode11419.breaks.filter(({ law }) => law !== REPEATS.law),
  ],
});

/**
 * 1.14.51 to 1.15.13: the newest step by its id, which is in order of time; the check after a step knows no other output cap,
 * which began with 1.15.1 (2026-05-16).
 */
export const opencode115: Policy = resolvePolicy(opencode11440, {
  name: 'opencode-1.15',
  describes: 'OpenCode 1.14.51 to 1.15.13 (2026-05 to 2026-06 at the latest).',
  source: `${HISTORY}: O10, P4, F6, S5, tail of 1.14.21; ${OWN_TEXT}`,
  trigger: { afterStepOutputCapTokens: 32_000, newestBy: 'time' },
  reading: { usage: 'v1.14.46' },
  breaks: opencode11419.breaks,
});

/**
 * 1.16.0 to 1.17.14: a refusal compacts only while `auto` holds. Of its day only that of 1.17.0 is known (2026-06-05). The
 * prompt is that of releases before 1.17.13.
 */
export const opencode116: Policy = resolvePolicy(opencode115, {
  name: 'opencode-1.16',
  describes: 'OpenCode 1.16.0 to 1.17.14 (2026-06 or before, to 2026-07).',
  trigger: { onRefusal: 'compact-if-auto' },
  resume: { wrapReplay: false },
  breaks: [REPEATS, ...opencode1157.breaks],
});

/** 1.17.15 to 1.18.14: another template for summaries; more errors are known. */
export const opencode118: Policy = resolvePolicy(opencode116, {
  name: 'opencode-1.18',
  describes: 'OpenCode 1.17.15 to 1.18.14 (2026-07 to 2026-08).',
  source: `${HISTORY}: O10, P4, F6, S7, tail of 1.14.21; ${OWN_TEXT}`,
  reading: { overflowErrors: 'v1.18.4', retries: 'v1.17.15' },
  summary: { instruction: 'v1.17.15' },
});

/**
 * The 2.0 engine (2.0.x, 2026-09): the last measured usage with an estimate of what is newer, checked
 * before a request; a checkpoint that holds summary and recent text in one user message; one recovery a turn. Since 2.0.12 the
 * summary request extends the session's (OpenCode issue 43249).
 */
export const opencode20: Policy = resolvePolicy(opencode11419, {
  name: 'opencode-2.0',
  describes: 'The 2.0 engine of OpenCode, 2.0.x (2026-09).',
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
  resume: { continueText: 'none', replayRefusedPrompt: false, explainRefusal: false },
  guards: { rejectEmptySummary: true, rejectTruncatedSummary: true, remindMissingHeadings: true },
  render: { summaryAs: 'checkpoint' },
  breaks: [
    {
      law: 'one-compaction-per-step',
      source: `${HISTORY}, section 11: a refusal is answered once a turn, also right after a checkpoint`,
    },
    { law: 'usable-above-floor', source: 'field report of 2.0.15: loops on a window of 32,768' },
    { law: 'pivot-lowers-context', source: 'field report of 2.0.15: keeps more than the trigger' },
    {
      law: 'newest-request-visible',
      source: `${HISTORY}, section 11: recent entries stay as text inside of the checkpoint`,
    },
    {
      law: 'summary-request-fits',
      source: `${HISTORY}, section 11: the request keeps the real transcript`,
    },
  ],
});
