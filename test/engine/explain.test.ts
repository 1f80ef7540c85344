import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ByAgeOptions,
  createState,
  explainMove,
  explainPrune,
  type Judgement,
  type Limits,
  type LoopInput,
  type Message,
  planByAge,
  policies,
  type Policy,
  type PolicyName,
  type PolicyOverrides,
  resolvePolicy,
  transition,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/values.ts';
import { byAgeOptions, toolHistories } from '../support/arbitraries.ts';
import { marker, step, summary, tool, toolIn, usage, user } from '../support/history.ts';
import { assertReaching } from '../support/reaching.ts';
import {
  final,
  LIMITS,
  opencode,
  OVER,
  refused,
  said,
  stepped,
  summarised,
  turnEnded,
  UNDER,
} from '../support/script.ts';
import { testTools } from '../support/tools.ts';

/** The moves of a session, each with its explanation. */
function explained(policy: Policy, inputs: readonly LoopInput[], limits: Limits = LIMITS) {
  const tools = testTools();
  let state = createState(policy, limits);
  return inputs.map((input) => {
    const before = state;
    const next = transition(frozen(before), frozen(input), tools);
    state = next.state;
    return { next, ...explainMove({ before, input, next }) };
  });
}

/** The checks of the last of some moves, in short. */
function checksOf(...options: Parameters<typeof explained>): readonly string[] {
  const last = explained(...options).at(-1);
  return (last?.checks ?? []).map(({ path, messageId, newerTokens, check, usable }) => {
    const verdict = check.isOverflow ? 'over' : 'under';
    return `${path} ${messageId} ${check.countTokens} (${newerTokens} newer) ${verdict} ${usable.tokens}`;
  });
}

const { 'opencode-2.0': newest, 'opencode-1.18': classic } = policies;

describe('explainMove', () => {
  it.each<[string, Policy, readonly LoopInput[], readonly string[]]>([
    [
      'a step over the limit',
      opencode,
      [said('u1'), stepped('s1', OVER)],
      ['after-step s1 101 (0 newer) over 100'],
    ],
    [
      'a step under it, and the request that follows',
      opencode,
      [said('u1'), stepped('s1', UNDER)],
      ['after-step s1 99 (0 newer) under 100', 'before-request s1 99 (0 newer) under 100'],
    ],
    [
      'a step that ends the turn',
      opencode,
      [said('u1'), final('s1', UNDER)],
      ['after-step s1 99 (0 newer) under 100'],
    ],
    ['the first request, which knows no step', opencode, [said('u1')], []],
    [
      'the request of a next turn',
      opencode,
      [said('u1'), final('s1', UNDER), said('u2')],
      ['before-request s1 99 (0 newer) under 100'],
    ],
    ['a refusal, which no count explains', opencode, [said('u1'), refused], []],
    [
      'a summary, whose own usage says nothing',
      opencode,
      [said('u1'), stepped('s1', OVER), summarised()],
      [],
    ],
    [
      'auto off',
      resolvePolicy(opencode, { trigger: { auto: false } }),
      [said('u1'), stepped('s1', OVER)],
      [],
    ],
    [
      'a count with what is newer than its usage, over the limit',
      newest,
      [said('u1'), final('s1', UNDER), said('u2', 'x'.repeat(40))],
      ['before-request s1 109 (10 newer) over 100'],
    ],
  ])('tells the checks of %s', (...[, policy, inputs, expected]) => {
    const limits = policy === newest ? { contextTokens: 20_100 } : LIMITS;
    expect(checksOf(policy, inputs, limits)).toEqual(expected);
  });

  it('uses the cap that the check after a step knows', () => {
    const policy = resolvePolicy(classic, { trigger: { outputCapTokens: 10 } });
    const lines = checksOf(policy, [said('u1'), stepped('s1', 5)], { contextTokens: 40_000 });
    expect(lines).toEqual([
      'after-step s1 5 (0 newer) under 8000',
      'before-request s1 5 (0 newer) under 39990',
    ]);
  });

  it.each(Object.keys(policies) as PolicyName[])('%s: explains what its events say', (name) => {
    const output = step('s', [tool('t', 400)], { usage: usage({ input: OVER }) });
    const inputs: readonly LoopInput[] = [
      said('u1'),
      stepped('s1', UNDER),
      { type: 'step-finished', message: { ...output, id: 's2', finish: 'tool-calls' } },
      summarised(),
      final('s3', UNDER),
      turnEnded,
      said('u2', 'x'.repeat(400)),
      final('s4', OVER),
      summarised(),
      turnEnded,
    ];
    for (const { next, checks, prune } of explained(policies[name], inputs)) {
      const overflow = next.events.find((event) => event.type === 'overflow');
      const found = checks.find(({ check }) => check.isOverflow);
      expect(found?.check).toEqual(overflow?.check);
      const pruned = next.events.find((event) => event.type === 'pruned');
      expect(prune?.plan).toEqual(pruned?.plan);
      for (const { check, counted, newerTokens, usable } of checks) {
        const sum = counted.reduce((total, { tokens }) => total + tokens, newerTokens);
        expect([sum, usable.tokens]).toEqual([check.countTokens, check.usableTokens]);
      }
    }
  });
});

const { pi, 'gemini-cli': gemini, 'selective-pruning': pruning } = policies;
const memory = policies['external-memory'];
const forgetful = resolvePolicy(memory, { memory: { keepMessages: 1 } });
const stubborn = resolvePolicy(pi, { trigger: { onRefusal: 'stop' } });
/** More than any of these policies goes on with. */
const FULL = 149;
const withOutput: LoopInput = {
  type: 'step-finished',
  message: step('s1', [tool('t', 40)], { usage: usage({ input: FULL }), finish: 'tool-calls' }),
};

describe('why nothing was done about an overflow', () => {
  it.each<[name: string, policy: Policy, inputs: readonly LoopInput[], why: string | undefined]>([
    ['all is behind the newest prompt', gemini, [said('u1'), withOutput], 'nothing-to-cut'],
    [
      'something stands before the newest prompt',
      gemini,
      [said('u1'), final('s1', 1), said('u2'), stepped('s2', FULL)],
      undefined,
    ],
    ['no overflow was found', gemini, [said('u1'), stepped('s1', 1)], undefined],
    ['a pivot follows', opencode, [said('u1'), stepped('s1', FULL)], undefined],
    ['a refused prompt stands alone', pi, [said('u1'), refused], 'nothing-to-cut'],
    ['a refusal ends it all', stubborn, [said('u1'), refused], undefined],
    ['there is nothing to clear', pruning, [said('u1'), stepped('s1', FULL)], 'never-pivots'],
    ['something was cleared', pruning, [said('u1'), withOutput], undefined],
    ['all messages are among the newest', memory, [said('u1'), withOutput], 'nothing-to-move'],
    ['a message was moved out', forgetful, [said('u1'), withOutput], undefined],
  ])('is told where %s: %#', (_, policy, inputs, why) => {
    const tools = testTools();
    let state = createState(policy, LIMITS);
    const told = inputs.map((input) => {
      const before = state;
      const next = transition(before, input, tools);
      state = next.state;
      return explainMove({ before, input, next }).inaction;
    });
    expect(told.at(-1)).toBe(why);
  });
});

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
    const { part, verdict, tokens, seenTokens } = judged;
    const sizes = [
      ...(tokens === undefined ? [] : [tokens]),
      ...(seenTokens ? ['of', seenTokens] : []),
    ];
    return [part.id, verdict, ...sizes].join(' ');
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

  const byAge = OPTIONS;
  const byMessage = { reasoning: 'none', toolCalls: [{ keepMessages: 4 }] } as const;
  it.each<[string, PolicyName, PolicyOverrides['prune'], string]>([
    [
      'over all outputs, which protects nothing',
      'selective-pruning',
      {},
      'a beyond-protect 60 of 60, skill beyond-protect 9 of 69, failed not-completed, b beyond-protect 90 of 159, c beyond-protect 2000 of 2159, gone already-cleared',
    ],
    [
      'by rank',
      'largest-first',
      { byAge },
      'a outranked 60, skill protected-tool, failed not-completed, b ranked-first 90, c ranked-first 2000, gone already-cleared',
    ],
    [
      'by message',
      'vercel-prune-messages',
      { byMessage },
      'a among-kept, skill taken-out 14, failed taken-out 3, b taken-out 94, c taken-out 2004, gone taken-out 12',
    ],
    [
      'by verdict',
      'verdict-scored',
      {},
      'a among-kept, skill among-kept, failed not-completed, b among-kept, c shortened 1239, gone already-cleared',
    ],
  ])('explains the pass %s', (_, name, rules, expected) => {
    const failed = toolIn('failed', { status: 'error', input: {}, error: 'no' });
    const gone = weighing('gone', 7, { compactedAt: 1 });
    const skill = weighing('skill', 9, { tool: 'skill' });
    const history = [
      step('s', [gone, weighing('c', 2_000), weighing('b', 90), failed, skill]),
      ...newestTurns,
      step('t', [weighing('a', 60)]),
      ...newestTurns,
    ];
    const policy = resolvePolicy(policies[name], { prune: rules ?? {} });
    const explanation = explainPrune(policy, frozen(history));
    expect(lines(explanation.judgements).join(', ')).toBe(expected);
    expect('minimumTokens' in explanation).toBe(name === 'largest-first');
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
