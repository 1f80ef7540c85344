import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, policies } from '../../../src/engine/index.ts';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { contextTokensOf, type Session } from '../../../src/simulator/session/session.ts';
import { step, text, tool, usage, user } from '../../support/history.ts';
import { eventsOf, fixed, modelOf } from './lab.ts';
import { countCharacters, worldOf } from './world.ts';

/** A step with its prompt, before both get their ids. */
interface Shape {
  readonly isTurn: boolean;
  readonly characters: number;
  readonly contextTokens: number | undefined;
}

const shapes: fc.Arbitrary<readonly Shape[]> = fc.array(
  fc.record({
    isTurn: fc.boolean(),
    characters: fc.oneof(fc.constant(0), fc.nat(400)),
    contextTokens: fc.option(fc.nat(90_000), { nil: undefined, freq: 5 }),
  }),
  { minLength: 2, maxLength: 14 },
);

function toMessages(steps: readonly Shape[]): readonly Message[] {
  return steps.flatMap(({ isTurn, characters, contextTokens }, index) => {
    const words = 'x'.repeat(characters);
    const parts = index % 3 === 0 ? [text(`p${index}`, words)] : [tool(`p${index}`, words)];
    const isMeasured = contextTokens !== undefined;
    const answer = step(`s${index}`, parts, {
      finish: 'tool-calls',
      ...(isMeasured && { usage: usage({ cacheRead: contextTokens, output: 3 }) }),
    });
    return isTurn || index === 0 ? [user(`u${index}`, words), answer] : [answer];
  });
}

function contextsOf(session: Session): readonly number[] {
  const trace = compileSession(session, {
    tokenizer: 'characters',
    tokenizerEvidence: 'estimated',
    count: countCharacters,
  });
  const run = { policy: policies.none, model: modelOf(), summarizer: fixed, seed: 1 };
  return eventsOf([...runTrace(trace, run)], 'step-end').map(({ contextTokens }) => contextTokens);
}

function recordedOf({ messages }: Session): readonly (number | undefined)[] {
  return messages.flatMap((message) => {
    if (message.role === 'user') return [];
    const tokens = message.usage ? contextTokensOf(message.usage) : 0;
    return tokens > 0 ? [tokens] : [undefined];
  });
}

describe('contexts of a recording that no policy changes', () => {
  it.each([false, true])('are as recorded, with isPartial %s', (isPartial) => {
    let shrunk = 0;
    fc.assert(
      fc.property(shapes, (steps) => {
        const session = { ...worldOf({ sizes: [] }), isPartial, messages: toMessages(steps) };
        const recorded = recordedOf(session);
        fc.pre(recorded.some((tokens) => tokens !== undefined));
        const contexts = contextsOf(session);
        expect(contexts.map((tokens, index) => recorded[index] && tokens)).toEqual(recorded);
        if (recorded.some((tokens = 0, index) => tokens < (recorded[index - 1] ?? 0))) shrunk += 1;
      }),
    );
    expect(shrunk).toBeGreaterThan(10);
  });
});
