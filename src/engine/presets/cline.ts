/** Presets of Cline. */

import { resolvePolicy } from '../check-policy.ts';
import type { BrokenLaw } from '../policy.ts';
import { hidesRequest } from './opencode-early.ts';
import { FILLED, OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peers.ts';

const PROMPT_GOES: BrokenLaw = hidesRequest(
  'observed: the prompt that a session begins with is summarised',
);

/** Without its lists of files and what it writes without a model. */
export const cline357 = resolvePolicy(peer, {
  describes:
    'Cline 3.0.57 to 3.0.63 (2026-08 to 2026-09): at 90 % of the input by its own estimate; keeps the newest 20,000 tokens and the newest prompt.',
  source: `observed of 3.0.57 and 3.0.62; ${PEERS}, section 10a; ${OWN_TEXT}`,
  trigger: { overflow: 'cline', counted: 'request', onRefusal: 'compact-once' },
  cut: { keep: 'newest-steps', tokens: 20_000 },
  summary: {
    instruction: 'cline',
    form: { kind: 'flattened' },
    toolOutputChars: 2_000,
    anchored: true,
    outputCapTokens: 4_096,
    // The server's error is answered without a model, an empty answer by another request.
    asksAgain: { attempts: 2, afterErrors: false, drops: 'nothing' },
    failureGoesOn: true,
  },
  guards: { rejectEmptySummary: true },
  estimator: { charsPerToken: 3, rounding: 'ceil' },
  breaks: [...FILLED, REPEATS, PROMPT_GOES],
});

/** The usage of the request before counts where it is more than the estimate. */
export const cline = resolvePolicy(cline357, {
  describes:
    'Cline 3.0.64 and later (2026-09): at 90 % of the input by its own estimate or by usage, whichever is more; keeps the newest 20,000 tokens and the newest prompt.',
  source: `observed of 3.0.64 and 3.0.65; ${PEERS}, section 10a; ${OWN_TEXT}`,
  trigger: { counted: 'request-or-usage' },
  summary: { outputCapTokens: 8_192 },
});

/** Without clearing files that were read twice and dropping three quarters. */
export const clineClassic = resolvePolicy(peer, {
  describes:
    'Cline up to 2026-06: at 27,000 to 40,000 tokens below the window; drops half of the messages behind the first exchange.',
  source: `${PEERS}, section 10b; not observed`,
  trigger: { overflow: 'cline-classic', onRefusal: 'compact-once' },
  cut: {
    keep: 'ends',
    unit: 'messages',
    first: 2,
    newest: [{ of: 'all', share: 0.5 }],
    crossing: 'goes',
  },
  summary: { instruction: 'plain', fixedText: '' },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    hidesRequest(`${PEERS}, section 10b: the middle of a session goes, prompts too`),
  ],
});
