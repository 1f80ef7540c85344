/** Presets of GitHub Copilot: summaries that are written while the loop goes on. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { EXTENDING } from './opencode.ts';
import { peer, PEERS, UNGUARDED } from './peer.ts';

/** Recordings do not show the summary's instruction; this one is the project's own. */
const TEXT = "what the summary is asked for is not known, and is the project's own";

/**
 * Copilot CLI: asks for a summary at four fifths of the prompt limit and goes on; two steps later the summary stands in front of
 * all that came since, with every message of the user word for word. That may take more steps: two is the least that was seen.
 */
export const copilotCli: Policy = resolvePolicy(peer, {
  name: 'copilot-cli',
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
    {
      law: 'newest-request-visible',
      source: 'recordings (2026-11): earlier prompts that say the same are quoted as well',
    },
  ],
});

/** Copilot Chat in VS Code: as Copilot CLI, by shares of a budget, and keeps nothing but what nobody has answered. */
export const copilotChat: Policy = resolvePolicy(copilotCli, {
  name: 'copilot-chat',
  describes:
    'Copilot Chat in VS Code (2026-08): in the background from 75 % of 85 % of the window, waits at 95 % of it; keeps what came since. The tools, which it takes off the window, are taken to be nothing.',
  source: `${PEERS}, section 24: triggers; delay and form of the request as Copilot CLI; ${TEXT}`,
  trigger: {
    overflow: 'copilot-chat',
    background: { blocksAt: 'copilot-chat-block' },
  },
  cut: { keep: 'unanswered' },
  guards: { rejectTruncatedSummary: true },
  breaks: [
    ...UNGUARDED,
    {
      law: 'newest-request-visible',
      source: `${PEERS}, section 24: no messages that stay were found`,
    },
  ],
});
