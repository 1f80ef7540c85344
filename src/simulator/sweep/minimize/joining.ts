import { canJoinTexts, joinTexts } from './join-texts.ts';
import type {
  Outline,
  OutlineCall,
  OutlinePart,
  OutlineStep,
  OutlineText,
  OutlineTurn,
  StepReport,
} from './outline.ts';
import type { Joining } from './reduce.ts';

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

type WithImages = Pick<OutlineCall, 'images'>;

/**
 * Tokens that a call has besides its input and that one call of two has no more, rounded up. Without them so many would
 * be gone where many calls are put together that nothing is shown any more; what is too much goes when sizes shrink.
 */
const CALL_TOKENS = 8;

/** In which a step has its parts, as a scenario writes them. */
const PART_ORDER: readonly OutlinePart['type'][] = ['reasoning', 'text', 'tool'];

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

/** Tokens of an outline that a message costs besides what it holds, rounded up: one message of two does not any more. */
export function messageTokensOf({ scale }: Outline): number {
  return scale === undefined ? 0 : Math.ceil(scale.perMessageTokens / scale.factor);
}

/** Two turns as one: what was said, what a message costs, and all steps; the pause between them is gone. */
export function turnJoining(messageTokens: number): Joining<OutlineTurn> {
  return {
    canJoin: (before, after) => canJoinTexts(before.user, after.user),
    join: (before, after) => {
      const more = [...(before.more ?? []), ...(after.more ?? [])];
      return {
        idleSeconds: before.idleSeconds,
        user: withTokens(joinTexts([before.user, after.user]), messageTokens),
        ...(more.length > 0 && { more }),
        ...joinImages(before, after),
        steps: [...before.steps, ...after.steps],
      };
    },
  };
}

/** Two steps of a turn as one, with the parts of both and what a message costs; it ends as the second does. */
export function stepJoining(messageTokens: number): Joining<PlacedStep> {
  return {
    canJoin: (before, after) => before.turnIndex === after.turnIndex,
    join: ({ turnIndex, step: before }, { step: after }) => ({
      turnIndex,
      step: {
        idleSeconds: before.idleSeconds,
        parts: withCost([...before.parts, ...after.parts].toSorted(byType), messageTokens),
        ...joinOutput(before, after),
        ...(after.finish !== undefined && { finish: after.finish }),
        ...(after.error !== undefined && { error: after.error }),
      },
    }),
  };
}

/** A text of a size with more tokens; words stay as they are. */
function withTokens(text: OutlineText, tokens: number): OutlineText {
  return text.text !== undefined || tokens === 0 ? text : joinTexts([text, { tokens }]);
}

function joinImages(before: WithImages, after: WithImages): WithImages {
  const images = [...(before.images ?? []), ...(after.images ?? [])];
  return images.length > 0 ? { images } : {};
}

/** The last of the parts takes it. */
function withCost(parts: readonly OutlinePart[], tokens: number): readonly OutlinePart[] {
  const last = parts.at(-1);
  if (last === undefined || tokens === 0) return parts;
  const costly: OutlinePart =
    last.type === 'tool'
      ? { ...last, input: withTokens(last.input, tokens) }
      : { type: last.type, ...withTokens(last, tokens) };
  return [...parts.slice(0, -1), costly];
}

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
