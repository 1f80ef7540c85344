import {
  type ByAgeOptions,
  type KeepEnds,
  type Policy,
  policies,
  type PolicyOverrides,
  resolvePolicy,
  type TriggerPolicy,
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
  const { skipNewestMessages = 0 } = prune.byAge;
  return {
    ...smallTrigger(trigger),
    ...(prune.idleMs !== undefined && { prune: { idleMs: 1 } }),
    ...(prune.keepLast && { prune: { idleMs: 1, keepLast: { outputs: 1 } } }),
    ...(skipNewestMessages > 1 && { prune: { byAge: { skipNewestMessages: 1 } } }),
    ...(cut.keep === 'newest-steps' && { cut: { ...cut, tokens: 1 } }),
    ...(cut.keep === 'recent-messages' && { cut: { ...cut, tokens: 1 } }),
    ...(cut.keep === 'ends' && { cut: smallEnds(cut) }),
  };
}

/** A share in the place of numbers of tokens, and few messages or events. */
function smallTrigger({ overflow, anyOf, counted }: TriggerPolicy): PolicyOverrides {
  const isOfOwnSize =
    overflow === 'anthropic-compact' ||
    overflow === 'above-100k' ||
    (anyOf === undefined && counted !== undefined);
  if (isOfOwnSize) return { trigger: { windowShare: 0.9 } };
  if (anyOf === undefined) return {};
  const isFixed = anyOf.some((all) => all.some(({ unit }) => unit === 'tokens'));
  const few = anyOf.map((all) =>
    all.map((condition) =>
      condition.unit === 'messages' || condition.unit === 'events'
        ? { ...condition, atLeast: 4 }
        : condition,
    ),
  );
  return { trigger: { anyOf: few, ...(isFixed && { windowShare: 0.9 }) } };
}

function smallEnds(cut: KeepEnds): KeepEnds {
  const newest = cut.newest.map((amount) => ('count' in amount ? { ...amount, count: 2 } : amount));
  return { ...cut, first: Math.min(cut.first, 2), newest };
}

function noLargerThan(preset: ByAgeOptions): Partial<ByAgeOptions> {
  return {
    protectTokens: Math.min(byAge.protectTokens, preset.protectTokens),
    minimumTokens: Math.min(byAge.minimumTokens, preset.minimumTokens),
    guardTurns: Math.min(byAge.guardTurns, preset.guardTurns),
  };
}
