/** Presets of Gemini CLI and of Qwen Code, by release. */

import { resolvePolicy } from '../check-policy.ts';
import { QWEN_CLEARS } from './claude-code.ts';
import { ASSUMED_LENGTH, EXTENDING, FRESH, hidesRequest } from './opencode-early.ts';
import { FILLED, OWN_TEXT, PEERS, REPEATS, UNGUARDED, peer } from './peers.ts';

const OBSERVED = 'records of the oracle (2026-11)';
const SHARE = 0.3;
const ALL_GOES = hidesRequest(
  `${PEERS}, section 6a: all is summarised after a last word of the model`,
);

/** Gemini CLI 0.24, which opens each session with a message of its own. */
export const geminiCli024 = resolvePolicy(peer, {
  describes:
    'Gemini CLI (0.24): at half the window, also in a session of one prompt; clears nothing.',
  source: `${OBSERVED}; ${PEERS}, section 6a; ${OWN_TEXT}`,
  trigger: { overflow: 'gemini-cli' },
  reading: { overflowErrors: 'none' },
  cut: { keep: 'last-share', share: SHARE, opening: true },
  summary: {
    instruction: 'gemini-cli',
    anchored: true,
    asksAgain: { attempts: 5, afterErrors: false, drops: 'nothing' },
  },
  estimator: { imageTokens: 3_000, documentTokens: 25_800 },
  breaks: [...UNGUARDED, ALL_GOES],
});

/** A second call checks the summary, and old outputs are masked before each request. */
export const geminiCli034 = resolvePolicy(geminiCli024, {
  describes:
    'Gemini CLI (0.34 to 0.52), classic: at half the window, also in a session of one prompt; clears beyond 50,000 tokens of output, at least 30,000 at a time.',
  prune: {
    enabled: true,
    when: 'before-request',
    byAge: {
      protectTokens: 50_000,
      minimumTokens: 29_999,
      skipNewestMessages: 1,
      summaryInGuard: 'stop',
      protectedTools: ['activate_skill', 'ask_user', 'enter_plan_mode', 'exit_plan_mode'],
    },
  },
  summary: { form: { verifies: true }, asksAgain: { attempts: 10 } },
  guards: { rejectEmptySummary: true },
  breaks: [...FILLED, ALL_GOES],
});

/** Gemini CLI 0.61, where the opening message is part of the first prompt. */
export const geminiCli = resolvePolicy(geminiCli034, {
  describes:
    'Gemini CLI (0.61), classic: at half the window, never in a session of one prompt; clears beyond 50,000 tokens of output, at least 30,000 at a time.',
  cut: { keep: 'last-share', share: SHARE },
});

const MINUTE_MS = 60_000;

export const qwenCode012 = resolvePolicy(peer, {
  describes:
    'Qwen Code 0.12: at 70 % of the window; keeps the newest 30 %, at least from the newest prompt on.',
  source: `observed of 0.12.0; ${OWN_TEXT}`,
  trigger: { overflow: 'qwen-code-0.15' },
  cut: { keep: 'last-share', share: 0.3, opening: true },
  summary: { instruction: 'qwen-code', length: ASSUMED_LENGTH, failureGoesOn: true },
  // It compares sizes as the provider tells them, which no summary of a small head exceeds.
  guards: { rejectEmptySummary: true, maxFailures: 1 },
  estimator: { rounding: 'ceil', imageTokens: 1_600, documentTokens: 1_600 },
  breaks: [
    ...FILLED,
    REPEATS,
    hidesRequest('observed of 0.15.10: all is summarised after a last word of the model'),
  ],
});

/** Qwen Code 0.15: in the middle of a turn its newest three steps stay, and not the prompt. */
export const qwenCode015 = resolvePolicy(qwenCode012, {
  describes:
    'Qwen Code 0.15: at 70 % of the window; keeps the newest 30 % from a prompt on, or the newest three steps of a turn.',
  source: `observed of 0.15.10; ${OWN_TEXT}`,
  trigger: { onRefusal: 'compact-once' },
  reading: { longOutputs: { wholeChars: 25_000, keptChars: 25_000 } },
  cut: { keep: 'last-share', share: 0.3, steps: 3 },
});

export const qwenCode = resolvePolicy(qwenCode015, {
  describes:
    'Qwen Code 0.24: at 33,000 tokens below the window, but at 85 % of it at the latest; keeps the newest call and its results.',
  source: `observed of 0.21.10 to 0.24.4; ${PEERS}, section 5; ${OWN_TEXT}`,
  trigger: { overflow: 'qwen-code', countsNewerMessages: true, onRefusal: 'compact-once' },
  reading: { longOutputs: { wholeChars: 25_000, keptChars: 4_500 } },
  prune: {
    enabled: true,
    when: 'idle',
    idleMs: 60 * MINUTE_MS,
    pass: 'keep-last',
    keepLast: { outputs: 5, tools: QWEN_CLEARS },
  },
  cut: { keep: 'pending' },
  summary: {
    form: EXTENDING,
    readsKept: 'steps',
    stripMedia: true,
    outputCapTokens: 20_000,
    refusedForm: FRESH,
    asksAgain: { attempts: 2, afterErrors: true, form: FRESH, drops: 'nothing' },
  },
  resume: { rereads: { files: 5, fileTokens: 5_000, longFiles: 'path', totalTokens: 50_000 } },
  guards: { rejectLargerSummary: true, rejectTruncatedSummary: true, maxFailures: 3 },
  breaks: [
    ...FILLED,
    REPEATS,
    hidesRequest('observed of 0.24.4: what is answered is summarised, and all after a refusal'),
  ],
});
