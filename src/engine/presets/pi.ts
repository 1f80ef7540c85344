/** Presets of pi. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

/**
 * pi: looks at the step that ends a turn; the newest 20,000 tokens stay, also where that splits a turn; one summary stands
 * for both of its own in that case. The usage of another model counts here, too.
 */
export const pi: Policy = resolvePolicy(peer, {
  name: 'pi',
  describes:
    'pi (2026-08): at 16,384 tokens below the window, at the end of turns only; keeps the newest 20,000 tokens.',
  source: `${PEERS}, section 20; ${OWN_TEXT}`,
  trigger: {
    overflow: 'pi',
    afterStep: true,
    beforeRequest: false,
    onlyBetweenTurns: true,
    countsNewerMessages: true,
    onRefusal: 'compact-once',
  },
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
    outputCapTokens: 13_107,
  },
  guards: { ignoreStaleUsage: true },
  estimator: { imageTokens: 1_200 },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    { law: 'newest-request-visible', source: `${PEERS}, section 20: a turn may be split` },
  ],
});
