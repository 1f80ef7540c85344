/** Presets of agent frameworks. */

import { resolvePolicy } from '../check.ts';
import type { KeepEnds } from '../policy.ts';
import { hidesRequest, OWN_TEXT } from './opencode.ts';
import { keepNewest, PEERS, REPEATS, UNGUARDED, peer } from './peers.ts';

const SOURCE = `${PEERS}, section 24`;
const LATE = hidesRequest(`${SOURCE}: messages go whoever they are of`);

/** Results of parallel calls are one message each here; long results are not cut. */
export const strands = resolvePolicy(peer, {
  describes:
    'Strands Agents (2026-08), sliding window: keeps the newest 40 messages at the end of each turn; never summarises.',
  source: SOURCE,
  trigger: {
    overflow: 'window',
    anyOf: [[{ unit: 'messages', atLeast: 41 }]],
    afterStep: true,
    beforeRequest: false,
    onlyBetweenTurns: true,
    onRefusal: 'compact-once',
  },
  cut: keepNewest({ of: 'messages', count: 40 }, 'goes'),
  summary: { fixedText: '' },
  render: { summaryAs: 'assistant' },
  breaks: [...UNGUARDED, REPEATS, LATE],
});

/** Inspect's edits of the context: outputs alone, without thinking. */
export const inspectEdit = resolvePolicy(peer, {
  describes:
    'Inspect (2026-08), CompactionEdit: above 90 % of the window, clears all tool outputs but the newest 3; never summarises.',
  source: SOURCE,
  trigger: { overflow: 'above-window', windowShare: 0.9, countsNewerMessages: true },
  prune: { enabled: true, when: 'on-overflow', pass: 'keep-last', keepLast: { outputs: 3 } },
  cut: { keep: 'everything' },
  breaks: [],
});

/** Inspect's trim; done once, where it goes on until the context fits. */
export const inspectTrim = resolvePolicy(peer, {
  describes:
    'Inspect (2026-08), CompactionTrim: above 90 % of the window, drops the oldest fifth of messages behind the first; never summarises.',
  source: SOURCE,
  trigger: { overflow: 'above-window', windowShare: 0.9, countsNewerMessages: true },
  cut: { ...keepNewest({ of: 'all', share: 0.8 }, 'goes'), first: 1 },
  summary: { fixedText: '' },
  render: { summaryAs: 'assistant' },
  breaks: [...UNGUARDED, LATE],
});

/** Nothing stays here, as nothing is known of what it keeps. */
export const dockerAgent = resolvePolicy(peer, {
  describes: 'Docker agent (2026-08): at 90 % of the window; of what it keeps nothing is known.',
  source: `${SOURCE}; ${OWN_TEXT}`,
  trigger: { overflow: 'window', windowShare: 0.9 },
  summary: { instruction: 'plain' },
  breaks: [...UNGUARDED, hidesRequest(`${SOURCE}: nothing that is kept is named`)],
});

const CHAIN_SOURCE = `${PEERS}, section 15`;
const CHAIN_LATE = hidesRequest(`${CHAIN_SOURCE}: newest messages stay, whoever they are of`);

/** A summarizer is not cut to 4,000 tokens here. */
export const langchainMessages = resolvePolicy(peer, {
  describes:
    "LangChain's SummarizationMiddleware (2026-08) by number: at 50 messages; keeps the newest 20.",
  source: `${CHAIN_SOURCE}, and its documentation; ${OWN_TEXT}`,
  trigger: {
    overflow: 'window',
    anyOf: [[{ unit: 'messages', atLeast: 50 }]],
    countsNewerMessages: true,
  },
  cut: keepNewest({ of: 'messages', count: 20 }),
  summary: { instruction: 'langchain', form: { kind: 'flattened' } },
  breaks: [...UNGUARDED, CHAIN_LATE],
});

/** At the share of its documentation, as the middleware has no trigger of its own. */
export const langchain = resolvePolicy(langchainMessages, {
  describes:
    "LangChain's SummarizationMiddleware (2026-08) at 80 % of the window, as documented; keeps the newest 20 messages.",
  trigger: { anyOf: [[{ unit: 'share', atLeast: 0.8 }]] },
});

export const langchainClauses = resolvePolicy(langchainMessages, {
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

/** deepagents, without moving what was summarised to a file and cutting long arguments. */
export const deepagents = resolvePolicy(langchainMessages, {
  describes:
    'deepagents (2026-08) for a model whose window it knows: at 85 % of it; keeps the newest 10 %.',
  source: `${CHAIN_SOURCE}; ${OWN_TEXT}`,
  trigger: { anyOf: [[{ unit: 'share', atLeast: 0.85 }]], onRefusal: 'compact-once' },
  cut: keepNewest({ of: 'window', share: 0.1 }, 'goes'),
  breaks: [...UNGUARDED, CHAIN_LATE, REPEATS],
});

/** deepagents for an unknown window; of fewer than seven messages nothing can go. */
export const deepagentsUnknownModel = resolvePolicy(deepagents, {
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

/** Letta's sliding window. Looking again at what left, by its search, is left out. */
export const letta = resolvePolicy(peer, {
  describes:
    'Letta (2026-08), sliding window: above 90 % of the window; evicts the oldest 30 % of messages, and 10 % more until 70 % of the window is left.',
  source: `${PEERS}, section 17; ${OWN_TEXT}`,
  trigger: {
    overflow: 'above-window',
    windowShare: 0.9,
    countsNewerMessages: true,
    onRefusal: 'compact-once',
  },
  cut: {
    ...keepNewest({ of: 'all', share: 0.7 }, 'goes'),
    beginsWith: 'answer',
    furtherShare: { step: 0.1, untilWindowShare: 0.7 },
  },
  summary: {
    instruction: 'letta',
    length: { tokens: 400, source: `${PEERS}, section 17: 300 words` },
  },
  guards: { shrinkSummaryRequest: true },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    hidesRequest(`${PEERS}, section 17: what stays begins with an answer`),
  ],
});

/** Mastra's observational memory; its log is written anew each time here. */
export const mastra = resolvePolicy(peer, {
  describes:
    'Mastra (2026-08), observational memory: at 30,000 tokens of messages since the newest observations; keeps the newest 20 % of them.',
  source: `${PEERS}, section 18, and its changelog (1.5.2: also between steps); ${OWN_TEXT}`,
  trigger: {
    overflow: 'window',
    counted: 'since-summary',
    anyOf: [[{ unit: 'tokens', atLeast: 30_000 }]],
  },
  cut: keepNewest({ of: 'tokens', count: 6_000 }, 'goes'),
  summary: { instruction: 'mastra', form: { kind: 'flattened' }, anchored: true },
  breaks: [...UNGUARDED, hidesRequest(`${PEERS}, section 18: a share of the messages stays`)],
});

const HANDS_SOURCE = `${PEERS}, section 12`;
const HANDS_LATE = hidesRequest(`${HANDS_SOURCE}: events in the middle go, whoever they are of`);

const keepEvents = (first: number, newest: number): KeepEnds => ({
  ...keepNewest({ of: 'events', count: newest }, 'goes'),
  unit: 'events',
  first,
});

const moreThan = (events: number) => [{ unit: 'events', atLeast: events + 1 }] as const;

/** The condenser of the SDK's own agents; where tokens are the reason, as many events stay. */
export const openhands = resolvePolicy(peer, {
  describes:
    'OpenHands SDK (2026-08): above 80 events or what the model takes; keeps the first 4 events and the newest 35.',
  source: `${HANDS_SOURCE}a; ${OWN_TEXT}`,
  trigger: {
    overflow: 'above-input-cap',
    anyOf: [moreThan(80), [{ unit: 'usable' }]],
    countsNewerMessages: true,
    onRefusal: 'compact-once',
  },
  cut: keepEvents(4, 35),
  summary: {
    instruction: 'openhands',
    form: { kind: 'flattened' },
    toolOutputChars: 10_000,
    anchored: true,
  },
  guards: { shrinkSummaryRequest: true },
  breaks: [...UNGUARDED, REPEATS, HANDS_LATE],
});

export const openhands240 = resolvePolicy(openhands, {
  describes:
    'OpenHands SDK (2026-08) with the default numbers of its condenser: above 240 events or what the model takes; keeps the first 2 and the newest 117.',
  trigger: { anyOf: [moreThan(240), [{ unit: 'usable' }]] },
  cut: keepEvents(2, 117),
});

/** Nobody is asked for a summary, and nothing is said in its place. */
export const openhandsAmortized = resolvePolicy(peer, {
  describes:
    'OpenHands before its SDK (2025), amortized forgetting: above 100 events, forgets all but the first and the newest 49; never summarises.',
  source: `${HANDS_SOURCE}b`,
  trigger: { overflow: 'window', anyOf: [moreThan(100)] },
  cut: keepEvents(1, 49),
  summary: { fixedText: '' },
  render: { summaryAs: 'assistant' },
  breaks: [...UNGUARDED, HANDS_LATE],
});

/** OpenHands' masking; its window of 100 events is taken as 50 steps. */
export const openhandsMasking = resolvePolicy(peer, {
  describes:
    'OpenHands before its SDK (2025), observation masking: masks tool outputs older than the newest 100 events, taken as 50 steps; never summarises.',
  source: `${HANDS_SOURCE}b`,
  trigger: { auto: false, beforeRequest: false },
  prune: { enabled: true, when: 'before-request', byAge: { skipNewestMessages: 50 } },
  cut: { keep: 'everything' },
  render: { clearedOutput: '<MASKED>' },
  breaks: [],
});
