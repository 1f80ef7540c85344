import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, policies } from '../../../src/engine/index.ts';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import { createLedger } from '../../../src/simulator/replay/ledger.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import type { TraceStep } from '../../../src/simulator/replay/trace.ts';
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

const COMPILE = {
  tokenizer: 'characters',
  tokenizerEvidence: 'estimated',
  count: countCharacters,
} as const;

const toMessage = ({ message }: TraceStep): Message => message;

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
  const trace = compileSession(session, COMPILE);
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

/** One turn of calls whose outputs have 100 characters, with those contexts. */
function workOf(contexts: readonly number[], over: Partial<Session> = {}): Session {
  const steps = contexts.map((cacheRead, index) =>
    step(`s${index}`, [tool(`p${index}`, 100)], {
      finish: 'tool-calls',
      usage: usage({ cacheRead }),
    }),
  );
  return { ...worldOf({ sizes: [] }), messages: [user('u', 'Go on.'), ...steps], ...over };
}

const UNEVEN = [5_000, 5_900, 6_000, 9_000, 9_100];

/** Steps weigh alike, so that one at an anchor weighs the mean of the others: (900 + 3,000 + 100) / 3, (900 + 100 + 100) / 3. */
describe('contexts where something changes them', () => {
  it.each<[string, Partial<Session>, readonly number[]]>([
    [
      'go on by growth after a compaction of the agent',
      { recordedCompactions: [{ kind: 'full', messageIndex: 3 }] },
      [5_000, 5_900, 7_233, 10_233, 10_333],
    ],
    [
      'go on by growth after a clearing of the agent',
      { recordedCompactions: [{ kind: 'micro', messageIndex: 4 }] },
      [5_000, 5_900, 6_000, 6_367, 6_467],
    ],
    [
      'hold from there on what the agent counted at its compaction and the recording lacks',
      { recordedCompactions: [{ kind: 'full', messageIndex: 3, tokensBefore: 8_000 }] },
      [5_000, 5_900, 8_000, 11_000, 11_100],
    ],
    [
      'are no smaller where the agent counted less',
      { recordedCompactions: [{ kind: 'full', messageIndex: 3, tokensBefore: 7_000 }] },
      [5_000, 5_900, 7_233, 10_233, 10_333],
    ],
    ['follow the recording at a restart', { restarts: [3] }, UNEVEN],
    [
      'follow a recording that begins with a compaction',
      { isPartial: true, recordedCompactions: [{ kind: 'full', messageIndex: 0 }] },
      UNEVEN,
    ],
  ])('%s', (_, over, expected) => {
    expect(contextsOf(workOf(UNEVEN, over))).toEqual(expected);
  });

  it('hold what came after a compaction beside what the agent counted at it', () => {
    const { messages, ...rest } = workOf(UNEVEN);
    const recordedCompactions = [{ kind: 'full', messageIndex: 3, tokensBefore: 8_000 }] as const;
    const prompted = messages.toSpliced(3, 0, user('later', 'x'.repeat(20)));
    const contexts = contextsOf({ ...rest, messages: prompted, recordedCompactions });
    expect(contexts.slice(0, 2)).toEqual(UNEVEN.slice(0, 2));
    expect(contexts[2]).toBeGreaterThan(8_000);
  });

  it('go on by growth where another tokenizer counts', () => {
    const { messages, ...rest } = workOf(UNEVEN);
    const models = ['openai/gpt-4o', 'openai/gpt-4'];
    const switched = messages.map((message, index) =>
      message.role === 'user' ? message : { ...message, model: models[index < 3 ? 0 : 1] },
    );
    const contexts = contextsOf({ ...rest, messages: switched });
    expect(contexts.slice(0, 2)).toEqual(UNEVEN.slice(0, 2));
    expect(contexts.map((tokens, index) => tokens - (contexts[index - 1] ?? 0)).slice(3)).toEqual([
      3_000, 100,
    ]);
  });

  it('are the recorded ones, less what left, plus what came', () => {
    const trace = compileSession(workOf(UNEVEN), COMPILE);
    const messages = trace.turns.flatMap((turn) => [turn.message, ...turn.steps.map(toMessage)]);
    const ledger = createLedger({ ...trace, render: policies.none.render });
    const [part] = messages[1]?.parts ?? [];
    if (part?.type !== 'tool' || part.state.status !== 'completed') throw new Error('No output.');
    const { said = 0, whole = 0 } = trace.sizes.get(part) ?? {};
    const cleared = { ...part, state: { ...part.state, compactedAt: 1 } };
    const view = messages.map((message, index) =>
      index === 1 ? { ...message, parts: [cleared] } : message,
    );
    const note = Math.round(trace.basis.factor * policies.none.render.clearedOutput.length);
    expect(said).toBeGreaterThan(0);
    expect(ledger.contextTokens(view) - ledger.contextTokens(messages)).toBe(said - whole + note);
  });

  it('leave the beginning of a request cached where its end shrank', () => {
    const trace = compileSession(workOf([5_000, 6_000, 7_000, 5_500]), COMPILE);
    const model = modelOf({ cache: 'anthropic-5m' }, { limits: { contextTokens: 0 } });
    const run = { policy: policies.none, model, summarizer: fixed, seed: 1 };
    const last = eventsOf([...runTrace(trace, run)], 'step-end').at(-1);
    expect(last).toMatchObject({ contextTokens: 5_500, cacheReadTokens: 5_000 });
  });
});

describe('the first measured request', () => {
  const basisOf = (session: Session, overheadTokens?: number) =>
    compileSession(session, { ...COMPILE, overheadTokens }).basis;

  it.each<[string, Partial<Session>, number | undefined, number, 'measured' | 'estimated']>([
    ['has what its messages do not hold as overhead', {}, undefined, 4_994, 'measured'],
    ['has the overhead that is given', {}, 3_000, 3_000, 'measured'],
    ['has no overhead above itself', {}, 9_000, 5_000, 'measured'],
    [
      'has no more than it holds where it starts',
      { isPartial: true },
      undefined,
      4_994,
      'estimated',
    ],
  ])('%s', (_, over, given, overheadTokens, overhead) => {
    const session = workOf([5_000], over);
    expect(basisOf(session, given)).toMatchObject({ overheadTokens, overhead });
    const trace = compileSession(session, { ...COMPILE, overheadTokens: given });
    const ledger = createLedger({ ...trace, render: policies.none.render });
    expect(ledger.contextTokens(session.messages.slice(0, 1))).toBe(5_000);
  });

  it('holds what is absent with its first part, beside an assumed overhead', () => {
    const trace = compileSession(workOf([60_000], { isPartial: true }), COMPILE);
    expect(trace.basis).toMatchObject({ overheadTokens: 12_000, overhead: 'estimated' });
    const [first] = trace.turns[0]?.message.parts ?? [];
    expect(first && trace.sizes.get(first)).toEqual({ whole: 48_000, said: 48_000 });
  });
});
