import { describe, expect, it } from 'vitest';
import { createState, policies, transition } from '../../src/engine/index.ts';
import { step, usage, user } from '../support/history.ts';
import { testTools } from '../support/tools.ts';

const policy = policies['opencode-1.18'];
const limits = { contextTokens: 100_000, outputTokens: 8_000 };
/** What a program without types might hand over. */
const given = (value: unknown) => value as never;
const send = (input: unknown, tools: unknown) =>
  transition(createState(policy, limits), given(input), given(tools));

describe('transition', () => {
  it.each<[string, unknown, string]>([
    ['no tools', null, 'Expected `tools` to be an object, got null.'],
    [
      'no clock',
      { newId: () => 'x' },
      'Expected `tools.now` to be a finite number, got undefined.',
    ],
    ['no ids', { now: 1 }, 'Expected `tools.newId` to be a function, got undefined.'],
    [
      'a hook that is none',
      { ...testTools(), hooks: { compacting: 'x' } },
      'Expected `tools.hooks.compacting` to be a function',
    ],
    [
      'a hook that nobody calls',
      { ...testTools(), hooks: { compactng: () => ({}) } },
      "than compacting, autoContinue, got 'compactng'.",
    ],
  ])('takes %s', (_name, tools, message) => {
    expect(() => send({ type: 'turn-ended' }, tools)).toThrow(message);
  });

  it.each<[string, object, string]>([
    ['ids that are numbers', { newId: () => 5 }, 'Expected `tools.newId()` to be a text'],
    ['the same for no ids', { newId: () => '' }, '`tools.newId()` to be a text that is not empty'],
    [
      'an answer that is still awaited',
      { hooks: { compacting: async () => ({ context: ['x'] }) } },
      'Expected `tools.hooks.compacting()` to be no promise',
    ],
    [
      'one text for several',
      { hooks: { compacting: () => ({ context: 'x' }) } },
      'Expected `tools.hooks.compacting().context` to be a list',
    ],
    [
      'context under another name',
      { hooks: { compacting: () => ({ contexts: ['x'] }) } },
      "than context, prompt, got 'contexts'.",
    ],
  ])('takes no %s from tools', (_name, tools, message) => {
    const { state } = transition(
      createState(policy, limits),
      { type: 'user-message', message: user('u1') },
      testTools(),
    );
    const full = { ...step('s1'), finish: 'tool-calls', usage: usage({ input: 99_000 }) };
    const input = { type: 'step-finished', message: full } as const;
    const all = given({ ...testTools(), ...tools });
    expect(() => transition(state, input, all)).toThrow(TypeError);
    expect(() => transition(state, input, all)).toThrow(message);
  });

  it.each([{}, undefined, { policy, history: [] }])('takes no %j for a state', (state) => {
    const input = { type: 'turn-ended' } as const;
    expect(() => transition(given(state), input, testTools())).toThrow('Expected `state');
  });
});
