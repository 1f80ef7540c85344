/** Presets of the five design documents, each to the letter. */

import { resolvePolicy } from '../check-policy.ts';
import { NO_GUARDS } from '../guards.ts';
import type { Policy } from '../policy.ts';
import { DEFAULT_BY_AGE } from '../prune/by-age.ts';
import { ASSUMED_LENGTH, FRESH, opencode1216 } from './opencode.ts';

/**
 * Document 002, the portable design, to the letter: one check after each step, no room for cache writes
 * in the count, an input limit that counts even when it is 0, no handling of refusals, a failed attempt
 * that leaves nothing behind, a prune that ends at a summary wherever it stands. Its "1–2 turns" and how a
 * usage is read, of which no document tells, are those of the release that it describes; an output limit of 0 is not set.
 */
export const document002: Policy = {
  name: 'document-002',
  describes: 'The portable design of OpenCode-style compaction (describes 1.1.23 to 1.1.56).',
  source: 'design document 002',
  trigger: {
    auto: true,
    overflow: 'document-002',
    outputCapTokens: 32_000,
    afterStep: true,
    beforeRequest: false,
    countsNewerMessages: false,
    onRefusal: 'stop',
    newestBy: 'position',
  },
  reading: { usage: 'v1.0.62', retries: 'v1.2.16' },
  prune: {
    enabled: true,
    when: 'turn-end',
    pass: 'by-age',
    byAge: { ...DEFAULT_BY_AGE, summaryInGuard: 'stop' },
    storedOutput: 'kept',
  },
  view: 'v1.0.69',
  cut: { keep: 'nothing' },
  summary: {
    systemPrompt: 'v1.0.154',
    instruction: 'v1.0.123',
    form: FRESH,
    length: ASSUMED_LENGTH,
    stripMedia: false,
    anchored: false,
    markerInHead: true,
    answers: 'marker',
    onFailure: 'roll-back',
    overflowFinishes: false,
    checksOwnUsage: false,
  },
  resume: {
    continueText: 'v1.0.69',
    replayRefusedPrompt: false,
    wrapQueued: false,
    explainRefusal: false,
  },
  guards: NO_GUARDS,
  estimator: { charsPerToken: 4, rounding: 'round' },
  render: {
    clearedOutput: '[Old tool result content cleared]',
    markerQuestion: 'What did we do so far?',
    summaryAs: 'assistant',
  },
  breaks: [
    {
      law: 'no-boundary-without-text',
      source: 'design document 002, section 4.2: any completed summary is a pivot',
    },
    {
      law: 'newest-request-visible',
      source: 'design document 002, section 4.4: nothing before the marker is kept',
    },
    { law: 'usable-above-floor', source: 'design document 002: no floor is looked at' },
    { law: 'pivot-lowers-context', source: 'design document 002: no progress is looked at' },
    {
      law: 'summary-request-fits',
      source: 'design document 002, section 4.2: the whole stream is sent',
    },
  ],
};

/**
 * Document 000 to the letter: its loop checks before a request only; its prune leaves the parts of a
 * message at a cleared one and goes on with older messages; its agent prompt is a paraphrase.
 */
export const document000: Policy = resolvePolicy(document002, {
  name: 'document-000',
  describes: 'The subsystem specification of OpenCode compaction (describes 1.1.23 to 1.1.56).',
  source: 'design document 000',
  trigger: { overflow: 'v1.1.23', afterStep: false, beforeRequest: true },
  prune: { byAge: { atCleared: 'next-message', summaryInGuard: 'pass' } },
  summary: { systemPrompt: 'document-000', answers: 'last-user' },
  breaks: [
    {
      law: 'no-boundary-without-text',
      source: 'design document 000: a completed summary is a boundary',
    },
    {
      law: 'newest-request-visible',
      source: 'design document 000: messages before the marker are excluded',
    },
    { law: 'usable-above-floor', source: 'design document 000: no floor is looked at' },
    { law: 'pivot-lowers-context', source: 'design document 000: no progress is looked at' },
    { law: 'summary-request-fits', source: 'design document 000: all prior messages are sent' },
  ],
});

/**
 * Document 001 to the letter: prune runs when an overflow was found, and a pivot follows only if it freed too
 * little; rounding up, no minimum, no stop at cleared outputs, which are overwritten; the newest turn stays.
 * Its prompts are not in the document: those of the release that it describes. Nor does it say when it checks: after each
 * step, as document 002. Markers and continue texts count as turns of the user, as in the release.
 */
export const document001: Policy = resolvePolicy(document002, {
  name: 'document-001',
  describes:
    'A chapter on compaction in OpenCode (its overflow check is that of 1.1.57 to 1.1.59).',
  source: 'design document 001',
  trigger: { overflow: 'v1.1.57' },
  prune: {
    when: 'on-overflow',
    byAge: { minimumTokens: 0, atCleared: 'go-on', summaryInGuard: 'pass' },
    storedOutput: 'overwritten',
  },
  view: 'document-004',
  cut: { keep: 'last-turns', count: 1 },
  summary: { systemPrompt: 'v1.1.57', instruction: 'v1.1.57', markerInHead: false },
  resume: { continueText: 'v1.1.57' },
  estimator: { rounding: 'ceil' },
  render: { clearedOutput: '[output truncated by compaction]' },
  breaks: [
    {
      law: 'newest-request-visible',
      source: 'design document 001, section 4.5.4: of a single turn nothing is kept apart',
    },
    {
      law: 'no-boundary-without-text',
      source: 'design document 001, section 4.5.4: any summary replaces the messages',
    },
    {
      law: 'summary-request-fits',
      source: 'design document 001, section 4.5.4: says nothing of a limit',
    },
    { law: 'usable-above-floor', source: 'design document 001: no floor is looked at' },
    { law: 'pivot-lowers-context', source: 'design document 001: no progress is looked at' },
    {
      law: 'prune-clears-what-it-planned',
      source: 'design document 001, section 4.5.3: cleared outputs are planned again',
    },
  ],
});

/**
 * Document 003 to the letter: OpenCode of 2026-03-04, but for a prune that guards no turns, and for `auto`, which
 * disables compaction entirely. Its three lines on what follows a compaction are read as the program has them: the
 * note on media stands where a refusal could not be replayed.
 */
export const document003: Policy = resolvePolicy(opencode1216, {
  name: 'document-003',
  describes: 'Notes on OpenCode compaction at commit 22a4c5a (2026-03-04, after 1.2.17).',
  source: 'design document 003',
  trigger: { onRefusal: 'compact-if-auto' },
  prune: { byAge: { guardTurns: 0 } },
  resume: { wrapQueued: false },
  breaks: opencode1216.breaks.filter(({ law }) => law !== 'auto-off-means-never'),
});

/**
 * Document 004 to the letter: nine tenths of the window, the ten newest messages stay behind the summary,
 * an instruction in the system prompt, no prune, no continue text. `isOverflow` is the trigger.
 */
export const document004: Policy = resolvePolicy(document002, {
  name: 'document-004',
  describes: 'A lesson on context window management in OpenCode; describes no release.',
  source: 'design document 004',
  trigger: { overflow: 'document-004' },
  prune: { enabled: false },
  view: 'document-004',
  cut: { keep: 'last-messages', count: 10 },
  summary: {
    systemPrompt: 'document-004',
    instruction: 'document-004',
    length: { tokens: 2_000, source: 'design document 004: draws a summary of 2K tokens' },
    markerInHead: false,
  },
  resume: { continueText: 'none' },
  breaks: [
    { law: 'usable-above-floor', source: 'design document 004: no floor is looked at' },
    {
      law: 'no-boundary-without-text',
      source: 'design document 004: the summary is stored whatever it says',
    },
    {
      law: 'newest-request-visible',
      source: 'design document 004: only the ten newest messages are kept',
    },
    { law: 'summary-request-fits', source: 'design document 004: all but ten messages are sent' },
    {
      law: 'pivot-lowers-context',
      source: 'design document 004: of five messages or fewer, and of ten, the slices keep all',
    },
    {
      law: 'nothing-before-the-pivot',
      source: 'design document 004: what was not summarised stays, through any number of pivots',
    },
    {
      law: 'ordered-by-time',
      source: 'design document 004: an earlier summary that is kept stands before older messages',
    },
  ],
});

/**
 * Document 004 with the check that its processor makes, and not `isOverflow`: the input alone above nine tenths of the
 * window, also of a window of 0. It stores input and cache reads as the SDK reports them.
 */
export const document004Processor: Policy = resolvePolicy(document004, {
  name: 'document-004-processor',
  describes:
    'Document 004 with the check that its processor wires: input above 90 % of the window.',
  source: 'design document 004, Overflow Detection',
  trigger: { overflow: 'document-004-processor' },
  reading: { usage: 'v1.0.61' },
});
