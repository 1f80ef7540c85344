import { canJoinTexts, joinTexts } from './join-texts.ts';
import type { OutlineCall, OutlinePart, OutlineStep, OutlineTurn, StepReport } from './outline.ts';
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
  canJoin: (before, after) => canJoinTexts(before.user, after.user),
  join: (before, after) => {
    const more = [...(before.more ?? []), ...(after.more ?? [])];
    return {
      idleSeconds: before.idleSeconds,
      user: joinTexts([before.user, after.user]),
      ...(more.length > 0 && { more }),
      ...joinImages(before, after),
      steps: [...before.steps, ...after.steps],
    };
  },
};

type WithImages = Pick<OutlineCall, 'images'>;

function joinImages(before: WithImages, after: WithImages): WithImages {
  const images = [...(before.images ?? []), ...(after.images ?? [])];
  return images.length > 0 ? { images } : {};
}

/** In which a step has its parts, as a scenario writes them. */
const PART_ORDER: readonly OutlinePart['type'][] = ['reasoning', 'text', 'tool'];

/** Two steps of a turn as one, with the parts of both; it ends as the second does. */
export const stepJoining: Joining<PlacedStep> = {
  canJoin: (before, after) => before.turnIndex === after.turnIndex,
  join: ({ turnIndex, step: before }, { step: after }) => ({
    turnIndex,
    step: {
      idleSeconds: before.idleSeconds,
      parts: [...before.parts, ...after.parts].toSorted(byType),
      ...joinOutput(before, after),
      ...(after.finish !== undefined && { finish: after.finish }),
      ...(after.error !== undefined && { error: after.error }),
    },
  }),
};

/** Unknown where one of the two is. */
function joinOutput(before: StepReport, after: StepReport): StepReport {
  if (before.outputTokens === undefined || after.outputTokens === undefined) return {};
  return {
    outputTokens: before.outputTokens + after.outputTokens,
    reasoningTokens: (before.reasoningTokens ?? 0) + (after.reasoningTokens ?? 0),
  };
}

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
    return after.type === 'tool' && canJoinCalls(before, after)
      ? joinCalls(before, after)
      : undefined;
  }
  if (after.type !== before.type || !canJoinTexts(before, after)) return undefined;
  return { type: before.type, ...joinTexts([before, after]) };
}

function canJoinCalls(before: OutlineCall, after: OutlineCall): boolean {
  const haveTexts = before.input.text !== undefined || after.input.text !== undefined;
  return after.status === before.status && !haveTexts && canJoinTexts(before.output, after.output);
}

function joinCalls(before: OutlineCall, after: OutlineCall): OutlineCall {
  return {
    ...before,
    input: joinTexts([before.input, after.input, { tokens: CALL_TOKENS }]),
    output: joinTexts([before.output, after.output]),
    ...joinImages(before, after),
  };
}
