import { describe, expect, it } from 'vitest';
import type { SessionFidelity } from '../../../src/simulator/metrics/fidelity.ts';
import { fidelityFormats } from '../../../src/simulator/report/fidelity.ts';
import { PIPE } from '../../support/terminals.ts';

const NO_COSTS = {
  predictedNanoUsd: 0,
  recordedNanoUsd: 0,
  lostPredictedNanoUsd: 0,
  lostRecordedNanoUsd: 0,
};
const NO_ERRORS = {
  contextOneStep: [],
  contextFreeRunning: [],
  fitOneStep: [],
  fitFreeRunning: [],
  cacheShare: [],
  cost: [],
};

const first: SessionFidelity = {
  session: 'a.jsonl',
  format: 'pi',
  model: 'anthropic/kettle',
  steps: 1_200,
  errors: {
    contextOneStep: [0, 0, 0],
    contextFreeRunning: [0],
    fitOneStep: [-0.01, 0.02, -0.03],
    fitFreeRunning: [0.04],
    cacheShare: [0.000_01],
    cost: [-0.5],
  },
  preset: 'pi',
  release: '1.6.0',
  decisions: [
    {
      kind: 'compaction',
      recordedAfterStep: 1_100,
      predictedAfterStep: 1_098,
      recordedTokens: 167_090,
      predictedTokens: 167_010,
      edgeTokens: 167_000,
      cause: 'unknown-output',
    },
    {
      kind: 'compaction',
      recordedAfterStep: null,
      predictedAfterStep: 1_140,
      cause: 'unexplained',
    },
    { kind: 'compaction', recordedAfterStep: 0, predictedAfterStep: null, cause: 'no-steps' },
    { kind: 'manual-compaction', recordedAfterStep: 1_150, predictedAfterStep: null },
    { kind: 'clearing', recordedAfterStep: null, predictedAfterStep: 1_160 },
  ],
  surprises: { 'cache-lost': 2, 'after-compaction': 1 },
  costs: {
    predictedNanoUsd: 31e9,
    recordedNanoUsd: 40e9,
    lostPredictedNanoUsd: 1e9,
    lostRecordedNanoUsd: 10e9,
  },
};
const second: SessionFidelity = {
  session: 'b.jsonl#1',
  format: 'claude-code',
  steps: 1,
  errors: { ...NO_ERRORS, contextOneStep: [0.1] },
  decisions: [],
  surprises: { 'after-compaction': 1 },
  costs: null,
};
const third: SessionFidelity = {
  session: 'c.json',
  format: 'openai-chat',
  steps: 0,
  errors: NO_ERRORS,
  decisions: [],
  surprises: {},
  costs: null,
  reason: 'no usage is recorded',
};
const unread = [{ file: 'd.txt', reason: "Expected 'd.txt' to be a session." }];
const origin = { version: '1.2.3', settings: {} };
const report = {
  origin,
  sessions: [first, second, third, { ...first, session: 'e.jsonl' }],
  unread,
};

describe('the table', () => {
  it('has a line for each format and model, then what stands behind them', () => {
    expect(fidelityFormats.table(report, PIPE)).toMatchInlineSnapshot(`
      "0 of 2 automatic compactions within one step, 0 at the very step; 2 predicted that were not
      recorded.
      4 other compactions: by hand, or before the first step, which no preset decides.
      Clearings of outputs: 0 recorded, 2 predicted.

      Format  Release  Preset  Compactions  Within 1  Exact  Recorded at  Predicted at     Edge
      pi      1.6.0    pi                2         0      0      167,090       167,010  167,000

      Automatic compactions by the step after which they came, and by tokens: as the agent noted, as the
      preset of its release counted, and at which it compacts. Each stretch between two of them is
      replayed from its first recorded context.

      More than one step off:
      - a.jsonl: recorded after step 1,100 at 167,090, predicted after step 1,098 at 167,010 (edge 167,000): the output of the newest step is not known
      - a.jsonl: recorded not at all, predicted after step 1,140: unexplained
      - e.jsonl: recorded after step 1,100 at 167,090, predicted after step 1,098 at 167,010 (edge 167,000): the output of the newest step is not known
      - e.jsonl: recorded not at all, predicted after step 1,140: unexplained

      Format       Model             Context, one step (%)  Context, free-running (%)  Fit, one step (%)
      pi           anthropic/kettle            0.00 / 0.00                0.00 / 0.00      −1.00 / −3.00
      claude-code  –                       +10.00 / +10.00                          –                  –

      No room for Sessions; Steps; Fit, free-running (%); Cache reads (points); Input cost (%): a wider
      terminal or --format json shows them.

      Signed errors, predicted minus recorded: median / 90th percentile by size.
      Context: as a replay weighs it, by recorded growth; from the previous recorded step, and from the
      beginning until the agent compacted or cleared.
      Fit: as without recorded usage, by counted tokens; from the previous recorded step, and since the
      last recorded compaction, calibrated on the first half of a session's steps and measured on the
      second.

      Input cost in total in the 2 of 3 sessions whose cost was recorded and whose prices are known: $62.00 predicted, $80.00 recorded (−22.50 %); without the steps whose cache was lost: $60.00 predicted, $60.00 recorded (0.00 %).

      Cannot be predicted:
      - 3 steps right after a compaction: what came with the summary, such as files re-attached in memory, is not recorded (left out)
      - 4 steps with a cached prefix lost within its lifetime: a restart, a changed prompt or the provider itself (counted)

      Not compared:
      - c.json: no usage is recorded

      Unread:
      - Expected 'd.txt' to be a session.

      Made by: compaction-bench 1.2.3.
      "
    `);
  });

  it('names a reason once, however many sessions have it', () => {
    const many = Array.from({ length: 200 }, (_, index) => ({ ...third, session: `c${index}` }));
    const text = fidelityFormats.table({ origin, sessions: [first, ...many], unread: [] }, PIPE);
    expect(text.match(/no usage is recorded/g)).toHaveLength(1);
    expect(text).toContain('- c0 and 199 other sessions: no usage is recorded\n');
  });

  it('says so where nothing was compared', () => {
    expect(fidelityFormats.table({ origin, sessions: [third], unread: [] }, PIPE)).toBe(
      'No session has usage to compare with.\n\nNot compared:\n- c.json: no usage is recorded\n\nMade by: compaction-bench 1.2.3.\n',
    );
  });

  it.each<[string, readonly SessionFidelity[], RegExp]>([
    ['all', [first], /^Input cost in total: /m],
    ['none', [second], /^Made by: /m],
  ])('names no share of the sessions where it knows the costs of %s', (_, sessions, line) => {
    const text = fidelityFormats.table({ origin, sessions, unread: [] }, PIPE);
    expect(text).toMatch(line);
    expect(text).not.toContain('whose cost');
  });

  it.each<[string, Partial<SessionFidelity['costs']>, string]>([
    ['no cache was lost', { predictedNanoUsd: 3e9, recordedNanoUsd: 2e9 }, '(+50.00 %).'],
    [
      'nothing else was billed',
      { recordedNanoUsd: 2e9, lostRecordedNanoUsd: 2e9 },
      'without the steps whose cache was lost: $0.0000 predicted, $0.0000 recorded.',
    ],
  ])('totals costs where %s', (_, costs, expected) => {
    const session = { ...first, costs: { ...NO_COSTS, ...costs } };
    const lines = fidelityFormats
      .table({ origin, sessions: [session], unread: [] }, PIPE)
      .split('\n');
    expect(lines.find((line) => line.startsWith('Input cost in total'))).toContain(expected);
  });

  it('spells out what a terminal might obey', () => {
    const hostile = { ...third, session: '\u001b[2J' };
    expect(fidelityFormats.table({ origin, sessions: [hostile], unread: [] }, PIPE)).toContain(
      '\\u001b[2J',
    );
  });
});

describe('the JSON', () => {
  const document = JSON.parse(fidelityFormats.json(report));

  it('has the median absolute errors of each session as ratios', () => {
    expect(document.sessions[0]).toEqual({
      file: 'a.jsonl',
      format: 'pi',
      steps: 1_200,
      contextErrorOneStep: 0,
      contextErrorFreeRunning: 0,
      fitErrorOneStep: 0.02,
      fitErrorFreeRunning: 0.04,
      cacheShareError: 0.000_01,
      costError: 0.5,
      preset: 'pi',
      release: '1.6.0',
      decisions: first.decisions,
      reason: expect.stringMatching(/^1 step right after a compaction: .*; 2 steps with a cached/),
    });
  });

  it('has null for what was not compared, and says why', () => {
    expect(document.sessions[2]).toEqual({
      file: 'c.json',
      format: 'openai-chat',
      steps: 0,
      contextErrorOneStep: null,
      contextErrorFreeRunning: null,
      fitErrorOneStep: null,
      fitErrorFreeRunning: null,
      cacheShareError: null,
      costError: null,
      decisions: [],
      reason: 'no usage is recorded',
    });
  });

  it('pools all steps', () => {
    expect(document.overall).toEqual({
      contextErrorOneStep: 0,
      contextErrorFreeRunning: 0,
      fitErrorOneStep: 0.02,
      fitErrorFreeRunning: 0.04,
      cacheShareError: 0.000_01,
      costError: 0.5,
    });
    expect(document.unread).toEqual(unread);
  });
});
