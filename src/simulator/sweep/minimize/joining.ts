import {
  joinTexts,
  type OutlinePart,
  type OutlineStep,
  type OutlineText,
  type OutlineTurn,
} from './outline.ts';
import type { Joining } from './reduce.ts';

/**
 * Tokens that a call has besides its input and that one call of two has no more, rounded up. Without them so many would
 * be gone where many calls are put together that nothing is shown any more; what is too much goes when sizes shrink.
 */
const CALL_TOKENS = 8;

/** A step with the place of its turn. */
export interface PlacedStep {
  readonly turnIndex: number;
  readonly step: OutlineStep;
}

/** A part with the place of its step. */
export interface PlacedPart {
  readonly turnIndex: number;
  readonly stepIndex: number;
  readonly part: OutlinePart;
}

/** Two turns as one: what was said, and all steps; the pause between them is gone. */
export const turnJoining: Joining<OutlineTurn> = {
  canJoin: (before, after) => keepsTexts(before.user, after.user),
  join: ({ idleSeconds, user, steps }, after) => ({
    idleSeconds,
    user: joinTexts([user, after.user]),
    steps: [...steps, ...after.steps],
  }),
};

/** In which a step has its parts, as a scenario writes them. */
const PART_ORDER: readonly OutlinePart['type'][] = ['reasoning', 'text', 'tool'];

/** Two steps of a turn as one, with the parts of both. */
export const stepJoining: Joining<PlacedStep> = {
  canJoin: (before, after) => before.turnIndex === after.turnIndex,
  join: ({ turnIndex, step: { idleSeconds, parts } }, { step }) => ({
    turnIndex,
    step: { idleSeconds, parts: [...parts, ...step.parts].toSorted(byType) },
  }),
};

function byType(some: OutlinePart, other: OutlinePart): number {
  return PART_ORDER.indexOf(some.type) - PART_ORDER.indexOf(other.type);
}

/** Two parts of a step as one with the sizes of both, where they are of one kind. */
export const partJoining: Joining<PlacedPart> = {
  canJoin: (before, after) =>
    before.turnIndex === after.turnIndex &&
    before.stepIndex === after.stepIndex &&
    joinedPart(before.part, after.part) !== undefined,
  join: (before, after) => ({
    ...before,
    part: joinedPart(before.part, after.part) ?? before.part,
  }),
};

/** Nothing where they are of two kinds, or what one says would be lost; the name is that of the first. */
function joinedPart(before: OutlinePart, after: OutlinePart): OutlinePart | undefined {
  if (before.type === 'tool') {
    if (after.type !== 'tool' || after.status !== before.status) return undefined;
    if (before.input.text !== undefined || after.input.text !== undefined) return undefined;
    if (!keepsTexts(before.output, after.output)) return undefined;
    const tokens = before.input.tokens + after.input.tokens + CALL_TOKENS;
    return { ...before, input: { tokens }, output: joinTexts([before.output, after.output]) };
  }
  if (after.type !== before.type || !keepsTexts(before, after)) return undefined;
  return { type: before.type, ...joinTexts([before, after]) };
}

/** A text and a size are no text together. */
function keepsTexts(before: OutlineText, after: OutlineText): boolean {
  return (before.text === undefined) === (after.text === undefined);
}
