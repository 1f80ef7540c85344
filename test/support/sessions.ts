import * as fc from 'fast-check';
import {
  type AssistantMessage,
  createLawChecker,
  createState,
  type Limits,
  type LoopInput,
  type LoopState,
  type Move,
  type Policy,
  transition,
  type Violation,
} from '../../src/engine/index.ts';
import './arbitraries.ts';
import { frozen } from '../../src/engine/values.ts';
import { type Overrides, step, text, tool, usage, user } from './history.ts';
import { testTools } from './tools.ts';

/** What an input will be once it has an id; nothing where it would not fit the state. */
export type InputShape = (id: string, state: LoopState) => LoopInput | undefined;

/** Limits of models, most of them small. */
export const limits: fc.Arbitrary<Limits> = fc.record({
  contextTokens: fc.constantFrom(0, 40, 150, 1_000),
  outputTokens: fc.constantFrom(0, 20, 50),
});
const error = { name: 'APIError', message: 'overloaded' };

/** A finished step with two outputs of 50 tokens, one of them protected. */
export const stepped = (id: string, overrides: Overrides<AssistantMessage>): LoopInput => {
  const parts = [
    text(`${id}-0`, id),
    tool(`${id}-1`, 200),
    tool(`${id}-2`, 200, { tool: 'skill' }),
  ];
  return { type: 'step-finished', message: step(id, parts, overrides) };
};
const steps: fc.Arbitrary<InputShape> = fc
  .record({ input: fc.constantFrom(0, 60, 5_000), finish: fc.constantFrom('stop', 'tool-calls') })
  .map(
    ({ input, finish }) =>
      (id) =>
        stepped(id, { finish, usage: usage({ input }) }),
  );
const summaries: fc.Arbitrary<InputShape> = fc.constantFrom<InputShape>(
  () => ({ type: 'summary-finished', result: { text: 'All of it.', finish: 'stop' } }),
  () => ({ type: 'summary-finished', result: { text: 'Cut off', finish: 'length' } }),
  () => ({ type: 'summary-failed', error, isOverflow: false }),
  () => ({ type: 'summary-failed', error, isOverflow: true }),
);
const others: fc.Arbitrary<InputShape> = fc.oneof(
  limits.map(
    (next): InputShape =>
      () => ({ type: 'model-changed', limits: next }),
  ),
  fc.constantFrom<InputShape>(
    () => ({ type: 'turn-ended' }),
    () => ({ type: 'step-refused', error }),
    () => ({ type: 'compact' }),
    () => ({ type: 'idle', sinceMs: 1 }),
    () => ({ type: 'aborted' }),
    (id) => ({ type: 'aborted', message: step(id, [], { finish: undefined }) }),
    (id) => stepped(id, { finish: undefined, error }),
  ),
);
/** A prompt at any time. */
export const prompts: InputShape = (id) => ({ type: 'user-message', message: user(id) });
/** A prompt, but not while a step runs. */
export const promptsInTurn: InputShape = (id, state) =>
  state.phase.state === 'requested' ? undefined : prompts(id, state);

/** Inputs in any order, with that kind of prompt and of answers to summary requests. */
export const inputsWith = (
  prompt: InputShape,
  summary = summaries,
): fc.Arbitrary<readonly InputShape[]> =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(prompt) },
      { weight: 5, arbitrary: steps },
      { weight: 5, arbitrary: summary },
      { weight: 3, arbitrary: fc.constant<InputShape>(() => ({ type: 'turn-ended' })) },
      { weight: 4, arbitrary: others },
    ),
    { minLength: 5, maxLength: 60, size: 'max' },
  );

/** Prunes in the size of the outputs above. */
export const byAge = { protectTokens: 0, minimumTokens: 40, guardTurns: 1 };

/** What a policy does with each input. */
export function movesOf(
  policy: Policy,
  first: Limits,
  shapes: readonly InputShape[],
): readonly Move[] {
  const tools = testTools();
  let state = frozen(createState(policy, first));
  return shapes.flatMap((shape, index) => {
    const before = state;
    const input = shape(`i${index}`, before);
    if (input === undefined) return [];
    const next = transition(before, frozen(input), tools);
    state = frozen(next.state);
    return [{ before, input, next }];
  });
}

/** The laws that do not hold in a session. */
export function violationsOf(...session: Parameters<typeof movesOf>): readonly Violation[] {
  return movesOf(...session).flatMap(createLawChecker());
}
