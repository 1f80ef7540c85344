/** Presets of LangChain's middleware, and of deepagents, which is built on it. */

import { resolvePolicy } from '../check-policy.ts';
import type { KeepEnds, KeptAmount } from '../keep-ends.ts';
import type { Policy } from '../policy.ts';
import { OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

const SOURCE = `${PEERS}, section 15`;
const LATE = {
  law: 'newest-request-visible',
  source: `${SOURCE}: newest messages stay, whoever they are of`,
} as const;

/** The newest messages; a step and its results, which are messages of their own there, stay together. */
const keepNewest = (amount: KeptAmount, crossing: KeepEnds['crossing'] = 'stays'): KeepEnds => ({
  keep: 'ends',
  unit: 'messages',
  first: 0,
  newest: [amount],
  crossing,
});

/** By the number of messages, whatever they weigh. What a summarizer is sent is not cut to 4,000 tokens here. */
export const langchainMessages: Policy = resolvePolicy(peer, {
  name: 'langchain-messages',
  describes:
    "LangChain's SummarizationMiddleware (2026-08) by number: at 50 messages; keeps the newest 20.",
  source: `${SOURCE}, and its documentation; ${OWN_TEXT}`,
  trigger: {
    overflow: 'window',
    anyOf: [[{ unit: 'messages', atLeast: 50 }]],
    countsNewerMessages: true,
  },
  cut: keepNewest({ of: 'messages', count: 20 }),
  summary: { instruction: 'langchain', form: { kind: 'flattened' } },
  breaks: [...UNGUARDED, LATE],
});

/** The middleware has no trigger of its own: this is the share that its documentation has. */
export const langchain: Policy = resolvePolicy(langchainMessages, {
  name: 'langchain',
  describes:
    "LangChain's SummarizationMiddleware (2026-08) at 80 % of the window, as documented; keeps the newest 20 messages.",
  trigger: { anyOf: [[{ unit: 'share', atLeast: 0.8 }]] },
});

/** Both kinds of conditions: all of a list must hold, and one list is enough. */
export const langchainClauses: Policy = resolvePolicy(langchainMessages, {
  name: 'langchain-clauses',
  describes:
    "LangChain's SummarizationMiddleware (2026-08) by a list of conditions, with numbers of this project: 100,000 tokens and 40 messages, or 80 % of the window; keeps the newest 20.",
  trigger: {
    anyOf: [
      [
        { unit: 'tokens', atLeast: 100_000 },
        { unit: 'messages', atLeast: 40 },
      ],
      [{ unit: 'share', atLeast: 0.8 }],
    ],
  },
});

/** Moving what was summarised to a file, and cutting long arguments, are left out. */
export const deepagents: Policy = resolvePolicy(langchainMessages, {
  name: 'deepagents',
  describes:
    'deepagents (2026-08) for a model whose window it knows: at 85 % of it; keeps the newest 10 %.',
  source: `${SOURCE}; ${OWN_TEXT}`,
  trigger: { anyOf: [[{ unit: 'share', atLeast: 0.85 }]], onRefusal: 'compact-once' },
  cut: keepNewest({ of: 'window', share: 0.1 }, 'goes'),
  breaks: [...UNGUARDED, LATE, REPEATS],
});

/** Of fewer than seven messages nothing can go, whatever they weigh: it takes tokens and messages. */
export const deepagentsUnknownModel: Policy = resolvePolicy(deepagents, {
  name: 'deepagents-unknown-model',
  describes:
    'deepagents (2026-08) for a model whose window it does not know: at 170,000 tokens and more than 6 messages; keeps the newest 6.',
  trigger: {
    anyOf: [
      [
        { unit: 'tokens', atLeast: 170_000 },
        { unit: 'messages', atLeast: 7 },
      ],
    ],
  },
  cut: keepNewest({ of: 'messages', count: 6 }),
});
