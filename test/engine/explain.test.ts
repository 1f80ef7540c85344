import { describe, expect, it } from 'vitest';
import {
  createState,
  explainMove,
  type Limits,
  type LoopInput,
  type Policy,
  type PolicyName,
  policies,
  resolvePolicy,
  transition,
} from '../../src/engine/index.ts';
import { frozen } from '../../src/engine/frozen.ts';
import { step, tool, usage } from '../support/history.ts';
import {
  final,
  LIMITS,
  OVER,
  opencode,
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
