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
  rereads: [20, 40].map((calls) => ({ calls, after: [3], elsewhere: 1.25, lacked: [1, 2] })),
  carried: { file: { hits: 1, of: 3 }, output: { hits: 4, of: 5 }, said: { hits: 0, of: 0 } },
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

const FOLDER = '../../fixtures/snapshots';

it('has the median absolute errors of each session and of all in JSON, null where none is known', async () => {
  await expect(fidelityFormats.json(report)).toMatchFileSnapshot(`${FOLDER}/fidelity.json.txt`);
});

describe('the table', () => {
  it('has a line for each format and model, then what stands behind them', async () => {
    await expect(fidelityFormats.table(report, PIPE)).toMatchFileSnapshot(
      `${FOLDER}/fidelity.table.txt`,
    );
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
});
