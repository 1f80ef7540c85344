import { describe, expect, it } from 'vitest';
import { policies, type PolicyName } from '../../../../src/engine/index.ts';
import { UNKNOWN_METRICS } from '../../../../src/simulator/metrics/metrics.ts';
import type { AnswerGroup, RowOf } from '../../../../src/simulator/sweep/answer/answer-groups.ts';
import { describeAll } from '../../../../src/simulator/sweep/answer/find-answer.ts';

/** Amounts of a run, with a state or a fit that its row has. */
type Run = Readonly<Record<string, unknown>>;
/** Costs of a session's runs, or runs, by cell. */
type Runs = Readonly<Record<string, number | Run>>;
type Own = { readonly name: string; readonly policy: string; readonly runs: Runs };

const EARLIER = { setting: 'triggerFraction', to: 0.7, isRead: true };
const PRUNE = { setting: 'prune', from: false, to: true, isRead: false };
const IDLE = { costUsd: 1, compactions: 0, prunes: 0 };

/** Sessions of one model; without a policy they have no preset. */
function group(
  sessions: readonly Runs[],
  { agent = 'one', policy = 'claude-code', model = 'a/small', contextTokens = 200_000, from = 0.8 },
) {
  const all = sessions.map((runs, index) => {
    const ref = { setup: { preset: 'claude-code' } };
    return { agent, index, session: { ref, name: `${model} ${index}`, policy, runs } };
  });
  const limits = { contextTokens, outputTokens: 32_000 };
  const inUse = { policy: policies[policy as PolicyName], model: { id: model, limits } };
  const changes = [
    { change: { ...EARLIER, from }, cell: { id: 'earlier' } },
    { change: PRUNE, cell: { id: 'prune' } },
  ];
  const preset = policy && { base: { id: 'base' }, inUse, changes };
  const recorded = { id: 'recorded' };
  return { agent, sessions: all, recorded, changes: [], ...preset } as unknown as AnswerGroup;
}

const rowOf = (({ session }, { id }) => {
  const { name, policy, runs } = session as typeof session & Own;
  const run = runs[id];
  if (run === undefined) return undefined;
  const {
    state = 'completed',
    fit,
    ...own
  }: Run = typeof run === 'number' ? { costUsd: run } : run;
  const metrics = { ...UNKNOWN_METRICS, compactions: 1, misses: 0, ...own };
  return { session: name, policy, state, fit, metrics };
}) as RowOf;

/** Twelve sessions that cost so much under each change, as a share. */
const times = (earlier: number, prune?: number) =>
  Array.from({ length: 12 }, (_, index): Runs => {
    const base = 4 + index;
    return { base, earlier: base * earlier, ...(prune && { prune: base * prune }) };
  });
const inTokens = (runs: Runs): Runs =>
  Object.fromEntries(
    Object.entries(runs).map(([id, uncachedTokens]) => [id, { uncachedTokens, costUsd: null }]),
  );

const large = { model: 'b/large', contextTokens: 1_000_000, from: 0.9 };
const goose = { agent: 'two', policy: 'goose' };
const opencode = { policy: 'opencode-1.1.57' };
const failing = times(0.9).map((runs): Runs => ({ ...runs, prune: { state: 'failed' } }));

describe('describeAll', () => {
  it.each<[string, readonly AnswerGroup[], readonly (readonly string[])[]]>([
    [
      'tells each change once for an agent, with the variable that saves more',
      [group(times(0.8, 1.2), {}), group(times(0.7, 1.2), large), group(times(0.9), goose)],
      [
        [
          'one, claude-code: compact at 70 % of the window (now 80 % to 90 %): better in 24',
          'Environment: CLAUDE_CODE_AUTO_COMPACT_WINDOW=733000 in b/large, not a/small',
        ],
        [
          'two, goose: compact at 70 % of the window (now 80 %): better in 12',
          'Environment: GOOSE_AUTO_COMPACT_THRESHOLD=0.7 in a/small, not ',
        ],
        ['one, claude-code: prune on, which nothing reads: worse in 24'],
      ],
    ],
    [
      'tells texts of a file for each model, and what is better first',
      [group(times(0.8, 0.5), opencode), group(times(0.7, 0.5), { ...opencode, ...large })],
      [
        [
          'one, opencode-1.1.57: prune on, which nothing reads: better in 24',
          'opencode.json: {"compaction":{"prune":true}} in a/small,b/large, not ',
        ],
        [
          'one, opencode-1.1.57: compact at 70 % of the window (now 80 % to 90 %): better in 24',
          'opencode.json: {"provider":{"b":{"models":{"large":{"limit":{"context":720000,"output":32000}}}}}} in b/large, not ',
          'opencode.json: {"provider":{"a":{"models":{"small":{"limit":{"context":160000,"output":32000}}}}}} in a/small, not ',
        ],
      ],
    ],
    [
      'keeps sessions apart whose price is unknown',
      [
        group([...times(0.8).map(inTokens), ...times(0.99)], goose),
        group(times(0.7).map(inTokens), { ...goose, ...large }),
      ],
      [
        [
          'two, goose: compact at 70 % of the window (now 80 % to 90 %): better in 24',
          'Environment: GOOSE_AUTO_COMPACT_THRESHOLD=0.7 in b/large,a/small, not ',
        ],
        [
          'two, goose: compact at 70 % of the window (now 80 %): no difference that matters in 12',
          'Environment: GOOSE_AUTO_COMPACT_THRESHOLD=0.7 in a/small, not ',
        ],
      ],
    ],
    [
      'tells what fails, and nothing of sessions without a preset',
      [group(failing, goose), group(times(0.5), { policy: '' })],
      [
        [
          'two, goose: compact at 70 % of the window (now 80 %): better in 12',
          'Environment: GOOSE_AUTO_COMPACT_THRESHOLD=0.7 in a/small, not ',
        ],
        ['two, goose: prune on, which nothing reads: fails in 0'],
      ],
    ],
  ])('%s', (_, groups, expected) => {
    const told = describeAll(groups, rowOf).verdict.map((one) => {
      const read = one.isRead ? '' : ', which nothing reads';
      return [
        `${one.agent}, ${one.policy}: ${one.change}${read}: ${one.state} in ${one.sessions}`,
        ...one.keys.map(
          ({ where, text, models, others }) =>
            `${where} ${text.replaceAll(/\s+/g, '')} in ${models.join()}, not ${others.join()}`,
        ),
      ];
    });
    expect(told).toEqual(expected);
  });

  it('compares what completed with what was recorded at a known price', () => {
    const own = [
      { base: 2, recorded: { costUsd: 3, compactions: 2 } },
      { base: { costUsd: null, compactions: null }, recorded: 5 },
      { base: 9, recorded: { costUsd: null } },
      { base: 9, recorded: { costUsd: 8, state: 'failed' } },
      { base: 9 },
      { base: { costUsd: 9, state: 'failed' }, recorded: 9 },
      { recorded: 9 },
    ];
    const others = [group([{ base: 1, recorded: 4 }], goose), group(own, { policy: '' })];
    expect(describeAll([group(own, {}), ...others], rowOf)).toMatchObject({
      verdict: [],
      simulated: [
        {
          agent: 'one',
          policy: 'claude-code',
          sessions: 2,
          costUsd: { recorded: 8, simulated: 2 },
          compactions: { recorded: 3, simulated: 1 },
        },
        { agent: 'two', policy: 'goose', sessions: 1 },
      ],
      failed: 2,
    });
  });

  it('says nothing of changes where the preset compacts elsewhere than the agent', () => {
    const recordedAt = (recorded: number) => ({ fit: [{ recorded, predicted: 9 }] });
    const runs = { base: 1, earlier: 2 };
    const own = [3, 9].map((step): Runs => ({ ...runs, recorded: recordedAt(step) }));
    const { verdict, unfit } = describeAll([group(own, {})], rowOf);
    expect(verdict).toMatchObject([{ sessions: 1 }]);
    expect(unfit).toEqual({ sessions: 1, recorded: 1, simulated: 1 });
  });

  it('tells agents in whose sessions nothing acts, with the nearest edge', () => {
    const idle = { base: IDLE, earlier: IDLE };
    const groups = [
      group([{ base: IDLE, earlier: { ...IDLE, peakContextTokens: 5 } }, idle], large),
      group([idle], {}),
      group([idle], { agent: 'two', policy: 'none' }),
      group([{ ...idle, prune: { ...IDLE, prunes: 1 } }], { agent: 'three' }),
      group([{ ...idle, prune: { ...IDLE, state: 'failed' } }], { agent: 'four' }),
    ];
    expect(describeAll(groups, rowOf).idle).toEqual([
      { agent: 'one', edgeTokens: 167_000, largestTokens: 5 },
      { agent: 'two', edgeTokens: null, largestTokens: 0 },
    ]);
  });
});
