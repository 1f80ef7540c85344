import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policies } from '../../../../src/engine/index.ts';
import { createEnv } from '../../../../src/simulator/env.ts';
import type { RunEvent } from '../../../../src/simulator/events.ts';
import { foldRun } from '../../../../src/simulator/metrics/fold.ts';
import { recordRun } from '../../../../src/simulator/metrics/record.ts';
import type { Compactor } from '../../../../src/simulator/replay/foreign/compactor.ts';
import {
  type ForeignOptions,
  runForeign,
} from '../../../../src/simulator/replay/foreign/run-foreign.ts';
import { runTrace } from '../../../../src/simulator/replay/run-trace.ts';
import type { Trace } from '../../../../src/simulator/replay/trace.ts';
import { usage } from '../../../support/history.ts';
import { answer, ask, call, chat, fixed, modelOf, traceOf, wordsOf, work } from '../lab.ts';

type Messages = Parameters<Compactor>[0]['messages'];

const limits = (contextTokens: number) => ({ limits: { contextTokens } });
const idle: Compactor = ({ messages }) => messages;
const said = (text: string): Messages[number] => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

/** Keeps the first message and a note, and what comes after a place. */
const cutTo =
  (keep: number): Compactor =>
  ({ messages }) =>
    messages.length <= keep + 2 ? messages : [said('Much was done.'), ...messages.slice(-keep)];

const withoutResults: Compactor = ({ messages }) => messages.filter(({ role }) => role !== 'tool');

const clear: Compactor = ({ messages }) =>
  messages.map((message, index) =>
    message.role !== 'tool' || index >= messages.length - 1
      ? message
      : {
          role: message.role,
          content: message.content.map((one) =>
            one.type === 'tool-result' ? { ...one, output: '' } : one,
          ),
        },
  );

const throwing: Compactor = () => {
  throw new RangeError('of its own');
};

const emptying: Compactor = ({ messages }) => {
  (messages as unknown[]).length = 0;
  return [said('gone')];
};

const touching: Compactor = ({ messages }) => {
  Object.assign(messages[0] as object, { role: 'tool' });
  return messages;
};

const givingWay: Compactor = ({ messages, refused }) =>
  refused === undefined ? messages : messages.filter(({ role }) => role === 'user');
/** Keeps what the person asked and the newest step. */
const cutMiddle: Compactor = ({ messages }) => [...messages.slice(0, 1), ...messages.slice(-2)];

async function run(trace: Trace, options: Partial<ForeignOptions>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const all = { compactor: idle, name: 'own', model: modelOf(), seed: 1, env: createEnv(1) };
  for await (const event of runForeign(trace, { ...all, ...options })) events.push(event);
  return events;
}

function endOf(events: readonly RunEvent[]) {
  return events.find((event) => event.type === 'run-end');
}

function brokenIn(events: readonly RunEvent[]): readonly string[] {
  const laws = events.flatMap((event) => (event.type === 'law-violated' ? [event.law] : []));
  return [...new Set(laws)];
}

describe('runForeign', () => {
  it('bills a compactor that changes nothing as the control is billed, step by step', async () => {
    const step = fc.record({ tokens: fc.nat({ max: 900 }), calls: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.double({ min: 0.5, max: 2, noNaN: true }),
        fc.nat({ max: 9 }),
        async (steps, factor, perMessageTokens) => {
          const messages = steps.flatMap(({ tokens, calls }, index) =>
            calls ? [call(`c${index}`, tokens)] : chatOf(index, tokens),
          );
          const plain = traceOf([ask('u0', 5), ...messages]);
          const trace = { ...plain, basis: { ...plain.basis, factor, perMessageTokens } };
          const model = modelOf({ cache: 'anthropic-5m' }, limits(0));
          const own = await run(trace, { model });
          const control = [
            ...runTrace(trace, { policy: policies.none, model, summarizer: fixed, seed: 1 }),
          ];
          expect(stepsOf(own)).toEqual(stepsOf(control));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('bills it so by recorded contexts, too, whether they grew or shrank', async () => {
    const contexts = fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 2, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(contexts, async (tokens) => {
        const calls = tokens.map((cacheRead, index) =>
          call(`c${index}`, 20 + index, { usage: usage({ cacheRead }) }),
        );
        const trace = traceOf([ask('u0', 5), ...calls]);
        const model = modelOf({ cache: 'anthropic-5m' }, limits(0));
        const own = await run(trace, { model });
        const control = runTrace(trace, {
          policy: policies.none,
          model,
          summarizer: fixed,
          seed: 1,
        });
        expect(stepsOf(own)).toEqual(stepsOf([...control]));
      }),
      { numRuns: 60 },
    );
  });

  it('shows the compactor limits, the usage of the newest step and why a request was refused', async () => {
    const inputs: Parameters<Compactor>[0][] = [];
    const compactor: Compactor = (input) => {
      inputs.push(input);
      return input.refused === undefined ? input.messages : cutMiddle(input);
    };
    const model = modelOf({ trueContextTokens: 4_000 });
    const events = await run(traceOf(work(4, 1_500)), { compactor, model });
    expect(endOf(events)).toMatchObject({ state: 'completed' });
    expect(
      inputs.map(({ usage, refused }) => [usage !== undefined, refused !== undefined]),
    ).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, false],
      [true, true],
    ]);
    expect(inputs[0]?.limits).toEqual(model.limits);
    const types = events
      .map(({ type }) => type)
      .filter((type) => /refused|overflow|pivot/.test(type));
    expect(types).toEqual(['step-refused', 'overflow', 'pivot']);
  });

  it.each([
    ['sent', 'openai', [510, 2_015, 3_520, 5_025]],
    ['kept', 'ollama', [510, 2_015, 1_502, 1_502]],
  ] as const)(
    'shows of a request that was cut what was %s where %s does',
    async (_, dialect, inputs) => {
      const model = modelOf({ refusal: 'ollama-silent', dialect, trueContextTokens: 3_000 });
      const shown: (number | undefined)[] = [];
      const compactor: Compactor = ({ messages, usage }) => {
        shown.push(usage?.input);
        return messages;
      };
      await run(traceOf([...work(4, 1_500), ask('u2', 10), answer('a2', 5)]), { compactor, model });
      expect(shown.slice(1)).toEqual(inputs);
    },
  );

  it('ends where the same step is refused twice', async () => {
    const model = modelOf({ trueContextTokens: 2_000 });
    const events = await run(traceOf(work(4, 1_500)), { model });
    expect(events.filter(({ type }) => type === 'step-refused')).toHaveLength(2);
    expect(endOf(events)).toMatchObject({ state: 'refused' });
  });

  it('ends at a request that no provider would take', async () => {
    const events = await run(traceOf(work(4, 100)), { compactor: withoutResults });
    expect(endOf(events)).toMatchObject({ state: 'failed' });
    expect(events.some(({ type }) => type === 'step-malformed')).toBe(true);
  });

  it('tells sizes around a change, and gives every metric its numbers', async () => {
    const trace = traceOf(chat(12, 500));
    const events = await run(trace, { compactor: cutTo(3) });
    const pivots = events.filter((event) => event.type === 'pivot');
    expect(pivots.length).toBeGreaterThan(2);
    for (const { contextBeforeTokens: before, contextAfterTokens: after } of pivots)
      expect(after).toBeLessThan(before!);
    expect(brokenIn(events)).toEqual([]);
    const control = foldRun(
      runTrace(trace, { policy: policies.none, model: modelOf(), summarizer: fixed, seed: 1 }),
    );
    const key = { session: 's', policy: 'own', model: 'm', summarizer: 'own', seed: 1 };
    const { state, metrics } = recordRun(key, events, {
      baseline: { name: 'none', totals: control },
    });
    expect({ state, steps: metrics.steps }).toEqual({ state: 'completed', steps: 12 });
    expect(metrics.compactions).toBe(pivots.length);
    expect(metrics.tokensSaved).toBeGreaterThan(1_000);
  });

  it('misses what a step reads again after its output was cleared', async () => {
    const trace = traceOf([ask('u1', 10), call('s1', 400), call('s2', 300), call('s3', 200)]);
    const events = await run(trace, { compactor: clear });
    expect(brokenIn(events)).toEqual([]);
    const evictions = events.filter((event) => event.type === 'eviction');
    expect(evictions).toEqual([{ type: 'eviction', by: 'pivot', parts: 1 }]);
  });

  it('throws on what the compactor throws', async () => {
    await expect(run(traceOf(work(1, 10)), { compactor: throwing })).rejects.toThrow('of its own');
  });

  it.each<[string, unknown, string]>([
    ['no list', { messages: [] }, 'expected a list of messages, got an object'],
    ['a role of its own', [{ role: 'system', content: [] }], 'expected message 0 to have a role'],
    ['content of no type', [said('a'), { role: 'user', content: [{}] }], 'content 0 of message 1'],
    ['a call without id', [{ role: 'user', content: [{ type: 'tool-call' }] }], "'callId' of"],
  ])('says what is wrong with an answer that is %s', async (_, given, words) => {
    const compactor = (() => given) as unknown as Compactor;
    await expect(run(traceOf(work(1, 10)), { compactor })).rejects.toThrow(words);
  });

  it('lets no compactor change what it was shown', async () => {
    const events = await run(traceOf(work(2, 100)), { compactor: emptying });
    expect(brokenIn(events)).toContain('newest-request-visible');
    await expect(run(traceOf(work(2, 100)), { compactor: touching })).rejects.toThrow(TypeError);
  });
});

/** Compactors that break one law each, on a session with turns and calls. */
const breaking: readonly [string, Compactor][] = [
  ['calls-paired', ({ messages }) => dropFirst(messages, (one) => one.role === 'assistant')],
  [
    'pivot-lowers-context',
    ({ messages }) => [said(wordsOf(50)), ...messages.filter(({ content }) => !isSaid(content))],
  ],
  [
    'newest-request-visible',
    ({ messages }) => {
      const at = messages.findLastIndex(({ role }) => role === 'user');
      return messages.filter((_, index) => index !== at);
    },
  ],
  [
    'no-message-twice',
    ({ messages }) => {
      const last = messages.findLast(({ role }) => role === 'user') as Messages[number];
      const head = dropFirst(dropFirst(messages, isStep), isResult);
      return [...head.slice(0, 1), last, ...head.slice(1)];
    },
  ],
  [
    'ordered-by-time',
    ({ messages }) => {
      const head = dropFirst(dropFirst(messages, isStep), isResult);
      const users = head.filter(({ role }) => role === 'user').toReversed();
      return [...users, ...head.filter(({ role }) => role !== 'user')];
    },
  ],
  ['newest-step-kept', ({ messages }) => messages.filter(({ role }) => role === 'user')],
];

const isStep = ({ role }: Messages[number]) => role === 'assistant';
const isResult = ({ role }: Messages[number]) => role === 'tool';

function isSaid(content: Messages[number]['content']): boolean {
  return content.some((one) => one.type === 'text' && one.text === wordsOf(50));
}

function dropFirst(messages: Messages, isMeant: (message: Messages[number]) => boolean): Messages {
  const at = messages.findIndex(isMeant);
  return messages.filter((_, index) => index !== at);
}

describe('the laws of lists', () => {
  const session = [ask('u1', 10), call('s1', 300), ask('u2', 20), call('s2', 100), call('s3', 90)];

  it.each(breaking)('finds a compactor that breaks %s', async (law, compactor) => {
    const late: Compactor = (input) =>
      input.messages.length < 6 ? input.messages : compactor(input);
    const events = await run(traceOf(session), { compactor: late, model: unchecked() });
    expect(brokenIn(events)).toContain(law);
    expect(endOf(events)).toMatchObject({ state: 'failed', reason: expect.stringContaining(law) });
  });

  it('lets a refused step be cut', async () => {
    const model = modelOf({ trueContextTokens: 3_000 });
    const events = await run(traceOf(work(3, 2_000)), { compactor: givingWay, model });
    expect(brokenIn(events)).toEqual([]);
    expect(endOf(events)).toMatchObject({ state: 'completed' });
  });
});

function unchecked() {
  const model = modelOf();
  return { ...model, behaviour: { ...model.behaviour, checks: [] } };
}

function chatOf(index: number, tokens: number) {
  return chat(1, tokens).map((message) => ({ ...message, id: `${message.id}-${index}` }));
}

function stepsOf(events: readonly RunEvent[]) {
  return events.flatMap((event) => {
    if (event.type !== 'step-end') return [];
    const { viewMessages: _, reported: __, ...rest } = event;
    return [rest];
  });
}
