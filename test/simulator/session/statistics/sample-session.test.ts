import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../../src/simulator/session/session.ts';
import { poolSamples } from '../../../../src/simulator/session/statistics/pool.ts';
import { sampleSession } from '../../../../src/simulator/session/statistics/sample-session.ts';
import {
  charsEstimator,
  countCharacters,
} from '../../../../src/simulator/session/statistics/sample.ts';
import { distribute } from '../../../../src/simulator/session/statistics/distribution.ts';
import { callOn, promptAt, sessionOf, stepAt } from './session.ts';

const ROUNDING = 1e-9;
const options = charsEstimator;
const text = (value: string) => ({ type: 'text' as const, id: value, text: value });
const sample = (messages: Session['messages'], changes?: Partial<Session>) =>
  sampleSession(sessionOf(messages, changes), options);
const pool = (messages: Session['messages'], changes?: Partial<Session>) =>
  poolSamples([sample(messages, changes)], 'chars4');

const messages = [
  promptAt(1, 'x'.repeat(40)),
  stepAt(3, 1000, [text('y'.repeat(8)), callOn('/a', 'read', 'z'.repeat(80))]),
  stepAt(8, 1200, [callOn('/a', 'edit', 'ok'), callOn('/b', 'read', '')]),
  stepAt(9, 1100, [text('done')]),
  promptAt(69, 'more'),
  stepAt(70, 1500, [callOn('/a', 'read', 'z'.repeat(80))]),
];

const growthOf = (changes?: Partial<Session>) =>
  sample(messages, changes).steps.map(({ growthTokens }) => growthTokens);
const clearedOf = (changes: { readonly tokensAfter?: number }) =>
  pool([promptAt(1, 'go'), stepAt(2, 30, [])], {
    recordedCompactions: [{ kind: 'micro', messageIndex: 1, tokensBefore: 50, ...changes }],
  }).compactions.recordedTokensCleared;
const outputShareOf = (count: number) =>
  pool([
    promptAt(1, 'go'),
    stepAt(
      2,
      10,
      Array.from({ length: count }, () => callOn('/a', 'read', 'out')),
    ),
  ]).content.toolOutputShare;

describe('distribute', () => {
  it('is nothing of nothing', () => {
    expect(distribute([])).toBeNull();
  });

  it('takes quantiles between two numbers in proportion', () => {
    expect(distribute([40, 10, 20, 30])).toEqual({
      n: 4,
      mean: 25,
      min: 10,
      p10: 13,
      p25: 17.5,
      p50: 25,
      p75: 32.5,
      p90: 37,
      p95: 38.5,
      p99: expect.closeTo(39.7),
      max: 40,
    });
  });

  it('rises from min to max, with the mean between them', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1 }), (values) => {
        const { n, mean, ...rising } = distribute(values)!;
        const numbers = Object.values(rising);
        expect(n).toBe(values.length);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        expect(mean).toBeGreaterThanOrEqual(rising.min - ROUNDING);
        expect(mean).toBeLessThanOrEqual(rising.max + ROUNDING);
      }),
    );
  });
});

describe('countCharacters', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['日本', 2],
    ['a😀b', 3],
    ['\ud83d', 1],
  ])('counts %j as %i', (value, count) => {
    expect(countCharacters(value)).toBe(count);
  });
});

describe('sampleSession', () => {
  it('weighs content by kind', () => {
    expect(sample(messages, { system: 'sy'.repeat(4) }).tokensByKind).toEqual({
      user: 11,
      assistant: 3,
      reasoning: 0,
      injected: 0,
      summary: 0,
      system: 2,
      toolCall: 4 * 3.25,
      toolOutput: 40.5,
    });
  });

  it('tells what came of each prompt', () => {
    expect(sample(messages).turns).toEqual([
      { contentTokens: 10 + 2 + 1 + 9.75 + 20.5, toolOutputTokens: 20.5, toolCalls: 3, steps: 3 },
      { contentTokens: 1 + 3.25 + 20, toolOutputTokens: 20, toolCalls: 1, steps: 1 },
    ]);
  });

  it('keeps no text', () => {
    expect(JSON.stringify(sample(messages))).not.toMatch(/xxx|yy|zzz|done|more|\/a/);
  });

  it('tells waits before prompts, the model and tools apart', () => {
    const [first, ...rest] = messages;
    expect(sample(messages).gaps).toEqual({
      beforeUser: [60],
      model: [2, 1],
      toolsAndModel: [5, 1],
    });
    const undated = [{ ...first!, createdAt: 0 }, ...rest];
    expect(sample(undated).gaps.model).toEqual([1]);
  });

  it('takes no wait from times that run backwards, nor tools for steps that called none', () => {
    const [prompt, step] = messages;
    const backwards = sample([{ ...prompt!, createdAt: 9000 }, step!]);
    expect(backwards.gaps.model).toEqual([]);
    const silent = sample([prompt!, stepAt(3, 10, [text('one')]), stepAt(5, 10, [text('two')])]);
    expect(silent.gaps.toolsAndModel).toEqual([]);
  });

  it('leaves out what is never sent, and what is empty', () => {
    const parts = [text(''), { ...text('kept'), ignored: true }, text('said')];
    const { textTokens } = sample([promptAt(1, 'go'), stepAt(2, 10, parts)]);
    expect(textTokens.assistant).toEqual([1]);
  });

  it('measures how far back a file was touched', () => {
    expect(sample(messages).reuse).toEqual({
      reads: 3,
      repeatedReads: 1,
      // Behind the edit: its sibling's empty output, two texts and the call itself.
      rereads: [1 + 1 + 3.25],
      changes: [6.5],
    });
  });

  it('takes growth from step to step but not over a compaction', () => {
    expect(growthOf()).toEqual([undefined, 200, -100, 400]);
    const compaction = { kind: 'full', messageIndex: 4 } as const;
    const cleared = { kind: 'micro', messageIndex: 4 } as const;
    expect(growthOf({ recordedCompactions: [cleared] })).toEqual(growthOf());
    expect(growthOf({ recordedCompactions: [compaction] })).toEqual([
      undefined,
      200,
      -100,
      undefined,
    ]);
  });

  it('holds outputs of a step back where their count is not final', () => {
    expect(sample(messages).steps[0]?.outputTokens).toBe(10);
    expect(sample(messages, { isOutputFinal: false }).steps[0]?.outputTokens).toBeUndefined();
  });

  it('knows what a compaction came after and led to', () => {
    const compaction = {
      kind: 'full',
      messageIndex: 4,
      tokensBefore: 1100,
      summary: 's'.repeat(12),
    };
    const { compactions } = sample(messages, {
      recordedCompactions: [{ ...compaction, kind: 'full' }],
    });
    expect(compactions).toEqual([
      {
        kind: 'full',
        trigger: undefined,
        tokensBefore: 1100,
        tokensAfter: 1500,
        summaryTokens: 3,
        stepsBefore: 3,
        toolOutputsBefore: 3,
      },
    ]);
  });
});

describe('poolSamples', () => {
  it('tells what a clearing of outputs took away only where that was recorded', () => {
    expect(clearedOf({})).toBeNull();
    expect(clearedOf({ tokensAfter: 20 })?.p50).toBe(30);
  });

  it('takes the share of outputs from sessions with at least five', () => {
    expect(outputShareOf(4)).toBeNull();
    expect(outputShareOf(5)?.n).toBe(1);
  });

  it('measures no growth over a prompt', () => {
    const turns = [1, 3, 5, 7].flatMap((second) => [
      promptAt(second, 'go'),
      stepAt(second + 1, second ** 2 * 1000, [callOn('/a', 'read', 'z'.repeat(second * 3000))]),
    ]);
    expect(pool(turns).charactersPerToken.all).toBeNull();
  });

  it('takes tools by name, whatever their names are', () => {
    const { tools, transitions } = pool([
      promptAt(1, 'go'),
      stepAt(2, 10, [callOn('/a', '__proto__', 'same'), callOn('/a', 'read', 'same')]),
    ]);
    expect(Object.entries(tools).map(([tool, { calls }]) => [tool, calls])).toEqual([
      ['__proto__', 1],
      ['read', 1],
    ]);
    expect(tools['read']).toMatchObject({ duplicateRate: 1, errorRate: 0, callShare: 0.5 });
    expect(transitions).toEqual([{ from: '__proto__', to: 'read', count: 1 }]);
  });

  it('has nothing to say of no session', () => {
    const { perTurn, tools, charactersPerToken } = poolSamples([], 'chars4');
    expect({ perTurn, tools, charactersPerToken }).toEqual({
      perTurn: { contentTokens: null, toolOutputTokens: null, toolCalls: null, steps: null },
      tools: {},
      charactersPerToken: { all: null },
    });
  });

  it('measures characters per token on steps with much output', () => {
    const sizes = [3000, 6000, 9000, 1000, 12_000];
    let context = 1000;
    const steps = sizes.map((size, index) => {
      const step = stepAt(index + 2, context, [callOn('/a', 'read', 'z'.repeat(size))]);
      context += (size + 13) / 3 + 100;
      return step;
    });
    const { charactersPerToken } = pool([promptAt(1, 'go'), ...steps, stepAt(9, context, [])]);
    const expected = {
      evidence: 'measured',
      n: 4,
      ratio: expect.closeTo(3),
      fixedTokens: expect.closeTo(100),
    };
    expect(charactersPerToken.all).toEqual(expected);
  });

  it('takes the tokenizer where no growth was recorded', () => {
    const only = sample([promptAt(1, 'go'), stepAt(2, 10, [callOn('/a', 'read', 'z'.repeat(80))])]);
    expect(poolSamples([only], 'o200k_base').charactersPerToken.all).toEqual({
      evidence: 'estimated',
      n: 1,
      ratio: 4,
      fixedTokens: null,
    });
  });
});
