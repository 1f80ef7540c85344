import { describe, expect, it } from 'vitest';
import { parseComparison } from '../../../../src/simulator/scenario/file/amounts.ts';
import { isAsExpected } from '../../../../src/simulator/sweep/gate/expectations.ts';
import { checkedRun, failuresOf } from './checked.ts';

describe('isAsExpected', () => {
  it.each<[string, readonly (number | undefined)[], readonly (number | undefined)[]]>([
    ['= 5', [5], [4, 6, undefined]],
    ['!= 5', [4, 6], [5, undefined]],
    ['< 5', [4], [5, 6, undefined]],
    ['<= 5', [4, 5], [6, undefined]],
    ['> 5', [6], [5, 4, undefined]],
    ['>= 5', [5, 6], [4, undefined]],
    ['in 3..5', [3, 4, 5], [2, 6, undefined]],
    ['unknown', [undefined], [0, 5]],
  ])('%s holds for %j and not for %j', (text, right, wrong) => {
    const compare = parseComparison(text);
    expect([...right, ...wrong].filter((value) => isAsExpected(compare, value))).toEqual(right);
  });
});

/** Expectations that hold, and ones that do not with what is told of each. The sample is compacted once, in step 9. */
const HELD: readonly [string, string][] = [
  ['nothing in particular', '{}'],
  ['a state', '{ state: completed }'],
  ['one of several states', '{ state: [failed, completed] }'],
  [
    'a metric',
    '{ metrics: { compactions: 1, steps: in 10..10, costUsd: unknown, prunes: "< 1" } }',
  ],
  ['an event', '{ events: { must: [pivot] } }'],
  [
    'an event with fields',
    '{ events: { must: [{ type: pivot, auto: true, contextAfterTokens: "< 5k" }] } }',
  ],
  [
    'an event with a text that is, or matches',
    '{ events: { must: [{ type: pivot, messageId: policy-message-3 }, { type: pivot, messageId: /^Policy-m/i }], mustNot: [{ type: pivot, messageId: policy }] } }',
  ],
  ['an event so often', '{ events: { must: [{ type: step-end, times: 10 }] } }'],
  ['no such event', '{ events: { mustNot: [step-refused, { type: pivot, auto: false }] } }'],
  ['an order', '{ events: { inOrder: [overflow, summary-end, pivot, step-end, run-end] } }'],
  ['the same event twice in order', '{ events: { inOrder: [step-end, step-end] } }'],
  ['laws', '{ invariants: [calls-paired, pivot-lowers-context] }'],
  ['all laws but a broken one', '{ invariants: all, violates: [newest-request-visible] }'],
  ['what is gone', '{ misses: ["RULE: be kind.", zebra] }'],
  ['what the summarizer sees', '{ summarizerSees: "RULE: be kind.", summarizerMisses: zebra }'],
  ['a thread', '{ reproduces: owner/repo#1 }'],
];

const FAILED: readonly [string, string, readonly string[]][] = [
  ['a state', '{ state: failed }', ['6:18 state failed, got completed']],
  [
    'several states',
    '{ state: [failed, refused] }',
    ['6:18 state failed or refused, got completed'],
  ],
  ['a reason', '{ reason: floor }', ["6:19 a reason that contains 'floor', got none"]],
  [
    'metrics, each at its place',
    '{ metrics: { compactions: "<= 0", costUsd: 1, prunes: unknown, steps: in 1..9 } }',
    [
      '6:35 compactions <= 0, got 1',
      '6:52 costUsd = 1, got unknown',
      '6:63 prunes unknown, got 0',
      '6:79 steps in 1..9, got 10',
    ],
  ],
  [
    'an event that there is none of',
    '{ events: { must: [moved-out] } }',
    ['6:28 some moved-out, got none'],
  ],
  [
    'the fields of an event',
    '{ events: { must: [{ type: pivot, auto: false, messageId: /x/ }] } }',
    [
      "6:28 some pivot with auto false and messageId matches '/x/', got none of 1, the first with auto true and messageId 'policy-message-3'",
    ],
  ],
  [
    'how often an event comes',
    '{ events: { must: [{ type: step-end, times: "< 9" }, { type: pivot, auto: true, times: 2 }] } }',
    ['6:28 step-end, times < 9, got 10 of them', '6:62 pivot with auto true, times = 2, got one'],
  ],
  [
    'an event that should not be',
    '{ events: { mustNot: [{ type: pivot, auto: true }] } }',
    ['6:31 no pivot with auto true, got one'],
  ],
  [
    'the first of an order',
    '{ events: { inOrder: [moved-out, pivot] } }',
    ['6:31 some moved-out, got none'],
  ],
  [
    'an order the other way round',
    '{ events: { inOrder: [pivot, overflow, moved-out] } }',
    ['6:38 some overflow after pivot, got none'],
  ],
  [
    'an event of an order that has other fields by then',
    '{ events: { inOrder: [pivot, { type: step-end, step: 8 }] } }',
    ['6:38 some step-end with step = 8 after pivot, got none of 2, the first with step 9'],
  ],
  [
    'one event that would have to be two',
    '{ events: { inOrder: [pivot, pivot] } }',
    ['6:38 some pivot after pivot, got none'],
  ],
  [
    'a law, though the policy is known to break it',
    '{ invariants: [calls-paired, newest-request-visible] }',
    [
      "6:38 law newest-request-visible to hold, got one violation: 'the newest request is shown 0 times'",
    ],
  ],
  [
    'any law',
    '{ invariants: all }',
    [
      "6:23 law newest-request-visible to hold, got one violation: 'the newest request is shown 0 times'",
    ],
  ],
  [
    'a law that holds',
    '{ violates: [newest-request-visible, calls-paired] }',
    ['6:46 law calls-paired to be broken, got no violation'],
  ],
  [
    'what the model should see',
    '{ sees: ["RULE: be kind.", "src/file-"] }',
    ["6:18 the model to see 'RULE: be kind.', got it gone"],
  ],
  [
    'what the model should not see',
    '{ misses: ["RULE: be kind.", "src/file-"] }',
    ["6:38 the model not to see 'src/file-', got it"],
  ],
  [
    'what the summarizer should see',
    '{ summarizerSees: ["RULE: be kind.", zebra] }',
    ["6:46 every summary request to hold 'zebra', got 1 of 1 without it"],
  ],
  [
    'what the summarizer should not see',
    '{ summarizerMisses: [zebra, RULE] }',
    ["6:37 no summary request to hold 'RULE', got 1 of 1 with it"],
  ],
  [
    'everything, in the order of the file',
    '{ misses: "src/file-", metrics: { steps: 9 }, state: failed }',
    [
      "6:19 the model not to see 'src/file-', got it",
      '6:50 steps = 9, got 10',
      '6:62 state failed, got completed',
    ],
  ],
];

describe('an expectation', () => {
  it.each(HELD)('of %s holds', async (_, expectation) => {
    expect(await failuresOf(expectation)).toEqual([]);
  });

  it.each(FAILED)('of %s fails at its place', async (_, expectation, failures) => {
    expect(await failuresOf(expectation)).toEqual(failures);
  });

  it('of completion is there where the file says nothing', async () => {
    const floor = { model: '{ id: local/test, contextTokens: 8k, outputTokens: 7k }' };
    const set = { ...floor, policy: '{ preset: opencode-1.18, set: { guards: true } }' };
    expect(await failuresOf('{}', set)).toEqual([
      "6:9 state completed, got irreducible ('system and tools 2000 + newest request 4 ≥ usable 1000 tokens')",
    ]);
    expect(await failuresOf('{ state: irreducible, reason: newest request }', set)).toEqual([]);
    expect(await failuresOf('{ state: irreducible, reason: /^newest/ }', set)).toEqual([
      "6:39 a reason that matches '/^newest/', got 'system and tools 2000 + newest request 4 ≥ usable 1000 tokens'",
    ]);
  });

  it('of a summary request fails where there is none', async () => {
    expect(await failuresOf('{ summarizerSees: RULE }', { policy: 'none' })).toEqual([
      "6:27 every summary request to hold 'RULE', got no summary request",
    ]);
    expect(await failuresOf('{ summarizerMisses: RULE }', { policy: 'none' })).toEqual([]);
  });

  it('of a summary request is held also against one that fails', async () => {
    const faults = '[{ summary: 1, fail: true }]';
    expect(await failuresOf('{ summarizerSees: "RULE: be kind." }', { faults })).toEqual([]);
    const failures = await failuresOf('{ summarizerMisses: RULE }', { faults });
    expect(failures).toEqual([
      expect.stringMatching(/^6:29 no summary request to hold 'RULE', got (\d) of \1 with it$/),
    ]);
  });

  it('of a text finds words, thoughts, calls and results alike, and nothing else', async () => {
    const session =
      '{ script: [user: a-prompt, step: { reasoning: a-thought, text: a-word, tools: [{ tool: a-tool, input: { at: an-input }, output: a-result }] }] }';
    expect(
      await failuresOf(
        '{ sees: [a-prompt, a-thought, a-word, a-tool, an-input, a-result], misses: [message-1, a-prompta] }',
        { session },
      ),
    ).toEqual([]);
  });
});

describe('a run', () => {
  it('tells what it came to', async () => {
    const run = await checkedRun();
    expect(run).toMatchObject({
      name: 'main',
      policy: 'opencode-1.18',
      state: 'completed',
      failures: [],
      metrics: { steps: 10, compactions: 1, costUsd: null },
    });
    expect(run).not.toHaveProperty('reason');
    expect(run.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['run-start', 'pivot', 'run-end']),
    );
  });

  it('gives the same each time', async () => {
    expect(await checkedRun()).toEqual(await checkedRun());
  });
});
