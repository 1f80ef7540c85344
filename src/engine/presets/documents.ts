/** Presets of the five design documents, each to the letter. */

import { resolvePolicy } from '../check.ts';
import type { Policy } from '../policy.ts';
import { DEFAULT_BY_AGE } from '../prune/plan.ts';
import { opencode1216, brokenLaws, opencode08, hidesRequest } from './opencode.ts';
import { expectNamed } from '../expect.ts';
import type { EvictionName } from '../prune-policy.ts';
import { evictionOrders } from '../prune/prune.ts';

/** Its "1–2 turns" and how a usage is read are those of the release that it describes. */
export const document002: Policy = {
  ...resolvePolicy(opencode08, {
    describes: 'The portable design of OpenCode-style compaction (describes 1.1.23 to 1.1.56).',
    source: 'design document 002',
    trigger: { overflow: 'document-002', afterStep: true, beforeRequest: false },
    reading: { usage: 'v1.0.62' },
    prune: {
      enabled: true,
      when: 'turn-end',
      byAge: { ...DEFAULT_BY_AGE, summaryInGuard: 'stop' },
    },
    view: 'v1.0.69',
    summary: {
      systemPrompt: 'v1.0.154',
      instruction: 'v1.0.123',
      markerInHead: true,
      answers: 'marker',
      onFailure: 'roll-back',
    },
    breaks: brokenLaws('design document 002', {
      'no-boundary-without-text': ', section 4.2: any completed summary is a pivot',
      'newest-request-visible': ', section 4.4: nothing before the marker is kept',
      'usable-above-floor': ': no floor is looked at',
      'pivot-lowers-context': ': no progress is looked at',
      'summary-request-fits': ', section 4.2: the whole stream is sent',
    }),
  }),
  resume: { continueText: 'v1.0.69', ...opencode08.resume },
};

/** Its agent prompt is a paraphrase. */
export const document000 = resolvePolicy(document002, {
  describes: 'The subsystem specification of OpenCode compaction (describes 1.1.23 to 1.1.56).',
  source: 'design document 000',
  trigger: { overflow: 'v1.1.23', afterStep: false, beforeRequest: true },
  prune: { byAge: { atCleared: 'next-message', summaryInGuard: 'pass' } },
  summary: { systemPrompt: 'document-000', answers: 'last-user' },
  breaks: brokenLaws('design document 000', {
    'no-boundary-without-text': ': a completed summary is a boundary',
    'newest-request-visible': ': messages before the marker are excluded',
    'usable-above-floor': ': no floor is looked at',
    'pivot-lowers-context': ': no progress is looked at',
    'summary-request-fits': ': all prior messages are sent',
  }),
});

/** Prompts, and when it checks, are those of its release and of document 002. */
export const document001 = resolvePolicy(document002, {
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
  breaks: brokenLaws('design document 001', {
    'newest-request-visible': ', section 4.5.4: of a single turn nothing is kept apart',
    'no-boundary-without-text': ', section 4.5.4: any summary replaces the messages',
    'summary-request-fits': ', section 4.5.4: says nothing of a limit',
    'usable-above-floor': ': no floor is looked at',
    'pivot-lowers-context': ': no progress is looked at',
    'prune-clears-what-it-planned': ', section 4.5.3: cleared outputs are planned again',
  }),
});

/** The note on media stands where a refusal could not be replayed, as in the program. */
export const document003 = resolvePolicy(opencode1216, {
  describes: 'Notes on OpenCode compaction at commit 22a4c5a (2026-03-04, after 1.2.17).',
  source: 'design document 003',
  trigger: { onRefusal: 'compact-if-auto' },
  prune: { byAge: { guardTurns: 0 } },
  resume: { wrapQueued: false },
  breaks: opencode1216.breaks.filter(({ law }) => law !== 'auto-off-means-never'),
});

export const document004 = resolvePolicy(document002, {
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
  breaks: brokenLaws('design document 004', {
    'usable-above-floor': ': no floor is looked at',
    'no-boundary-without-text': ': the summary is stored whatever it says',
    'newest-request-visible': ': only the ten newest messages are kept',
    'summary-request-fits': ': all but ten messages are sent',
    'pivot-lowers-context': ': of five messages or fewer, and of ten, the slices keep all',
    'nothing-before-the-pivot': ': what was not summarised stays, through any number of pivots',
    'ordered-by-time': ': an earlier summary that is kept stands before older messages',
  }),
});

/** With the check that its processor makes, also of a window of 0. */
export const document004Processor = resolvePolicy(document004, {
  describes:
    'Document 004 with the check that its processor wires: input above 90 % of the window.',
  source: 'design document 004, Overflow Detection',
  trigger: { overflow: 'document-004-processor' },
  reading: { usage: 'v1.0.61' },
});

const SOURCE = 'design document 004, alternative strategies';

export const rollingWindow = resolvePolicy(document004, {
  describes: 'Keeps the newest 50 messages and discards older ones.',
  source: SOURCE,
  trigger: { auto: false, afterStep: false },
  view: 'rolling-window',
  cut: { keep: 'everything' },
  breaks: [hidesRequest(`${SOURCE}: a long turn pushes its own request out`)],
});

export const selectivePruning = resolvePolicy(document004, {
  describes: 'At 90 % of the window, removes tool outputs but keeps text.',
  source: SOURCE,
  prune: {
    enabled: true,
    when: 'on-overflow',
    pass: 'all-outputs',
    byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0, protectedTools: [] },
  },
  view: 'v1.2.16',
  cut: { keep: 'everything' },
  breaks: [
    { law: 'prune-keeps-guarded-turns', source: `${SOURCE}: every message is stripped` },
    { law: 'prune-keeps-protected-tools', source: `${SOURCE}: every tool result is removed` },
  ],
});

/** Found by words (BM25) where the document asks for a vector database. */
export const externalMemory = resolvePolicy(document004, {
  describes: 'Moves old context to an external store and retrieves what a request needs.',
  source: SOURCE,
  view: 'v1.2.16',
  cut: { keep: 'everything' },
  memory: { keepMessages: 10, recallEntries: 10, recallTokens: 8_000 },
  breaks: [hidesRequest(`${SOURCE}: a long turn moves its own request out`)],
});

const SOURCE_OF_BOUNDS = 'evaluation design, section 9.3';
const BASE: Policy = { ...opencode1216, name: 'opencode-1.2.16' };

/** The bound: it knows which outputs will be needed, and when (Belady's rule, by size). */
export const clairvoyant = replaceEviction(BASE, 'clairvoyant');

/** A baseline that draws lots, by the seed of the run. */
export const random = replaceEviction(BASE, 'random');

export const largestFirst = replaceEviction(BASE, 'largest-first');

/** A baseline that knows what was used, but not what will be. */
export const leastRecentlyUsed = replaceEviction(BASE, 'least-recently-used');

export const none = resolvePolicy(document002, {
  describes: 'Never compacts or prunes; replayed without a window limit.',
  source: 'the control of every comparison',
  trigger: { auto: false, afterStep: false, beforeRequest: false, onRefusal: 'stop' },
  cut: { keep: 'everything' },
  breaks: [],
  prune: { enabled: false },
});

/**
 * A policy that prunes when the base would, as many tokens, and chooses other outputs; all else is the base's. It keeps
 * what it clears, since what the base would see must not be lost. A base without a prune has no other. Throws a
 * `TypeError` at an order that there is not.
 */
export function replaceEviction(base: Policy, evicts: EvictionName): Policy {
  const { describes } = expectNamed('evicts', evicts, evictionOrders);
  const overwrites = base.prune.storedOutput === 'overwritten';
  return resolvePolicy(base, {
    name: evicts,
    describes: `Clears ${describes}, when and as much as ${base.name} would.`,
    source: `${SOURCE_OF_BOUNDS}; all else: ${base.source}`,
    prune: { evicts, storedOutput: 'kept', ...(overwrites && { byAge: { atCleared: 'stop' } }) },
    breaks: [
      ...base.breaks.filter(({ law }) => law !== 'prune-saves-enough'),
      {
        law: 'prune-saves-enough',
        source: `${SOURCE_OF_BOUNDS}: what an earlier prune cleared beyond the budget need not go again`,
      },
    ],
  });
}
