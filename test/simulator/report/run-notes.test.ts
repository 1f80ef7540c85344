import { describe, expect, it } from 'vitest';
import { type Limits, policies, type PolicyName } from '../../../src/engine/index.ts';
import { UNKNOWN_METRICS } from '../../../src/simulator/metrics/metrics.ts';
import {
  countBaselines,
  describeBaselines,
  totalPolicies,
} from '../../../src/simulator/report/run-notes.ts';
import { renderKept, toPlainKept } from '../../../src/simulator/report/what-stays.ts';
import { applySettings, type SettingValues } from '../../../src/simulator/scenario/settings.ts';
import { sampleMetrics, sampleRun } from '../../support/sample-report.ts';

const large: Limits = { contextTokens: 200_000, outputTokens: 64_000 };
const small: Limits = { contextTokens: 24_000, outputTokens: 8_000 };

function targetOf(name: PolicyName, limits: Limits, given: SettingValues = {}) {
  const target = applySettings({ policy: policies[name], limits }, given);
  return [target.policy, target.limits] as const;
}

describe('the baselines of savings', () => {
  const runOf = (session: string, baseline?: 'recorded' | 'none') =>
    sampleRun({
      session,
      ...(baseline && { baseline }),
      metrics: { ...sampleMetrics, tokensSaved: baseline === undefined ? null : 1 },
    });

  it('are counted by session, whichever of its runs has one', () => {
    const impossible = sampleRun({
      session: 'a',
      impossible: 'too large',
      metrics: UNKNOWN_METRICS,
    });
    const runs = [impossible, runOf('a', 'recorded'), runOf('b', 'none'), runOf('c'), runOf('c')];
    expect(countBaselines(runs)).toEqual({ recorded: 1, none: 1, unknown: 1 });
  });

  it('are not counted of saved runs that do not tell them', () => {
    expect(countBaselines([sampleRun()])).toEqual({ recorded: 0, none: 0, unknown: 0 });
  });

  it('are told in a sentence, and how much of the recording is unknown in another', () => {
    const counts = { recorded: 2, none: 1, unknown: 1 };
    expect(describeBaselines(counts, 0)).toEqual([
      'Savings are net of summary calls: against the run as recorded (2 sessions); against never compacting (1 session); unknown, since never compacting exceeds the window (1 session).',
    ]);
    expect(describeBaselines(counts, 3)[1]).toMatch(/^The usage of 3 requests is not recorded/);
    expect(describeBaselines({ recorded: 0, none: 0, unknown: 0 }, 0)).toEqual([]);
  });
});

describe('renderKept', () => {
  it.each<[string, PolicyName, Limits, SettingValues | undefined, string]>([
    [
      'first and newest events',
      'openhands',
      large,
      undefined,
      'the first 4 events and the newest 35 events',
    ],
    ['a share of the window', 'deepagents', large, undefined, 'the newest 10 % of the window'],
    [
      'the larger of two amounts',
      'hermes',
      large,
      undefined,
      'the first 2 messages and the newest 20 messages or 20 % of the usable tokens, whichever is more',
    ],
    [
      'fewer while they are too much',
      'letta',
      large,
      undefined,
      'the newest 70 % of messages; then fewer, 10 % at a time, while they are above 70 % of the window',
    ],
    [
      'messages of a rolling window',
      'rolling-window',
      large,
      {},
      'the newest 50 messages; what is older is dropped; there is no compaction',
    ],
    [
      'a rolling window that was set',
      'rolling-window',
      large,
      { keepMessages: 20 },
      'the newest 20 messages; what is older is dropped; there is no compaction',
    ],
    [
      'messages beside a memory',
      'external-memory',
      large,
      {},
      'the newest 10 messages; what is older moves to a memory, of which up to 10 pieces, together 8,000 tokens, come back for a request; there is no compaction',
    ],
    ['everything', 'selective-pruning', large, {}, 'everything; there is no compaction'],
    ['nothing', 'opencode-1.2.16', large, {}, 'nothing'],
    ['one turn', 'document-001', large, {}, 'the newest turn'],
    ['some turns', 'document-001', large, { tailTurns: 3 }, 'the newest 3 turns'],
    [
      'turns up to the largest budget',
      'opencode-1.18',
      large,
      {},
      'the newest 2 turns, at most 8,000 tokens',
    ],
    [
      'turns up to a quarter of what is usable on the model',
      'opencode-1.18',
      small,
      {},
      'the newest 2 turns, at most 4,000 tokens',
    ],
    [
      'turns up to a budget that was set',
      'opencode-1.18',
      small,
      { tailTokens: 5_000 },
      'the newest 2 turns, at most 5,000 tokens',
    ],
    ['turns of no tokens', 'opencode-1.18', large, { tailTokens: 0 }, 'nothing'],
    ['no turns', 'opencode-1.18', large, { tailTurns: 0 }, 'nothing'],
    ['re-read files', 'claude-code', large, {}, 'the newest message; re-reads up to 5 files'],
  ])('says %s', (_, name, limits, given, expected) => {
    expect(renderKept(...targetOf(name, limits, given))).toBe(expected);
  });
});

describe('toPlainKept', () => {
  const NONE = { tailBudgetTokens: null, windowMessages: null, memory: null };

  it.each<[string, PolicyName, object]>([
    ['a window', 'rolling-window', { windowMessages: 50 }],
    [
      'a memory',
      'external-memory',
      { memory: { keepMessages: 10, recallEntries: 10, recallTokens: 8_000 } },
    ],
    ['turns', 'opencode-1.18', { tailBudgetTokens: 4_000 }],
    ['none of these', 'opencode-1.2.16', {}],
  ])('has the numbers of %s', (_, name, numbers) => {
    const { cut } = policies[name];
    expect(toPlainKept(...targetOf(name, small))).toEqual({ ...NONE, cut, ...numbers });
  });
});

describe('totalPolicies', () => {
  it('gives nothing for nothing', () => {
    expect(totalPolicies([])).toEqual([]);
  });

  it('adds what can be added, and takes the largest context', () => {
    const small = { ...sampleMetrics, steps: 1, peakContextTokens: 5, finalContextTokens: 4 };
    const [total] = totalPolicies([sampleRun({ metrics: small }), sampleRun()]);
    expect(total?.metrics).toMatchObject({
      steps: 226,
      inputTokens: 12_000_000,
      tokensSaved: 7_392_000,
      peakContextTokens: 168_004,
      finalContextTokens: 90_001,
    });
  });

  it('counts only runs that completed', () => {
    const runs = [sampleRun(), sampleRun({ state: 'refused' })];
    expect(totalPolicies(runs)).toEqual([
      { policy: 'opencode-1.2.16', runs: 2, completedRuns: 1, metrics: sampleMetrics },
    ]);
  });

  it('knows nothing where no run completed', () => {
    const [total] = totalPolicies([sampleRun({ state: 'failed' })]);
    expect(total?.metrics).toEqual(UNKNOWN_METRICS);
  });

  it('never adds up an open and a closed loop', () => {
    const runs = [sampleRun(), sampleRun({ mode: 'closed-loop' })];
    expect(() => totalPolicies(runs)).toThrow('to be all open loop or all closed loop');
  });

  it('does not know what is unknown for one run', () => {
    const unknown = sampleRun({ metrics: { ...sampleMetrics, prunes: null } });
    const [total] = totalPolicies([sampleRun(), unknown]);
    expect(total?.metrics).toMatchObject({ prunes: null, steps: 450 });
  });

  it('keeps policies apart, in the order of first appearance', () => {
    const runs = ['b', 'a', 'b'].map((policy) => sampleRun({ policy }));
    expect(totalPolicies(runs).map(({ policy, runs: count }) => [policy, count])).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
  });
});
