import * as fc from 'fast-check';
import {
  type Command,
  type EngineEvent,
  type Limits,
  type LoopInput,
  type LoopState,
  type Policy,
} from '../../src/engine/index.ts';
import { step, text, tool, usage } from './history.ts';
import { said } from './script.ts';
import { movesOf } from './sessions.ts';

/** One transition with everything around it. */
export interface Move {
  readonly input: LoopInput;
  readonly before: LoopState;
  readonly after: LoopState;
  readonly commands: readonly Command[];
  readonly events: readonly EngineEvent[];
}
/** What an input will be once it has an id. */
type InputShape = (id: string) => LoopInput;

const error = { name: 'APIError', message: 'overloaded' };
/** Limits of models, most of them small. */
export const limits: fc.Arbitrary<Limits> = fc.record({
  contextTokens: fc.constantFrom(0, 40, 150, 1_000),
  inputTokens: fc.constantFrom(0, 80),
  outputTokens: fc.constantFrom(0, 20, 50),
});

const steps: fc.Arbitrary<InputShape> = fc
  .record({
    input: fc.constantFrom(0, 60, 101, 5_000),
    hasUsage: fc.constantFrom(true, true, true, false),
    finish: fc.constantFrom('stop', 'tool-calls', 'unknown', 'length', undefined),
    failure: fc.constantFrom(undefined, undefined, undefined, error),
    output: fc.constantFrom('', 'x'.repeat(400)),
  })
  .map(({ input, hasUsage, finish, failure, output }) => (id) => {
    const reported = hasUsage ? usage({ input }) : undefined;
    const parts = [text(`${id}-0`, id), tool(`${id}-1`, output)];
    const message = step(id, parts, { finish, error: failure, usage: reported });
    return { type: 'step-finished', message };
  });

const others: fc.Arbitrary<InputShape> = fc.oneof(
  limits.map(
    (next): InputShape =>
      () => ({ type: 'model-changed', limits: next }),
  ),
  fc.boolean().map((isOverflow): InputShape => {
    return () => ({ type: 'summary-failed', error, isOverflow });
  }),
  fc.constantFrom<InputShape>(
    () => ({ type: 'step-refused', error }),
    () => ({ type: 'compact' }),
    () => ({ type: 'idle', sinceMs: 1 }),
    () => ({ type: 'aborted' }),
    (id) => ({ type: 'aborted', message: step(id, [], { finish: undefined }) }),
  ),
);

/** Inputs in any order. */
export const inputs: fc.Arbitrary<readonly LoopInput[]> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constant<InputShape>((id) => said(id)) },
      { weight: 5, arbitrary: steps },
      {
        weight: 3,
        arbitrary: fc.constantFrom('', 'All of it.').map((summary): InputShape => {
          return () => ({ type: 'summary-finished', result: { text: summary, finish: 'stop' } });
        }),
      },
      { weight: 3, arbitrary: fc.constant<InputShape>(() => ({ type: 'turn-ended' })) },
      { weight: 4, arbitrary: others },
    ),
    { minLength: 5, maxLength: 36, size: 'max' },
  )
  .map((shapes) => shapes.map((shape, index) => shape(`i${index}`)));

/** What a policy does with each input. */
export function play(policy: Policy, first: Limits, list: readonly LoopInput[]): readonly Move[] {
  const shapes = list.map((input) => () => input);
  return movesOf(policy, first, shapes).map(({ input, before, next }) => {
    return { input, before, after: next.state, commands: next.commands, events: next.events };
  });
}
