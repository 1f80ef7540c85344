import { describe, expect, it } from 'vitest';
import {
  type ByAgeOptions,
  DEFAULT_BY_AGE,
  type EstimatorOptions,
  isPruneOn,
  type Message,
  planByAge,
  type PrunePlan,
  type PruneRuleName,
  pruneRules,
  type ToolPart,
} from '../../../src/engine/index.ts';
import { frozen } from '../../../src/engine/values.ts';
import { marker, step, summary, tool, toolIn, user } from '../../support/history.ts';

const ESTIMATOR: EstimatorOptions = { charsPerToken: 4, rounding: 'round' };
const OPTIONS: ByAgeOptions = {
  protectTokens: 100,
  minimumTokens: 50,
  guardTurns: 2,
  protectedTools: ['skill'],
};
const NOTHING: PrunePlan = { state: 'nothing', partIds: [], estimatedTokens: 0 };
/** A tool part whose output weighs that many tokens. */
const weighing = (id: string, tokens: number, options = {}) => tool(id, tokens * 4, options);
const plan = (history: readonly Message[], options = OPTIONS) =>
  planByAge(frozen(history), options, ESTIMATOR);
const newestTurns = [user('u8'), user('u9')];
const kept = step('kept', [weighing('kept', 100)]);
const old = step('old', [weighing('old', 60)]);
const holding = (...parts: readonly ToolPart[]) => [step('s', parts), kept, ...newestTurns];

describe('planByAge', () => {
  it.each<[string, readonly Message[], string]>([
    ['clears what lies beyond the protected tokens', [old, kept, ...newestTurns], 'fire old'],
    [
      'clears the output that crosses the line whole',
      [step('s', [weighing('big', 51 + 100)]), ...newestTurns],
      'fire big',
    ],
    ['keeps what only reaches the line', [kept, ...newestTurns], 'nothing'],
    [
      'clears the older of two outputs in one step',
      [step('s', [weighing('older', 60), weighing('newer', 100)]), ...newestTurns],
      'fire older',
    ],
    [
      'clears what a person attached as an output too',
      [{ ...user('theirs'), parts: [weighing('theirs', 60)] }, kept, ...newestTurns],
      'fire theirs',
    ],
    [
      'chooses the newest first',
      [old, step('s', [weighing('a', 30), weighing('b', 30)]), kept, ...newestTurns],
      'fire b a old',
    ],
    ['gives up on a saving as small as the minimum', holding(weighing('t', 50)), 'below-minimum t'],
    ['takes a saving one token larger', holding(weighing('t', 51)), 'fire t'],
    ['counts a half token up, so that half a token decides', holding(tool('t', 202)), 'fire t'],
    ['counts less than half a token down', holding(tool('t', 201)), 'below-minimum t'],
    ['has nothing to do without tool outputs', [user('u1'), step('s1'), ...newestTurns], 'nothing'],
    ['has nothing to do in an empty history', [], 'nothing'],
    ['never touches the newest turn', [kept, user('u8'), user('u9'), old], 'nothing'],
    [
      'never touches the turn before it',
      [kept, user('u8'), old, user('u9'), step('s9')],
      'nothing',
    ],
    [
      'reaches the message right before the second-newest user message',
      [old, kept, user('u8'), user('u9')],
      'fire old',
    ],
    ['does not reach it with one user message', [old, kept, user('u9')], 'nothing'],
    ['counts a marker as a user message', [old, kept, marker('m8'), user('u9')], 'fire old'],
    ['never clears a protected tool', holding(weighing('t', 60, { tool: 'skill' })), 'nothing'],
    [
      'does not count a protected tool as protected output',
      [
        step('s', [weighing('t', 60)]),
        step('k', [weighing('k', 500, { tool: 'skill' })]),
        ...newestTurns,
      ],
      'nothing',
    ],
    [
      'looks past a protected tool, even a cleared one',
      [
        old,
        step('k', [weighing('k', 60, { tool: 'skill', compactedAt: 1 })]),
        kept,
        ...newestTurns,
      ],
      'fire old',
    ],
    [
      'never clears what is no completed call',
      [
        step('s', [
          toolIn('pending', { status: 'pending', input: {} }),
          toolIn('running', { status: 'running', input: {} }),
          toolIn('failed', { status: 'error', input: {}, error: 'x'.repeat(400) }),
        ]),
        kept,
        ...newestTurns,
      ],
      'nothing',
    ],
    ['stops at a summary', [old, summary('sum', 'm1'), kept, ...newestTurns], 'nothing'],
    [
      'stops at a summary that failed',
      [old, summary('sum', 'm1', { finish: undefined }), kept, ...newestTurns],
      'nothing',
    ],
    [
      'looks past a summary that stands within the newest turns, as the releases do',
      [old, kept, marker('m8'), summary('sum', 'm8'), user('u9')],
      'fire old',
    ],
    [
      'stops at a cleared output',
      [old, step('s', [weighing('cleared', 60, { compactedAt: 1 })]), kept, ...newestTurns],
      'nothing',
    ],
    [
      'stops at an output cleared at time 0',
      [old, step('s', [weighing('cleared', 60, { compactedAt: 0 })]), kept, ...newestTurns],
      'nothing',
    ],
    [
      'stops at a cleared output within the same step',
      holding(weighing('older', 60), weighing('cleared', 60, { compactedAt: 1 })),
      'nothing',
    ],
  ])('%s', (_, history, expected) => {
    const { state, partIds } = plan(history);
    expect([state, ...partIds].join(' ')).toBe(expected);
  });

  it('estimates what it would save, also where that is too little', () => {
    expect(plan(holding(weighing('t', 51))).estimatedTokens).toBe(51);
    expect(plan(holding(weighing('t', 50))).estimatedTokens).toBe(50);
    expect(plan(holding())).toEqual(NOTHING);
  });

  it('counts attachments as nothing', () => {
    const attachments = [
      { type: 'file', id: 'f', mime: 'image/png', url: 'x'.repeat(900) },
    ] as const;
    expect(plan(holding(tool('t', 8, { attachments }))).estimatedTokens).toBe(2);
  });

  it('has the released numbers as its defaults', () => {
    expect(DEFAULT_BY_AGE).toEqual({
      protectTokens: 40_000,
      minimumTokens: 20_000,
      guardTurns: 2,
      protectedTools: ['skill'],
    });
  });
});

const ESTIMATOR_OF_RULES = { charsPerToken: 4, rounding: 'round' } as const;
const rules = Object.keys(pruneRules) as PruneRuleName[];
const big = (id: string, options = {}) => step(`step-${id}`, [tool(id, 300_000, options)]);

/** A history, and what each rule clears of it, in the order of the rules. */
const table: readonly [string, readonly Message[], string[]][] = [
  [
    'the turn guard is the second rule’s; the first only leaves the newest message alone',
    [user('u1'), big('old'), user('u2'), big('previous'), user('u3'), big('newest')],
    ['previous old', 'old', 'old', 'old'],
  ],
  [
    'a summary gives up the whole pass under the first rule',
    [summary('s', 'u0'), big('old'), user('u1'), user('u2')],
    ['', 'old', 'old', 'old'],
  ],
  [
    'a cleared output before the summary ends the pass in time',
    [summary('s', 'u0'), big('cleared', { compactedAt: 1 }), big('old'), user('u1'), user('u2')],
    ['old', 'old', 'old', 'old'],
  ],
  [
    'skills are cleared until the third rule',
    [big('skill', { tool: 'skill' }), big('old'), user('u1'), user('u2')],
    ['old skill', 'old skill', 'old', 'old'],
  ],
  [
    'a cleared skill ends the scan until the third rule',
    [big('old'), big('skill', { tool: 'skill', compactedAt: 1 }), user('u1'), user('u2')],
    ['', '', 'old', 'old'],
  ],
  [
    'the newest message is none of the first rule’s, whatever it is',
    [big('only')],
    ['', '', '', ''],
  ],
];

describe('pruneRules', () => {
  it.each(table)('%s', (_, history, expected) => {
    const cleared = rules.map((rule) => {
      const plan = planByAge(frozen(history), pruneRules[rule].byAge, ESTIMATOR_OF_RULES);
      return plan.state === 'fire' ? plan.partIds.join(' ') : '';
    });
    expect(cleared).toEqual(expected);
  });

  it('a pass that a summary gave up has nothing, not even a smaller saving', () => {
    const history = [summary('s', 'u0'), big('old'), user('u1')];
    expect(planByAge(history, pruneRules['v0.9.5'].byAge, ESTIMATOR_OF_RULES)).toEqual({
      state: 'nothing',
      partIds: [],
      estimatedTokens: 0,
    });
  });

  it('run without being asked until the last rule', () => {
    expect(rules.map((rule) => isPruneOn(rule, undefined))).toEqual([true, true, true, false]);
    expect(rules.map((rule) => isPruneOn(rule, true))).toEqual([true, true, true, true]);
    expect(rules.map((rule) => isPruneOn(rule, false))).toEqual([false, false, false, false]);
  });
});
