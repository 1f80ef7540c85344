import { describe, expect, it } from 'vitest';
import {
  createState,
  explainMove,
  type LoopInput,
  policies,
  type Policy,
  resolvePolicy,
  transition,
} from '../../src/engine/index.ts';
import { step, tool, usage } from '../support/history.ts';
import { final, LIMITS, opencode, refused, said, stepped } from '../support/script.ts';
import { testTools } from '../support/tools.ts';

const { pi, 'gemini-cli': gemini, 'selective-pruning': pruning } = policies;
const memory = policies['external-memory'];
const forgetful = resolvePolicy(memory, { memory: { keepMessages: 1 } });
const stubborn = resolvePolicy(pi, { trigger: { onRefusal: 'stop' } });

/** More than any of these policies goes on with. */
const FULL = 149;
const withOutput: LoopInput = {
  type: 'step-finished',
  message: step('s1', [tool('t', 40)], { usage: usage({ input: FULL }), finish: 'tool-calls' }),
};

describe('why nothing was done about an overflow', () => {
  it.each<[name: string, policy: Policy, inputs: readonly LoopInput[], why: string | undefined]>([
    ['all is behind the newest prompt', gemini, [said('u1'), withOutput], 'nothing-to-cut'],
    [
      'something stands before the newest prompt',
      gemini,
      [said('u1'), final('s1', 1), said('u2'), stepped('s2', FULL)],
      undefined,
    ],
    ['no overflow was found', gemini, [said('u1'), stepped('s1', 1)], undefined],
    ['a pivot follows', opencode, [said('u1'), stepped('s1', FULL)], undefined],
    ['a refused prompt stands alone', pi, [said('u1'), refused], 'nothing-to-cut'],
    ['a refusal ends it all', stubborn, [said('u1'), refused], undefined],
    ['there is nothing to clear', pruning, [said('u1'), stepped('s1', FULL)], 'never-pivots'],
    ['something was cleared', pruning, [said('u1'), withOutput], undefined],
    ['all messages are among the newest', memory, [said('u1'), withOutput], 'nothing-to-move'],
    ['a message was moved out', forgetful, [said('u1'), withOutput], undefined],
  ])('is told where %s: %#', (_, policy, inputs, why) => {
    const tools = testTools();
    let state = createState(policy, LIMITS);
    const told = inputs.map((input) => {
      const before = state;
      const next = transition(before, input, tools);
      state = next.state;
      return explainMove({ before, input, next }).inaction;
    });
    expect(told.at(-1)).toBe(why);
  });
});
