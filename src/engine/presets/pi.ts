/** Presets of pi, by the release from which each holds. */

import { resolvePolicy } from '../check-policy.ts';
import type { Policy } from '../policy.ts';
import { OWN_TEXT, peer, PEERS, REPEATS, UNGUARDED } from './peer.ts';

/**
 * pi up to 0.84.3: looks at the step that ends a turn; the newest 20,000 tokens stay, also where that splits a turn; one
 * summary stands for both of its own in that case. The usage of another model counts here, too.
 */
export const pi: Policy = resolvePolicy(peer, {
  name: 'pi',
  describes:
    'pi up to 0.84.3: at 16,384 tokens below the window, at the end of turns only; keeps the newest 20,000 tokens.',
  source: `observed of 0.55.4 to 0.84.3; ${PEERS}, section 20; ${OWN_TEXT}`,
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
  estimator: { rounding: 'ceil', imageTokens: 1_200 },
  breaks: [
    ...UNGUARDED,
    REPEATS,
    { law: 'newest-request-visible', source: `${PEERS}, section 20: a turn may be split` },
  ],
});

/** pi from 0.84.4 on: looks at each step with its outputs, too, before the model is asked again. */
export const pi16: Policy = resolvePolicy(pi, {
  name: 'pi-1.6',
  describes:
    'pi from 0.84.4 on: at 16,384 tokens below the window, between tool steps and at the end of turns; keeps the newest 20,000 tokens.',
  source: `observed of 0.84.4 to 1.6.0; ${OWN_TEXT}`,
  trigger: { beforeRequest: true, onlyBetweenTurns: false },
  summary: { failureGoesOn: true },
});
