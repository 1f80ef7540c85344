import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ByAgeOptions,
  explainPrune,
  type Judgement,
  type Message,
  planByAge,
  policies,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import { byAgeOptions, toolHistories } from '../../support/arbitraries.ts';
import { frozen } from '../../../src/engine/frozen.ts';
import { marker, step, summary, tool, toolIn, user } from '../../support/history.ts';
import { assertReaching } from '../../support/reaching.ts';

const OPTIONS: ByAgeOptions = {
  protectTokens: 100,
  minimumTokens: 50,
  guardTurns: 2,
  protectedTools: ['skill'],
};

/** A tool part whose output weighs that many tokens. */
const weighing = (id: string, tokens: number, options = {}) => tool(id, tokens * 4, options);
const newestTurns = [user('u8'), user('u9')];

function explain(history: readonly Message[], options: ByAgeOptions = OPTIONS) {
  const policy = policies['opencode-1.2.16'];
  return explainPrune(resolvePolicy(policy, { prune: { byAge: options } }), frozen(history));
}

/** One line for each judgement: the part and its verdict, with tokens and their sum where it was weighed. */
function lines(judgements: readonly Judgement[]): readonly string[] {
  return judgements.map((judged) => {
    if (judged.type === 'end') return `end at ${judged.at} ${judged.messageId}`;
    const sizes = judged.tokens === undefined ? '' : ` ${judged.tokens} of ${judged.seenTokens}`;
    return `${judged.part.id} ${judged.verdict}${sizes}`;
  });
}

describe('explainPrune', () => {
  it.each<[string, readonly Message[], ByAgeOptions, readonly string[]]>([
    [
      'sums what is weighed and tells where the sum crosses the line',
      [step('s', [weighing('c', 10), weighing('b', 60), weighing('a', 60)]), ...newestTurns],
      OPTIONS,
      ['a within-protect 60 of 60', 'b beyond-protect 60 of 120', 'c beyond-protect 10 of 130'],
    ],
    [
      'keeps a sum that only reaches the line',
      [step('s', [weighing('a', 100)]), ...newestTurns],
      OPTIONS,
      ['a within-protect 100 of 100'],
    ],
    [
      'names guarded turns, protected tools and calls without output',
      [
        step('s', [
          weighing('skill', 900, { tool: 'skill' }),
          toolIn('failed', { status: 'error', input: {}, error: 'no' }),
        ]),
        user('u8'),
        step('g', [weighing('guarded', 900)]),
        user('u9'),
      ],
      OPTIONS,
      ['guarded guarded-turn', 'failed not-completed', 'skill protected-tool'],
    ],
    [
      'ends at a cleared output, and tells what was not reached',
      [
        step('s', [weighing('older', 5)]),
        step('t', [weighing('old', 5), weighing('gone', 5, { compactedAt: 1 }), weighing('a', 5)]),
        ...newestTurns,
      ],
      OPTIONS,
      [
        'a within-protect 5 of 5',
        'gone already-cleared',
        'end at already-cleared t',
        'old not-reached',
        'older not-reached',
      ],
    ],
    [
      'skips the rest of a message behind a cleared output where the rule goes on',
      [
        step('s', [weighing('older', 5)]),
        step('t', [weighing('old', 5), weighing('gone', 5, { compactedAt: 1 })]),
        ...newestTurns,
      ],
      { ...OPTIONS, atCleared: 'next-message' },
      ['gone already-cleared', 'old behind-cleared', 'older within-protect 5 of 5'],
    ],
    [
      'weighs cleared outputs again where the rule takes no notice of them',
      [step('s', [weighing('old', 5), weighing('gone', 5, { compactedAt: 1 })]), ...newestTurns],
      { ...OPTIONS, atCleared: 'go-on' },
      ['gone within-protect 5 of 5', 'old within-protect 5 of 10'],
    ],
    [
      'ends at a summary',
      [step('s', [weighing('old', 5)]), marker('m'), summary('sum', 'm'), ...newestTurns],
      OPTIONS,
      ['end at summary sum', 'old not-reached'],
    ],
    [
      'names the newest messages that are not looked at',
      [step('s', [weighing('old', 5)]), step('t', [weighing('new', 5)])],
      { ...OPTIONS, guardTurns: 0, skipNewestMessages: 1 },
      ['new newest-message', 'old within-protect 5 of 5'],
    ],
    [
      'ends at a summary among the newest messages where the rule heeds those',
      [step('s', [weighing('old', 5)]), marker('m'), summary('sum', 'm')],
      { ...OPTIONS, guardTurns: 0, skipNewestMessages: 1, summaryInGuard: 'stop' },
      ['end at summary sum', 'old not-reached'],
    ],
  ])('%s', (...[, history, options, expected]) => {
    expect(lines(explain(history, options).judgements)).toEqual(expected);
  });

  it('tells that a summary gives the pass up, with all that was chosen', () => {
    const history = [summary('sum', 'm'), step('s', [weighing('a', 900)]), user('u')];
    const { plan, judgements } = explain(history, {
      ...OPTIONS,
      guardTurns: 0,
      atSummary: 'abort',
    });
    expect(plan.state).toBe('nothing');
    expect(judgements.at(-1)).toMatchObject({ type: 'end', givesUp: true });
    expect(lines(judgements)).toContain('a beyond-protect 900 of 900');
  });

  it('sums up what was weighed, with the numbers of the policy', () => {
    const history = [step('s', [weighing('b', 60), weighing('a', 60)]), ...newestTurns];
    expect(explain(history)).toMatchObject({
      plan: { state: 'fire', partIds: ['b'], estimatedTokens: 60 },
      weighedTokens: 120,
      minimumTokens: 50,
      protectTokens: 100,
    });
  });

  it('explains the pass over all outputs, which protects nothing', () => {
    const policy = policies['selective-pruning'];
    const history = [
      step('s', [weighing('a', 7, { tool: 'skill' }), weighing('gone', 7, { compactedAt: 1 })]),
    ];
    const explanation = explainPrune(policy, frozen(history));
    expect(lines(explanation.judgements)).toEqual([
      'gone already-cleared',
      'a beyond-protect 7 of 7',
    ]);
    expect(explanation.plan).toEqual({ state: 'fire', partIds: ['a'], estimatedTokens: 7 });
    expect(explanation).not.toHaveProperty('minimumTokens');
  });

  it('tells calls without output apart where all outputs go', () => {
    const history = [step('s', [toolIn('failed', { status: 'error', input: {}, error: 'no' })])];
    const { judgements } = explainPrune(policies['selective-pruning'], frozen(history));
    expect(lines(judgements)).toEqual(['failed not-completed']);
  });

  it('chooses and judges alike, and judges every tool part once', () => {
    let fired = 0;
    assertReaching(
      fc.property(toolHistories, byAgeOptions, (history, options) => {
        const policy = resolvePolicy(policies['opencode-1.2.16'], { prune: { byAge: options } });
        const { plan, judgements } = explainPrune(policy, history);
        expect(plan).toEqual(planByAge(history, options, policy.estimator));
        const outputs = judgements.flatMap((one) => (one.type === 'output' ? [one] : []));
        const chosen = outputs.filter(({ verdict }) => verdict === 'beyond-protect');
        const givesUp = judgements.some((one) => one.type === 'end' && one.givesUp);
        expect(plan.partIds).toEqual(givesUp ? [] : chosen.map(({ part }) => part.id));
        const tools = history.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool'));
        expect(outputs.map(({ part }) => part)).toEqual(tools.toReversed());
        if (plan.state === 'fire') fired += 1;
      }),
    );
    expect(fired).toBeGreaterThan(10);
  });
});
