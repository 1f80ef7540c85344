/** Presets of coding agents that have one preset each, read off their sources. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { EXTENDING, opencode118 } from './opencode.ts';
import { FILLED, OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

const MINUTE_MS = 60_000;
const OLD = { count: 3, unit: 'turns' } as const;

/** Xiaomi's fork of OpenCode. Its checkpoints, which are written in the background, and the cutting of long outputs are left out. */
export const mimoCode: Policy = resolvePolicy(opencode118, {
  name: 'mimo-code',
  describes:
    'MiMo-Code (2026-08): OpenCode 1.18 with room for a summary and an answer below the window; clears old media, thoughts and outputs once the cache is cold.',
  source: `${PEERS}, section 2`,
  trigger: { overflow: 'mimo-code' },
  prune: {
    enabled: true,
    when: 'idle',
    idleMs: 5 * MINUTE_MS,
    byAge: { protectTokens: 40_000, minimumTokens: 20_000, guardTurns: 3 },
    cleanups: [
      { pass: 'media', when: 'idle', olderThan: OLD },
      { pass: 'reasoning', when: 'idle', olderThan: OLD },
    ],
  },
});

/**
 * Continue's command line: one summary of everything, in the model's place. It counts by a tokenizer of its own, and asks to
 * go on once the turn is over; both are left out.
 */
export const continueCli: Policy = resolvePolicy(peer, {
  name: 'continue-cli',
  describes:
    'Continue CLI (2026-11): at up to 15,000 tokens below the window less an answer, by its own count, before each request; keeps no messages.',
  source: `observed of 1.5.47; ${PEERS}, section 23; ${OWN_TEXT}`,
  trigger: { overflow: 'continue-cli', counted: 'request' },
  summary: { instruction: 'plain', form: EXTENDING, failureGoesOn: true },
  guards: { shrinkSummaryRequest: true },
  render: { summaryAs: 'assistant' },
  breaks: [
    ...UNGUARDED,
    { law: 'newest-request-visible', source: 'observed: the whole history goes' },
  ],
});

/** Roo Code's fresh start. Signatures of files, commands and the state of the editor, which it adds, and its sliding window after a failure are left out. */
export const rooCode: Policy = resolvePolicy(peer, {
  name: 'roo-code',
  describes:
    'Roo Code (2026-08): above 90 % of the window less an answer; begins afresh with a summary and keeps no messages.',
  source: `${PEERS}, section 11; ${OWN_TEXT}`,
  trigger: { overflow: 'roo-code', countsNewerMessages: true, onRefusal: 'compact-once' },
  summary: { instruction: 'claude-code' },
  guards: { rejectEmptySummary: true },
  breaks: [
    ...FILLED,
    REPEATS,
    { law: 'newest-request-visible', source: `${PEERS}, section 11: every message is replaced` },
  ],
});

/** Hermes: the first exchange and the newest messages stay. Old outputs are not shortened before a summary here. */
export const hermes: Policy = resolvePolicy(peer, {
  name: 'hermes',
  describes:
    'Hermes agent (2026-08): at half of the window; keeps the first exchange, and the newest 20 messages or 10 % of the window, whichever is more.',
  source: `${PEERS}, section 24; ${OWN_TEXT}`,
  trigger: { overflow: 'hermes', onRefusal: 'compact-once' },
  cut: {
    keep: 'ends',
    unit: 'messages',
    // The first of the three is the system prompt.
    first: 2,
    newest: [
      { of: 'messages', count: 20 },
      { of: 'usable', share: 0.2 },
    ],
    crossing: 'stays',
  },
  summary: {
    instruction: 'v1.14.21',
    form: { kind: 'flattened' },
    anchored: true,
    outputCapTokens: 10_000,
  },
  guards: { maxIneffective: 2 },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    {
      law: 'newest-request-visible',
      source: `${PEERS}, section 24: the middle of a long turn goes`,
    },
  ],
});

/** Aider counts what was said, not files or system prompt. Its summaries of summaries, where one is too long, are left out. */
export const aider: Policy = resolvePolicy(peer, {
  name: 'aider',
  describes:
    'Aider (2026-08): chat history above a sixteenth of the window, at most 8,192 tokens, after a turn; keeps half of that.',
  source: `${PEERS}, section 14; ${OWN_TEXT}`,
  trigger: {
    overflow: 'aider',
    counted: 'messages',
    afterStep: true,
    beforeRequest: false,
    onlyBetweenTurns: true,
  },
  cut: {
    keep: 'ends',
    unit: 'messages',
    first: 0,
    newest: [{ of: 'usable', share: 0.5 }],
    crossing: 'goes',
    beginsWith: 'prompt',
  },
  summary: { instruction: 'aider', form: { kind: 'flattened' } },
  breaks: [
    ...UNGUARDED,
    {
      law: 'newest-request-visible',
      source: `${PEERS}, section 14: a turn above half is summarised`,
    },
  ],
});

/** nanocoder without a terminal: it never compacts, whatever its settings are, and a request that is refused ends the turn. In a terminal it does. */
export const nanocoder: Policy = resolvePolicy(peer, {
  name: 'nanocoder',
  describes: 'nanocoder (2026-11) without a terminal: never compacts.',
  source: 'observed of 1.30.0',
  trigger: { auto: false },
  cut: { keep: 'everything' },
  breaks: [],
});
