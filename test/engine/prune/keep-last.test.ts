import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  explainPrune,
  isCleared,
  isSummary,
  type KeepLastOptions,
  type Message,
  policies,
  type Policy,
  resolvePolicy,
  storedPart,
} from '../../../src/engine/index.ts';
import { toArray } from '../../../src/engine/history.ts';
import { passKeepLast } from '../../../src/engine/prune/keep-last.ts';
import { markOutputs } from '../../../src/engine/prune/plan.ts';
import { frozen } from '../../../src/engine/values.ts';
import { toolHistories } from '../../support/arbitraries.ts';
import { step, summary, tool, toolIn, user } from '../../support/history.ts';
import { assertReaching } from '../../support/reaching.ts';

const estimator = { charsPerToken: 4, rounding: 'round' } as const;
const failed = toolIn('e1', { status: 'error', input: {}, error: 'no' });
const history: readonly Message[] = frozen([
  user('u1'),
  step('s1', [tool('a', 40), tool('b', 80, { tool: 'Read' })]),
  step('s2', [tool('c', 40), failed, tool('d', 12, { tool: 'mcp__files__read_file' })]),
  step('s3', [tool('e', 40)]),
]);
const place = (messages: readonly Message[], options: KeepLastOptions) =>
  passKeepLast(messages, options, estimator);
const chosen = (messages: readonly Message[], options: KeepLastOptions) =>
  place(messages, options).plan.partIds.join(' ');

describe('passKeepLast', () => {
  it.each<[string, readonly Message[], KeepLastOptions, string]>([
    ['all but the newest output', history, { outputs: 1 }, 'd c b a'],
    ['all but the newest two, of one message too', history, { outputs: 3 }, 'b a'],
    ['nothing of as many', history, { outputs: 5 }, ''],
    ['all of them', history, { outputs: 0 }, 'e d c b a'],
    [
      'none of excluded tools, which count as kept ones',
      history,
      { outputs: 3, excludedTools: ['read', 'bash'] },
      '',
    ],
    [
      'what is older than an excluded one',
      history,
      { outputs: 0, excludedTools: ['mcp__files__read_file'] },
      'e c b a',
    ],
    ['nothing of as many as must be passed', history, { outputs: 1, aboveOutputs: 5 }, ''],
    ['all but the newest of more', history, { outputs: 1, aboveOutputs: 4 }, 'd c b a'],
    ['none but those of some tools', history, { outputs: 0, tools: ['read'] }, 'b'],
    [
      'none of the same name from a server',
      history,
      { outputs: 0, tools: ['read', 'read_file'] },
      'b',
    ],
    [
      'nothing before a summary',
      [...history.slice(0, 2), summary('m', 'u1'), ...history.slice(2)],
      { outputs: 1 },
      'd c',
    ],
    [
      'also what is older than an output that is cleared already',
      [
        step('s0', [tool('z', 4)]),
        step('s1', [tool('y', 4, { compactedAt: 7 })]),
        ...history.slice(2),
      ],
      { outputs: 1 },
      'd c z',
    ],
    [
      'what is older than a cleared output that counts among the newest',
      [...history.slice(0, 3), step('s3', [tool('e', 4, { compactedAt: 7 })])],
      { outputs: 1 },
      'd c b a',
    ],
  ])('clears %s', (_, messages, options, expected) => {
    expect(chosen(frozen(messages), options)).toBe(expected);
  });

  it('weighs what it chose', () => {
    expect(place(history, { outputs: 1 }).plan).toEqual({
      state: 'fire',
      partIds: ['d', 'c', 'b', 'a'],
      estimatedTokens: 43,
    });
    expect(place(history, { outputs: 9 }).plan).toEqual({
      state: 'nothing',
      partIds: [],
      estimatedTokens: 0,
    });
  });

  it('clears nothing that is too little, together with what is cleared already', () => {
    const cleared = step('s0', [tool('z', 40, { compactedAt: 7 })]);
    // Outputs of 10, 20, 10 and 3 tokens go, and one of 10 is gone.
    const state = (leastTokens: number) =>
      [history, [cleared, ...history]].map(
        (messages) => place(messages, { outputs: 1, leastTokens }).plan.state,
      );
    expect([43, 44, 53, 54].map(state)).toEqual([
      ['fire', 'fire'],
      ['below-minimum', 'fire'],
      ['below-minimum', 'fire'],
      ['below-minimum', 'below-minimum'],
    ]);
  });

  it.each<[KeepLastOptions['clearsInputs'], readonly unknown[]]>([
    [undefined, [{ id: 'a' }, { id: 'b' }]],
    [false, [{ id: 'a' }, { id: 'b' }]],
    [true, [{}, {}]],
    [['read'], [{ id: 'a' }, {}]],
  ])('clears inputs of the same calls as well: %j', (clearsInputs, inputs) => {
    const options = { outputs: 3, ...(clearsInputs !== undefined && { clearsInputs }) };
    const parts = toArray(markOutputs(history, place(history, options), 7))[1]?.parts ?? [];
    expect(parts.every(isCleared)).toBe(true);
    expect(parts.map((part) => part.type === 'tool' && part.state.input)).toEqual(inputs);
    expect(
      parts.map((part) => storedPart(part)).map((part) => part.type === 'tool' && part.state.input),
    ).toEqual([{ id: 'a' }, { id: 'b' }]);
  });

  it('keeps what a plain count keeps, in any history', () => {
    let fired = 0;
    assertReaching(
      fc.property(toolHistories, fc.nat({ max: 6 }), fc.boolean(), (messages, outputs, isBash) => {
        const options = { outputs, ...(isBash && { tools: ['bash'] }) };
        const expected = countedOut(messages, options);
        expect(place(messages, options).plan.partIds).toEqual(expected);
        if (expected.length > 0) fired += 1;
      }),
    );
    expect(fired).toBeGreaterThan(20);
  });
});

/** The same by going through all outputs behind the newest summary. */
function countedOut(
  messages: readonly Message[],
  { outputs, tools = ['bash', 'read', 'grep', 'skill'] }: KeepLastOptions,
): readonly string[] {
  const start = messages.findLastIndex(isSummary) + 1;
  const all = messages
    .slice(start)
    .flatMap(({ parts }) => parts)
    .flatMap((part) =>
      part.type === 'tool' && part.state.status === 'completed' && tools.includes(part.tool)
        ? [{ id: part.id, isGone: part.state.compactedAt !== undefined }]
        : [],
    )
    .toReversed()
    .slice(outputs);
  return all.flatMap(({ id, isGone }) => (isGone ? [] : id));
}

describe('explainPrune of a pass that keeps the newest', () => {
  const policy: Policy = resolvePolicy(policies['claude-code'], {
    estimator: { charsPerToken: 3, rounding: 'ceil' },
    prune: { keepLast: { outputs: 1, tools: ['bash'] } },
  });

  it('judges every output, newest first', () => {
    const { judgements, keptOutputs, weighedTokens } = explainPrune(policy, history);
    expect(
      judgements.map((judged) => judged.type === 'output' && `${judged.part.id} ${judged.verdict}`),
    ).toEqual([
      'e among-kept',
      'd protected-tool',
      'e1 not-completed',
      'c beyond-kept',
      'b protected-tool',
      'a beyond-kept',
    ]);
    expect([keptOutputs, weighedTokens]).toEqual([1, 28]);
  });

  it('tells outputs that are cleared already from those before the newest summary', () => {
    const messages = frozen([
      step('s0', [tool('old', 4), tool('gone', 4, { compactedAt: 7 })]),
      summary('m', 'u1'),
      step('s1', [tool('y', 4, { compactedAt: 7 }), tool('x', 4)]),
      step('s2', [tool('w', 4)]),
    ]);
    const { judgements } = explainPrune(policy, messages);
    expect(
      judgements.map((judged) => judged.type === 'output' && `${judged.part.id} ${judged.verdict}`),
    ).toEqual([
      'w among-kept',
      'x beyond-kept',
      'y already-cleared',
      'gone already-cleared',
      'old not-reached',
    ]);
  });
});

describe('explainPrune of a pass that clears every output', () => {
  const policy = resolvePolicy(policies['claude-code'], {
    estimator: { charsPerToken: 3, rounding: 'ceil' },
    prune: { enabled: true, when: 'turn-end', pass: 'all-outputs' },
  });

  it('judges every output, newest first, and adds up those that it clears', () => {
    // Three characters a token, rounded up.
    const messages = frozen([
      user('u1'),
      step('s1', [tool('a', 40), failed, tool('b', 80)]),
      step('s2', [tool('gone', 4, { compactedAt: 7 }), tool('c', 12)]),
    ]);
    const { judgements, plan } = explainPrune(policy, messages);
    expect(
      judgements.map((judged) =>
        judged.type === 'output' ? [judged.part.id, judged.verdict, judged.seenTokens] : [],
      ),
    ).toEqual([
      ['c', 'beyond-protect', 4],
      ['gone', 'already-cleared', undefined],
      ['b', 'beyond-protect', 31],
      ['e1', 'not-completed', undefined],
      ['a', 'beyond-protect', 45],
    ]);
    expect(plan).toEqual({ state: 'fire', partIds: ['c', 'b', 'a'], estimatedTokens: 45 });
  });
});
