import type { Policy } from '../policy.ts';
import { DEFAULT_BY_AGE } from '../prune/by-age.ts';

/**
 * OpenCode from 1.2.16 (2026-03-03) until 1.14.18: checked after each step, before each request, and on
 * a refusal, where it compacts even with `auto` off; the refused prompt is sent again after the pivot.
 */
export const opencode1216: Policy = {
  name: 'opencode-1.2.16',
  describes: 'OpenCode 1.2.16 to 1.14.18 (2026-03-03 to 2026-04-19), which document 003 describes.',
  source: 'design document 003; OpenCode release history: O8, P3, F4, S4',
  trigger: {
    auto: true,
    overflow: 'v1.1.60',
    outputCapTokens: 32_000,
    afterStep: true,
    beforeRequest: true,
    onRefusal: 'compact',
  },
  prune: { enabled: true, byAge: DEFAULT_BY_AGE },
  view: 'v1.2.16',
  summary: {
    systemPrompt: 'v1.1.57',
    instruction: 'v1.1.57',
    stripMedia: true,
    answers: 'last-user',
    onFailure: 'keep',
  },
  resume: { continueText: 'v1.1.57', replayRefusedPrompt: true, explainRefusal: true },
  estimator: { charsPerToken: 4, rounding: 'round' },
  render: {
    clearedOutput: '[Old tool result content cleared]',
    markerQuestion: 'What did we do so far?',
  },
};
