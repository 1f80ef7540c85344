import { describe, expect, it } from 'vitest';
import { type Message, policies, resolvePolicy } from '../../../src/engine/index.ts';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import { compareDecisions, type Decision } from '../../../src/simulator/replay/decisions.ts';
import type { RecordedCompaction } from '../../../src/simulator/session/session.ts';
import { usage } from '../../support/history.ts';
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
): readonly Decision[] {
  const session = { ...worldOf({ sizes: [] }), messages: turnOf(contexts), recordedCompactions };
  const compile = { tokenizer: 'lab', tokenizerEvidence: 'measured', count: countTokens } as const;
  return compareDecisions(compileSession(session, compile), { policy, modelFor: () => modelOf() });
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
});
