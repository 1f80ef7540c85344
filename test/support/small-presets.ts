import {
  type ByAgeOptions,
  type Policy,
  policies,
  type PolicyOverrides,
  resolvePolicy,
} from '../../src/engine/index.ts';
import { byAge } from './sessions.ts';

/** Every preset, with those of its numbers in the size of generated sessions that no test sets itself. */
export const smallPresets: readonly Policy[] = Object.values<Policy>(policies).map((preset) =>
  resolvePolicy(preset, smallNumbers(preset)),
);

/** The same with a prune and a reserve in that size. */
export const tinyPresets: readonly Policy[] = smallPresets.map((preset) =>
  resolvePolicy(preset, {
    prune: { byAge: noLargerThan(preset.prune.byAge) },
    trigger: { reservedTokens: 20 },
  }),
);

/** A trigger that goes by no window, a pause, and what is kept by number or weight. */
function smallNumbers({ trigger, prune, cut }: Policy): PolicyOverrides {
  return {
    ...(trigger.overflow === 'anthropic-compact' && { trigger: { windowShare: 0.9 } }),
    ...(prune.keepLast && { prune: { idleMs: 1, keepLast: { outputs: 1 } } }),
    ...(cut.keep === 'recent-messages' && { cut: { ...cut, tokens: 1 } }),
  };
}

function noLargerThan(preset: ByAgeOptions): Partial<ByAgeOptions> {
  return {
    protectTokens: Math.min(byAge.protectTokens, preset.protectTokens),
    minimumTokens: Math.min(byAge.minimumTokens, preset.minimumTokens),
    guardTurns: Math.min(byAge.guardTurns, preset.guardTurns),
  };
}
