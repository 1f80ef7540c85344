/** Presets of coding agents, read off their sources or observed. */

import { resolvePolicy } from '../check.ts';
import { opencode118, opencode1216, EXTENDING, FRESH, hidesRequest, OWN_TEXT } from './opencode.ts';
import { FILLED, keepNewest, PEERS, REPEATS, UNGUARDED, peer } from './peers.ts';

const MINUTE_MS = 60_000;
const OLD = { count: 3, unit: 'turns' } as const;

/** Without its checkpoints in the background and its cutting of long outputs. */
export const mimoCode = resolvePolicy(opencode118, {
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

export const continueCli = resolvePolicy(peer, {
  describes:
    'Continue CLI (2026-11): at up to 15,000 tokens below the window less an answer, by its own count, before each request; keeps no messages.',
  source: `observed of 1.5.47; ${PEERS}, section 23; ${OWN_TEXT}`,
  trigger: { overflow: 'continue-cli', counted: 'request' },
  summary: { instruction: 'plain', form: EXTENDING, failureGoesOn: true },
  resume: { turnEndText: 'continue' },
  guards: { shrinkSummaryRequest: true },
  estimator: { tokenizer: 'o200k_base' },
  render: { summaryAs: 'assistant' },
  breaks: [...UNGUARDED, hidesRequest('observed: the whole history goes')],
});

/** Without the signatures that it adds and its sliding window after a failure. */
export const rooCode = resolvePolicy(peer, {
  describes:
    'Roo Code (2026-08): above 90 % of the window less an answer; begins afresh with a summary and keeps no messages.',
  source: `${PEERS}, section 11; ${OWN_TEXT}`,
  trigger: { overflow: 'roo-code', countsNewerMessages: true, onRefusal: 'compact-once' },
  summary: { instruction: 'claude-code' },
  guards: { rejectEmptySummary: true },
  breaks: [...FILLED, REPEATS, hidesRequest(`${PEERS}, section 11: every message is replaced`)],
});

/** Hermes; old outputs are not shortened before a summary here. */
export const hermes = resolvePolicy(peer, {
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
    hidesRequest(`${PEERS}, section 24: the middle of a long turn goes`),
  ],
});

/** Aider, which counts what was said; its summaries of summaries are left out. */
export const aider = resolvePolicy(peer, {
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
  cut: { ...keepNewest({ of: 'usable', share: 0.5 }, 'goes'), beginsWith: 'prompt' },
  summary: { instruction: 'aider', form: { kind: 'flattened' } },
  breaks: [...UNGUARDED, hidesRequest(`${PEERS}, section 14: a turn above half is summarised`)],
});

/** nanocoder without a terminal, which never compacts whatever its settings are. */
export const nanocoder = resolvePolicy(peer, {
  describes: 'nanocoder (2026-11) without a terminal: never compacts.',
  source: 'observed of 1.30.0',
  trigger: { auto: false },
  cut: { keep: 'everything' },
  breaks: [],
});

/** pi up to 0.84.3; where a cut splits a turn, one summary stands for both of its own. */
export const pi = resolvePolicy(peer, {
  describes:
    'pi up to 0.84.3: at 16,384 tokens below the window, at the end of turns only; keeps the newest 20,000 tokens.',
  source: `observed of 0.55.4 to 0.84.3; ${PEERS}, section 20; ${OWN_TEXT}`,
  trigger: {
    overflow: 'pi',
    afterStep: true,
    beforeRequest: true,
    onlyBetweenTurns: true,
    countsNewerMessages: true,
    leavesOutPrompts: true,
    onRefusal: 'compact-once',
  },
  reading: { overflowErrors: 'without-413', outputCapCharacters: { whole: 51_200, kept: 'end' } },
  cut: { keep: 'recent-messages', tokens: 20_000 },
  summary: {
    instruction: 'pi',
    form: { kind: 'flattened' },
    length: {
      tokens: 1_040,
      source: 'mean of the 2 recorded summaries (963 and 1,111), by o200k_base',
    },
    toolOutputChars: 2_000,
    anchored: true,
    splitTurnApart: true,
    outputCapTokens: 13_107,
  },
  guards: { ignoreStaleUsage: true },
  estimator: { rounding: 'ceil', imageTokens: 1_200 },
  breaks: [...UNGUARDED, REPEATS, hidesRequest(`${PEERS}, section 20: a turn may be split`)],
});

/** Also looks at each step with its outputs; never compacts behind one whose outputs are more than is kept. */
export const pi084 = resolvePolicy(pi, {
  describes:
    'pi 0.84.4 to 0.85.1: at 16,384 tokens below the window, between tool steps and at the end of turns; keeps the newest 20,000 tokens.',
  source: `observed of 0.84.4, read in 0.85.1; ${OWN_TEXT}`,
  trigger: { onlyBetweenTurns: false },
  summary: { failureGoesOn: true },
});

export const pi086 = resolvePolicy(pi084, {
  describes: 'pi 0.86.1 to 1.3.0: as 0.84.4, and at least the newest step stays.',
  source: `observed of 0.86.1 and 1.3.0; ${OWN_TEXT}`,
  cut: { keep: 'recent-messages', tokens: 20_000, newestStays: true },
});

export const pi16 = resolvePolicy(pi086, {
  describes:
    'pi from 1.4.0 on: at 16,384 tokens below the window, between tool steps and at the end of turns, and at HTTP 413; keeps the newest 20,000 tokens, at least the newest step.',
  source: `observed of 1.4.0 to 1.6.0; ${OWN_TEXT}`,
  reading: { overflowErrors: 'v1.18.4' },
});

const TEXT = "what the summary is asked for is not known, and is the project's own";

/** Copilot CLI; its summary may take more than two steps, the least that was seen. */
export const copilotCli = resolvePolicy(peer, {
  describes:
    'Copilot CLI (2026): from 80 % of the prompt limit on in the background, to take effect two steps later; waits at 95 %; keeps all user messages and what came since.',
  source: `recordings and documents (2026-11): triggers, delay, what is kept, form of the request; ${TEXT}`,
  trigger: {
    overflow: 'copilot-cli',
    background: { swapAfterSteps: 2, blocksAt: 'copilot-cli-block' },
    countsNewerMessages: true,
  },
  cut: { keep: 'user-messages' },
  summary: { instruction: 'codex-local', form: EXTENDING },
  breaks: [
    ...UNGUARDED,
    hidesRequest('recordings (2026-11): earlier prompts that say the same are quoted as well'),
  ],
});

export const copilotChat = resolvePolicy(copilotCli, {
  describes:
    'Copilot Chat in VS Code (2026-08): in the background from 75 % of 85 % of the window, waits at 95 % of it; keeps what came since. The tools, which it takes off the window, are taken to be nothing.',
  source: `${PEERS}, section 24: triggers; delay and form of the request as Copilot CLI; ${TEXT}`,
  trigger: { overflow: 'copilot-chat', background: { blocksAt: 'copilot-chat-block' } },
  cut: { keep: 'unanswered' },
  guards: { rejectTruncatedSummary: true },
  breaks: [...UNGUARDED, hidesRequest(`${PEERS}, section 24: no messages that stay were found`)],
});

/** Of the window an eighth is for the answer. */
const ASKED_SHARE = (7 / 8) * 0.85;
const AGAIN = { ...FRESH, tools: true };

export const kimiCli = resolvePolicy(peer, {
  describes:
    'Kimi CLI (2026): at 85 % of the window or 50,000 tokens below it, whichever is less; keeps the newest two messages.',
  source: `${PEERS}, section 21; ${OWN_TEXT}`,
  trigger: { overflow: 'kimi-cli', countsNewerMessages: true },
  cut: { keep: 'newest-messages', count: 2 },
  summary: { instruction: 'kimi-cli', form: { kind: 'flattened' } },
  breaks: [...UNGUARDED, hidesRequest(`${PEERS}, section 21: two messages stay`)],
});

export const kimiCode020 = resolvePolicy(peer, {
  describes:
    'Kimi Code 0.20: at 85 % of the window or 50,000 tokens below it, whichever is less; keeps the newest four messages, results counted.',
  source: `observed of 0.20.0; ${OWN_TEXT}`,
  trigger: { overflow: 'kimi-code', countsNewerMessages: true, onRefusal: 'compact-if-auto' },
  cut: { keep: 'newest-exchanges', count: 4, windowShare: 0.2 },
  summary: {
    instruction: 'kimi-cli',
    form: EXTENDING,
    asksAgain: { attempts: 5, afterErrors: false, drops: 'newest' },
  },
  guards: { rejectEmptySummary: true },
  estimator: { rounding: 'ceil' },
  breaks: [...FILLED, REPEATS, hidesRequest('observed of 0.20.0: four messages stay')],
});

/** Kimi Code 0.39, which summarises all by the session's own request with one message more. */
export const kimiCode039 = resolvePolicy(kimiCode020, {
  describes:
    'Kimi Code 0.39 to 0.43: at 85 % of the window or 50,000 tokens below it, whichever is less; keeps up to 20,000 tokens of what the person said.',
  source: `observed of 0.39.0 and 0.43.1; ${OWN_TEXT}`,
  trigger: { takesZero: true },
  reading: { overflowErrors: 'without-413', retries: 'kimi-code' },
  cut: { keep: 'user-messages', tokens: 20_000, firstTokens: 2_000 },
  summary: {
    readsKept: 'all',
    asksAgain: {
      form: AGAIN,
      drops: 'oldest',
      reminders: 2,
      refusedShares: [0.7, 0.5, 0.35],
    },
  },
  breaks: [...FILLED, REPEATS, hidesRequest('observed of 0.30.0: a long prompt is cut')],
});

export const kimiCode030 = resolvePolicy(kimiCode039, {
  describes: 'Kimi Code 0.25 to 0.38: as 0.39, but later summaries have a prompt of their own.',
  source: `observed of 0.25.0 to 0.38.0; ${OWN_TEXT}`,
  trigger: { takesZero: false },
  summary: { laterForm: AGAIN, asksAgain: { reminders: 1 } },
});

/** Kimi Code 2: only the newest messages that fit are summarised, after a refusal fewer. */
export const kimiCode = resolvePolicy(kimiCode039, {
  describes:
    'Kimi Code 2: at 85 % of the window or 50,000 tokens below it, whichever is less; keeps up to 20,000 tokens of what the person said.',
  source: `observed of 2.0.2 and 2.1.0; ${OWN_TEXT}`,
  reading: { outputCapCharacters: { whole: 50_000, kept: 5_400 } },
  // Below the rule's own limit, where `compaction_trigger_ratio` asks for one.
  trigger: { background: { swapAfterSteps: 1, blocksAt: 'kimi-code' } },
  summary: { refusedForm: AGAIN, askedShare: ASKED_SHARE },
});

export const kilo70 = resolvePolicy(opencode1216, {
  describes: 'Kilo 7.0 (2026-05): as OpenCode 1.2.16, but a refused request ends the turn.',
  source: 'observed of 7.0.33',
  trigger: { onRefusal: 'stop' },
  // Nothing but a refusal compacts against a person's wish.
  breaks: opencode1216.breaks.filter(({ law }) => law !== 'auto-off-means-never'),
});

export const kilo77 = resolvePolicy(opencode118, {
  describes: 'Kilo 7.7.0 to 7.7.6 (2026-09): as OpenCode 1.18, checked before a request alone.',
  source: 'observed of 7.7.2',
  trigger: { afterStep: false },
});

export const kilo = resolvePolicy(kilo77, {
  describes:
    'Kilo 7.7.7 and later (2026-09): checked before a request alone; keeps up to 15,000 tokens; rejects empty summaries.',
  source: 'observed of 7.7.7 and 7.7.9',
  cut: { keep: 'recent-turns', turns: 1, splitsTurns: true, maximumBudgetTokens: 15_000 },
  summary: {
    form: { kind: 'flattened' },
    refusedChunks: { usableShare: 0.6, form: { ...FRESH, tools: false } },
  },
  resume: { replaysAlone: true },
  guards: { rejectEmptySummary: true },
});

const FIRST_STAYS = 'observed: without a model, the prompt stays in front';
const PROMPT_GOES = hidesRequest('observed: the prompt that a session begins with is summarised');

/** Without its lists of files, and the list of commands that it writes without a model. */
export const cline357 = resolvePolicy(peer, {
  describes:
    'Cline 3.0.57 to 3.0.63 (2026-08 to 2026-09): at 90 % of the input by its own estimate; keeps the newest 20,000 tokens and the newest prompt.',
  source: `observed of 3.0.57 and 3.0.62; ${PEERS}, section 10a; ${OWN_TEXT}`,
  trigger: { overflow: 'cline', counted: 'request', onRefusal: 'compact-once' },
  cut: { keep: 'newest-steps', tokens: 20_000 },
  summary: {
    instruction: 'cline',
    fallback: {
      text: 'Earlier messages were left out.',
      cut: { ...keepNewest({ of: 'all', share: 0.5 }, 'goes'), first: 1 },
    },
    form: { kind: 'flattened' },
    // It reads no results that are in pieces, as those of its own tools are.
    toolOutputChars: 0,
    anchored: true,
    outputCapTokens: 4_096,
    // The server's error is answered without a model, an empty answer by another request.
    asksAgain: { attempts: 3, afterErrors: false, drops: 'nothing' },
    failureGoesOn: true,
  },
  guards: { rejectEmptySummary: true },
  estimator: { charsPerToken: 3, rounding: 'ceil' },
  breaks: [
    ...FILLED,
    REPEATS,
    PROMPT_GOES,
    { law: 'ordered-by-time', source: FIRST_STAYS },
    { law: 'nothing-before-the-pivot', source: FIRST_STAYS },
  ],
});

/** The usage of the request before counts where it is more than the estimate. */
export const cline = resolvePolicy(cline357, {
  describes:
    'Cline 3.0.64 and later (2026-09): at 90 % of the input by its own estimate or by usage, whichever is more; keeps the newest 20,000 tokens and the newest prompt.',
  source: `observed of 3.0.64 and 3.0.65; ${PEERS}, section 10a; ${OWN_TEXT}`,
  trigger: { counted: 'request-or-usage' },
  reading: { overflowErrors: 'without-413' },
  summary: { outputCapTokens: 8_192 },
});

/** Without clearing files that were read twice and dropping three quarters. */
export const clineClassic = resolvePolicy(peer, {
  describes:
    'Cline up to 2026-06: at 27,000 to 40,000 tokens below the window; drops half of the messages behind the first exchange.',
  source: `${PEERS}, section 10b; not observed`,
  trigger: { overflow: 'cline-classic', onRefusal: 'compact-once' },
  cut: { ...keepNewest({ of: 'all', share: 0.5 }, 'goes'), first: 2 },
  summary: { instruction: 'plain', fixedText: '' },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    hidesRequest(`${PEERS}, section 10b: the middle of a session goes, prompts too`),
  ],
});
