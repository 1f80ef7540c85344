/** Presets of OpenCode before 1.2.16, in which a refused request ends the turn. */

import { resolvePolicy } from '../check-policy.ts';
import { NO_GUARDS } from '../guards.ts';
import type { BrokenLaw, LawName, Policy, SummaryForm, SummaryLength } from '../policy.ts';
import { pruneRules } from '../prune/by-age.ts';

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

/** Laws that no release before 2.0 guards. */
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
  source: `${HISTORY}: O4, P2, F3, S2`,
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

/** Checked at each step's end as well; a prompt that waits is sent as a reminder. */
export const opencode10224 = resolvePolicy(opencode10154, {
  describes: 'OpenCode 1.0.224 to 1.1.22 (2026-01-02 to 2026-01-14).',
  source: `${HISTORY}: O5, P3, F3, S3`,
  trigger: { afterStep: true },
  resume: { wrapQueued: true },
});

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
