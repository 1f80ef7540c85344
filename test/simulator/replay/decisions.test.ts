import { describe, expect, it } from 'vitest';
import { type Message, policies, resolvePolicy } from '../../../src/engine/index.ts';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import { compareDecisions, type Decision } from '../../../src/simulator/replay/decisions.ts';
import type { RecordedCompaction, Session } from '../../../src/simulator/session/session.ts';
import { step, text, usage } from '../../support/history.ts';
import { ask, call, countTokens, modelOf } from './lab.ts';
import { worldOf } from './world.ts';

/** Compacts before a request that would follow a step of 9,000 tokens. */
const policy = resolvePolicy(policies['opencode-1.2.16'], { prune: { enabled: false } });

/** A turn of steps with those contexts. */
function turnOf(contexts: readonly number[]): readonly Message[] {
  const steps = contexts.map((cacheRead, index) =>
    call(`s${index + 1}`, 10, { usage: usage({ cacheRead }) }),
  );
  return [ask('u1', 10), ...steps];
}

function decide(
  contexts: readonly number[],
  recordedCompactions: readonly RecordedCompaction[],
  {
    modelFor = () => modelOf(),
    ...over
  }: Partial<Session & Parameters<typeof compareDecisions>[1]> = {},
): readonly Decision[] {
  const messages = turnOf(contexts);
  const session = { ...worldOf({ sizes: [] }), messages, recordedCompactions, ...over };
  const compile = { tokenizer: 'lab', tokenizerEvidence: 'measured', count: countTokens } as const;
  return compareDecisions(compileSession(session, compile), { policy, modelFor });
}

/** A change by the agent after a step. */
const after = (step: number, over: Partial<RecordedCompaction> = {}): RecordedCompaction => ({
  kind: 'full',
  messageIndex: step + 1,
  ...over,
});

type Told = readonly [
  kind: Decision['kind'],
  recordedAfterStep: number | null,
  predictedAfterStep: number | null,
];

describe('compareDecisions', () => {
  it.each<[string, readonly number[], readonly RecordedCompaction[], readonly Told[]]>([
    ['nothing where nobody acts', [1_000, 2_000, 8_000], [], []],
    ['a compaction at the same step', [1_000, 9_500, 2_000], [after(2)], [['compaction', 2, 2]]],
    [
      'one that comes earlier than recorded',
      [1_000, 9_500, 9_600, 2_000],
      [after(3)],
      [['compaction', 3, 2]],
    ],
    [
      'one that comes later, by what steps added after the recorded one',
      [1_000, 2_000, 6_000, 1_000, 2_000, 3_000, 3_100],
      [after(3)],
      [['compaction', 3, 6]],
    ],
    ['one that never comes', [1_000, 2_000, 1_000], [after(2)], [['compaction', 2, null]]],
    ['one that was not recorded', [1_000, 9_500, 9_600], [], [['compaction', null, 2]]],
    [
      'each from its own first context',
      [1_000, 9_100, 7_000, 9_200, 1_000],
      [after(2), after(4)],
      [
        ['compaction', 2, 2],
        ['compaction', 4, 4],
      ],
    ],
    [
      'one by hand, which no policy decides',
      [1_000, 5_000, 1_000],
      [after(2, { trigger: 'manual' })],
      [['manual-compaction', 2, null]],
    ],
    [
      'a compaction after a clearing, from the context that it left',
      [1_000, 8_000, 3_000, 9_300, 1_000],
      [after(2, { kind: 'micro' }), after(4)],
      [
        ['clearing', 2, null],
        ['compaction', 4, 4],
      ],
    ],
  ])('tells of %s', (_, contexts, recorded, told) => {
    const decided = decide(contexts, recorded).map((one) => [
      one.kind,
      one.recordedAfterStep,
      one.predictedAfterStep,
    ]);
    expect(decided).toEqual(told);
  });

  it('rests on neither the size nor the model of the compaction that it judges', () => {
    const contexts = [1_000, 2_000, 1_000, 1_100, 1_200];
    const large = decide(contexts, [after(2, { tokensBefore: 9_900 })]);
    expect(large).toMatchObject([
      { recordedAfterStep: 2, predictedAfterStep: null, recordedTokens: 9_900 },
    ]);
    const judged: unknown[] = [];
    const second = after(4, { tokensBefore: 9_500 });
    decide([1_000, 9_100, 7_000, 9_200, 1_000], [after(2, { kind: 'micro' }), second], {
      modelFor: (one) => {
        judged.push(one);
        return modelOf();
      },
    });
    expect(judged).toEqual([second, second, undefined]);
  });

  it('leaves what stood before a partial recording behind, with the prompt of the turn', () => {
    const limits = { contextTokens: 100_000, outputTokens: 1_000 };
    const decided = decide([98_000, 99_500, 20_000, 33_000], [after(2)], {
      modelFor: () => modelOf({}, { limits }),
      isPartial: true,
    });
    expect(decided).toMatchObject([{ recordedAfterStep: 2, predictedAfterStep: 2 }]);
  });

  it.each<[string, readonly number[], RecordedCompaction, Decision['cause']]>([
    ['none at the step', [1_000, 9_500, 1_000], after(2), undefined],
    ['nothing known, a step off', [1_000, 9_500, 9_600, 1_000], after(3), 'unexplained'],
    ['that it is the beginning', [1_000, 2_000], after(-1), 'no-steps'],
    [
      'what the recording lacks',
      [1_000, 2_000, 1_000, 1_100],
      after(2, { tokensBefore: 9_900 }),
      'missing-content',
    ],
    [
      'nothing known, below the edge',
      [1_000, 2_000, 1_000, 1_100],
      after(2, { tokensBefore: 8_900 }),
      'unexplained',
    ],
    [
      'nothing known, above the edge',
      [1_000, 9_500, 9_600, 9_700, 1_000],
      after(4, { tokensBefore: 9_800 }),
      'unexplained',
    ],
  ])('gives as the cause %s', (_, contexts, recorded, cause) => {
    expect(decide(contexts, [recorded])[0]?.cause).toBe(cause);
  });

  it.each([
    ['as the cause, where the edge is passed by it alone', 9_050, false, 2, 'unknown-output'],
    ['no longer than what the next request grew by', 8_950, false, 4, undefined],
    ['as it is told, where that is final', 9_050, true, 3, 'unexplained'],
  ])('takes an output of unknown length %s', (_, third, isOutputFinal, predicted, cause) => {
    const contexts = [1_000, 8_900, third, third + 10, 1_000];
    const steps = contexts.map((cacheRead, index) =>
      step(`s${index}`, [text(`p${index}`, 'word'.repeat(200))], {
        usage: usage({ cacheRead, output: 3 }),
      }),
    );
    const over = { messages: [ask('u1', 10), ...steps], isOutputFinal };
    const [found] = decide(contexts, [after(4)], over);
    expect([found?.predictedAfterStep, found?.cause]).toEqual([predicted, cause]);
  });
});
