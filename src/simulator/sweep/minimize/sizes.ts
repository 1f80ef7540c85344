import { mapSteps } from './map-steps.ts';
import type { Outline, OutlinePart, OutlineStep, OutlineTurn } from './outline.ts';

/** A number somewhere in an outline. */
export interface Size {
  readonly value: number;
  readonly set: (outline: Outline, value: number) => Outline;
}

/** All numbers that an outline could do with less of; a text is gone once its size has changed. */
export function sizesOf({ turns }: Outline): readonly Size[] {
  return turns.flatMap((turn, turnAt) => [
    turnSize(turnAt, turn.user.tokens, (one, tokens) => ({ ...one, user: { tokens } })),
    turnSize(turnAt, turn.idleSeconds, (one, idleSeconds) => ({ ...one, idleSeconds })),
    ...turn.steps.flatMap((step, stepAt) => {
      const at = (set: (step: OutlineStep, value: number) => OutlineStep) =>
        stepSize(turnAt, stepAt, set);
      return [
        at((one, idleSeconds) => ({ ...one, idleSeconds }))(step.idleSeconds),
        ...(step.outputTokens === undefined
          ? []
          : [at((one, outputTokens) => ({ ...one, outputTokens }))(step.outputTokens)]),
        ...step.parts.flatMap((part, partAt) =>
          partSizes(part).map(({ value, set }) =>
            at((one, tokens) => ({
              ...one,
              parts: one.parts.map((each, index) => (index === partAt ? set(each, tokens) : each)),
            }))(value),
          ),
        ),
      ];
    }),
  ]);
}

function partSizes(part: OutlinePart): readonly {
  readonly value: number;
  readonly set: (part: OutlinePart, tokens: number) => OutlinePart;
}[] {
  if (part.type !== 'tool') {
    return [{ value: part.tokens, set: ({ type }, tokens) => ({ type, tokens }) as OutlinePart }];
  }
  return [
    {
      value: part.output.tokens,
      set: (one, tokens) => ({ ...one, output: { tokens } }) as OutlinePart,
    },
    {
      value: part.input.tokens,
      set: (one, tokens) => ({ ...one, input: { tokens } }) as OutlinePart,
    },
  ];
}

function turnSize(
  turnAt: number,
  value: number,
  set: (turn: OutlineTurn, value: number) => OutlineTurn,
): Size {
  return {
    value,
    set: ({ turns, ...outline }, number) => ({
      ...outline,
      turns: turns.map((turn, index) => (index === turnAt ? set(turn, number) : turn)),
    }),
  };
}

function stepSize(
  turnAt: number,
  stepAt: number,
  set: (step: OutlineStep, value: number) => OutlineStep,
): (value: number) => Size {
  return (value) => ({
    value,
    set: (outline, number) =>
      mapSteps(outline, (step, turnIndex, stepIndex) =>
        turnIndex === turnAt && stepIndex === stepAt ? set(step, number) : step,
      ),
  });
}
