/** Presets of OpenHands, which counts events. */

import { resolvePolicy } from '../check-policy.ts';
import type { KeepEnds } from '../keep-ends.ts';
import type { Policy } from '../policy.ts';
import { OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

const SOURCE = `${PEERS}, section 12`;
const LATE = {
  law: 'newest-request-visible',
  source: `${SOURCE}: events in the middle go, whoever they are of`,
} as const;

/** First events, of which the system prompt is one, and newest ones. A step that would be cut in two goes. */
const keepEvents = (first: number, newest: number): KeepEnds => ({
  keep: 'ends',
  unit: 'events',
  first,
  newest: [{ of: 'events', count: newest }],
  crossing: 'goes',
});

const moreThan = (events: number) => [{ unit: 'events', atLeast: events + 1 }] as const;

/**
 * The condenser of the SDK's own agents: half of its 80 events are left, of which one is the summary. Where tokens are the
 * reason, as many events stay, and not half of the tokens; the reset that follows where that is impossible is left out.
 */
export const openhands: Policy = resolvePolicy(peer, {
  name: 'openhands',
  describes:
    'OpenHands SDK (2026-08): above 80 events or what the model takes; keeps the first 4 events and the newest 35.',
  source: `${SOURCE}a; ${OWN_TEXT}`,
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
  breaks: [...UNGUARDED, REPEATS, LATE],
});

/** The same with the numbers of its class. */
export const openhands240: Policy = resolvePolicy(openhands, {
  name: 'openhands-240',
  describes:
    'OpenHands SDK (2026-08) with the default numbers of its condenser: above 240 events or what the model takes; keeps the first 2 and the newest 117.',
  trigger: { anyOf: [moreThan(240), [{ unit: 'usable' }]] },
  cut: keepEvents(2, 117),
});

/** Nobody is asked for a summary, and nothing is said in its place. */
export const openhandsAmortized: Policy = resolvePolicy(peer, {
  name: 'openhands-amortized',
  describes:
    'OpenHands before its SDK (2025), amortized forgetting: above 100 events, forgets all but the first and the newest 49; never summarises.',
  source: `${SOURCE}b`,
  trigger: { overflow: 'window', anyOf: [moreThan(100)] },
  cut: keepEvents(1, 49),
  summary: { fixedText: '' },
  render: { summaryAs: 'assistant' },
  breaks: [...UNGUARDED, LATE],
});

/** The window of 100 events is taken as 50 steps, which have a call and its result each. */
export const openhandsMasking: Policy = resolvePolicy(peer, {
  name: 'openhands-masking',
  describes:
    'OpenHands before its SDK (2025), observation masking: masks tool outputs older than the newest 100 events, taken as 50 steps; never summarises.',
  source: `${SOURCE}b`,
  trigger: { auto: false, beforeRequest: false },
  prune: { enabled: true, when: 'before-request', byAge: { skipNewestMessages: 50 } },
  cut: { keep: 'everything' },
  render: { clearedOutput: '<MASKED>' },
  breaks: [],
});
