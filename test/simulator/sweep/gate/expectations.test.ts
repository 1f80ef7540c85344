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

/** Expectations that hold. The sample is compacted once, in step 9. */
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

/** Expectations that do not hold; a golden file has what is told of each. */
const FAILED = [
  '{ state: failed }',
  '{ state: [failed, refused] }',
  '{ reason: floor }',
  '{ metrics: { compactions: "<= 0", costUsd: 1, prunes: unknown, steps: in 1..9 } }',
  '{ events: { must: [moved-out] } }',
  '{ events: { must: [{ type: pivot, auto: false, messageId: /x/ }] } }',
  '{ events: { must: [{ type: step-end, times: "< 9" }, { type: pivot, auto: true, times: 2 }] } }',
  '{ events: { mustNot: [{ type: pivot, auto: true }] } }',
  '{ events: { inOrder: [moved-out, pivot] } }',
  '{ events: { inOrder: [pivot, overflow, moved-out] } }',
  '{ events: { inOrder: [pivot, { type: step-end, step: 8 }] } }',
  '{ events: { inOrder: [pivot, pivot] } }',
  '{ invariants: [calls-paired, newest-request-visible] }',
  '{ invariants: all }',
  '{ violates: [newest-request-visible, calls-paired] }',
  '{ sees: ["RULE: be kind.", "src/file-"] }',
  '{ misses: ["RULE: be kind.", "src/file-"] }',
  '{ summarizerSees: ["RULE: be kind.", zebra] }',
  '{ summarizerMisses: [zebra, RULE] }',
  '{ misses: "src/file-", metrics: { steps: 9 }, state: failed }',
];

describe('an expectation', () => {
  it.each(HELD)('of %s holds', async (_, expectation) => {
    expect(await failuresOf(expectation)).toEqual([]);
  });

  it('fails at its place', async () => {
    const told = await Promise.all(
      FAILED.map(async (one) => [one, ...(await failuresOf(one))].join('\n  ')),
    );
    await expect(`${told.join('\n')}\n`).toMatchFileSnapshot(
      '../../../fixtures/snapshots/expectations.txt',
    );
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
