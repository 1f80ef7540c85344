import type { Policy } from '../policy.ts';
import { DEFAULT_BY_AGE } from '../prune/by-age.ts';

/** Cap on one answer where a document names it or leaves it to the product. */
const OUTPUT_CAP_TOKENS = 32_000;

/**
 * The portable design to the letter: one check after each step, no room for cache writes in the count,
 * an input limit that counts even when it is 0, no handling of refusals, a failed attempt that leaves
 * nothing behind. Its "1–2 turns" are the two of the release it describes.
 */
export const document002: Policy = {
  name: 'document-002',
  describes: 'The portable design of OpenCode-style compaction (describes 1.1.23 to 1.1.56).',
  source: 'design document 002',
  trigger: {
    auto: true,
    overflow: 'document-002',
    outputCapTokens: OUTPUT_CAP_TOKENS,
    afterStep: true,
    beforeRequest: false,
    onRefusal: 'stop',
  },
  prune: { enabled: true, byAge: DEFAULT_BY_AGE },
  view: 'v1.0.69',
  summary: {
    systemPrompt: 'v1.0.154',
    instruction: 'v1.0.123',
    stripMedia: false,
    answers: 'marker',
    onFailure: 'roll-back',
  },
  resume: { continueText: 'v1.0.69', replayRefusedPrompt: false, explainRefusal: false },
  estimator: { charsPerToken: 4, rounding: 'round' },
  render: {
    clearedOutput: '[Old tool result content cleared]',
    markerQuestion: 'What did we do so far?',
  },
};
