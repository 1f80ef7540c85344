import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createState,
  type EngineEvent,
  type Limits,
  type LoopInput,
  type Move,
  overflowRules,
  type Policy,
  type PolicyOverrides,
  resolvePolicy,
  transition,
  type Usage,
} from '../../../src/engine/index.ts';
import { isOfTokens } from '../../../src/engine/conditions.ts';
import { frozen } from '../../../src/engine/values.ts';
import { step, text, tool, usage, user } from '../../support/history.ts';
import { eventsOf, guarded } from '../../support/preset-sessions.ts';
import { assertReaching } from '../../support/reaching.ts';
import { testTools } from '../../support/tools.ts';

/** A window in which the sessions below fit many times. */
const wide: Limits = { contextTokens: 100_000, outputTokens: 4_000 };
/** Tokens that the messages of such a session could be estimated at. */
const ESTIMATED_TOKENS = 5_000;
/** An output in tokens; exactly fifteen of them are no more than what is protected and the minimum. */
const OUTPUT_TOKENS = 10;
const MOST_OUTPUTS = 15;
const tight: PolicyOverrides = {
  prune: {
    byAge: { protectTokens: 100, minimumTokens: 50, guardTurns: 0, skipNewestMessages: 0 },
    keepLast: { outputs: MOST_OUTPUTS },
  },
};

/** Rules that look at the input alone. */
const INPUT_ONLY: ReadonlySet<string> = new Set([
  'gemini-cli',
  'hermes',
  'document-004-processor',
  'claude-code-2.1.14',
  'claude-code-2.1.22',
]);

/** Numbers of messages out of reach where they are enough, and no hurdle where tokens must be reached as well. */
function byTokensAlone({ trigger }: Policy): PolicyOverrides {
  const { anyOf, overflow } = trigger;
  if (anyOf === undefined) return {};
  const lists = anyOf.map((all) => {
    const atLeast = all.some(isOfTokens) ? 0 : Number.MAX_SAFE_INTEGER;
    return all.map((one) => (isOfTokens(one) ? one : { ...one, atLeast }));
  });
  // More than a window holds is not believed where a guard says so.
  const isWhole = overflowRules[overflow].usable(wide, trigger) >= wide.contextTokens;
  return { trigger: { anyOf: lists, ...(isWhole && { windowShare: 0.9 }) } };
}

/** Tests if tokens that a provider tells are ever enough for a policy to act. */
function goesByUsage({ trigger: { auto, anyOf, counted } }: Policy): boolean {
  return (
    auto &&
    counted === undefined &&
    (anyOf === undefined || anyOf.some((all) => all.some(isOfTokens)))
  );
}

/** The largest count that a policy lets pass. */
function largestCount({ trigger }: Policy): number {
  const rule = overflowRules[trigger.overflow];
  const usableTokens = Math.floor(rule.usable(wide, trigger));
  const newer = trigger.countsNewerMessages ? ESTIMATED_TOKENS : 0;
  return usableTokens - newer - (rule.comparison === '>' ? 0 : 1);
}

/** Turns by the outputs of each of their steps, and where in the range each step's usage lies. */
const turns = fc.array(
  fc.array(fc.record({ outputs: fc.nat({ max: 3 }), share: fc.constantFrom(0, 0.5, 1, 1) }), {
    minLength: 1,
    maxLength: 4,
  }),
  { minLength: 1, maxLength: 5, size: 'max' },
);
type Turns = typeof turns extends fc.Arbitrary<infer Value> ? Value : never;

function inputsOf(list: Turns, largest: number): readonly LoopInput[] {
  let outputs = 0;
  return list.flatMap((stepsOfTurn, turnIndex): readonly LoopInput[] => [
    { type: 'user-message', message: user(`u${turnIndex}`) },
    ...stepsOfTurn.map((shape, index): LoopInput => {
      const id = `s${turnIndex}-${index}`;
      const count = Math.min(shape.outputs, MOST_OUTPUTS - outputs);
      outputs += count;
      const finish = index === stepsOfTurn.length - 1 ? 'stop' : 'tool-calls';
      const message = step(id, outputsOf(id, count), {
        finish,
        usage: spread(Math.floor(largest * shape.share)),
      });
      return { type: 'step-finished', message };
    }),
    { type: 'turn-ended' },
    { type: 'idle', sinceMs: 1 },
    { type: 'model-changed', limits: wide },
  ]);
}

/** A prompt that weighs nothing. */
const nothing = user('u2', text('u2-0', ''));

function outputsOf(id: string, count: number) {
  const outputs = Array.from({ length: count }, (_, index) =>
    tool(`${id}-${index + 1}`, OUTPUT_TOKENS * 4),
  );
  return [text(`${id}-0`, id), ...outputs];
}

/** A count in the kinds that every rule adds up. */
function spread(tokens: number): Usage {
  const cacheRead = Math.floor(tokens / 2);
  const output = Math.min(100, tokens - cacheRead);
  return usage({ input: tokens - cacheRead - output, cacheRead, output });
}

function run(policy: Policy, inputs: readonly LoopInput[]): readonly Move[] {
  const tools = testTools();
  let state = frozen(createState(policy, wide));
  return inputs.map((input) => {
    const before = state;
    const next = transition(before, frozen(input), tools);
    state = frozen(next.state);
    return { before, input, next };
  });
}

describe('below every trigger', () => {
  it.each(guarded)('nothing changes to the byte: %s', (_, preset) => {
    const policy = resolvePolicy(resolvePolicy(preset, tight), byTokensAlone(preset));
    let atTheEdge = 0;
    assertReaching(
      fc.property(turns, (list) => {
        const inputs = inputsOf(list, largestCount(policy));
        const given = inputs.flatMap((input) =>
          'message' in input && input.message ? [input.message] : [],
        );
        const bytes = JSON.stringify(given);
        const moves = run(policy, inputs);
        const { history } = moves.at(-1)!.next.state;
        expect(JSON.stringify(history)).toBe(bytes);
        expect(history.every((message, index) => message === given[index])).toBe(true);
        expect(moves.flatMap(({ next }) => next.events).filter((event) => !isQuiet(event))).toEqual(
          [],
        );
        const asked = moves.flatMap(({ next }) => next.commands);
        const views = moves.map(({ next }) => next.state.history);
        const expected = moves.flatMap(({ next }, index) =>
          next.commands.map(({ type }) =>
            type === 'request'
              ? { type, view: views[index] }
              : { type: 'stop', reason: 'finished' },
          ),
        );
        expect(asked).toEqual(expected);
        if (given.flatMap(({ parts }) => parts).filter(isTool).length === MOST_OUTPUTS)
          atTheEdge += 1;
      }),
    );
    expect(atTheEdge).toBeGreaterThan(5);
  });

  const triggered = guarded.filter(([, policy]) => goesByUsage(policy));

  it.each(triggered)('and one token more is an overflow: %s', (_, preset) => {
    const policy = resolvePolicy(preset, byTokensAlone(preset));
    const { trigger } = policy;
    const largest = largestCount(policy) + (trigger.countsNewerMessages ? ESTIMATED_TOKENS : 0);
    const paths = [largest, largest + 1].map((count) => {
      const told = INPUT_ONLY.has(trigger.overflow) ? usage({ input: count }) : spread(count);
      const finish = trigger.onlyBetweenTurns === true ? 'stop' : 'tool-calls';
      const message = step('s1', [], { finish, usage: told });
      const moves = run(policy, [
        { type: 'user-message', message: user('u1') },
        { type: 'step-finished', message },
        ...(trigger.onlyBetweenTurns && !trigger.afterStep
          ? [{ type: 'user-message', message: nothing } as const]
          : []),
      ]);
      return eventsOf(moves, 'overflow').length;
    });
    expect(paths).toEqual([0, 1]);
  });

  const pruning = guarded.filter(([, { prune }]) => prune.enabled && prune.when === 'turn-end');

  it.each(pruning)('and one output more is a prune: %s', (_, preset) => {
    const policy = resolvePolicy(preset, tight);
    const states = [MOST_OUTPUTS, MOST_OUTPUTS + 1].map((count) => {
      const moves = run(policy, [
        { type: 'user-message', message: user('u1') },
        { type: 'step-finished', message: step('s1', outputsOf('s1', count)) },
        { type: 'turn-ended' },
      ]);
      return eventsOf(moves, 'pruned').map(({ plan }) => plan.state);
    });
    expect(states).toEqual([['below-minimum'], ['fire']]);
  });
});

function isTool({ type }: { readonly type: string }): boolean {
  return type === 'tool';
}

/** A prune that clears nothing, or a usage that a guard does not believe, changes nothing either. */
function isQuiet(event: EngineEvent): boolean {
  if (event.type === 'pruned') return event.plan.state !== 'fire';
  return event.type === 'usage-ignored';
}
