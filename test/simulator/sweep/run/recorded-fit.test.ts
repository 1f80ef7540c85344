import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../../src/engine/index.ts';
import { compileSession } from '../../../../src/simulator/replay/compile.ts';
import type { RecordedCompaction } from '../../../../src/simulator/session/session.ts';
import type { Setup, SetupStretch } from '../../../../src/simulator/setup/setup.ts';
import { isFitting, type RecordedFit } from '../../../../src/simulator/sweep/run/meet-setup.ts';
import { usage } from '../../../support/history.ts';
import { ask, call, countTokens, LIMITS, modelOf } from '../../replay/lab.ts';
import { worldOf } from '../../replay/world.ts';
import { fitOf } from '../../../../src/simulator/sweep/run/row.ts';

const ROOMY: Limits = { contextTokens: 1_000_000, outputTokens: 1_000 };

function traceOf(contexts: readonly number[], recordedCompactions: readonly RecordedCompaction[]) {
  const steps = contexts.map((cacheRead, index) =>
    call(`s${index + 1}`, 10, { usage: usage({ cacheRead }) }),
  );
  const messages = [ask('u1', 10), ...steps];
  return compileSession(
    { ...worldOf({ sizes: [] }), messages, recordedCompactions },
    { tokenizer: 'lab', tokenizerEvidence: 'measured', count: countTokens },
  );
}

const stretch = (messageId: string, limits: Limits, steps = 2): SetupStretch => ({
  messageId,
  steps,
  model: modelOf({}, { limits }),
  modelSource: 'recorded',
  window: { value: limits.contextTokens, source: 'inferred' },
});

/** Compacts at 9,000 of 10,000 tokens. */
const setup: Setup = {
  agent: 'OpenCode',
  preset: 'opencode-1.2.16',
  stretches: [stretch('s1', LIMITS)],
};

const auto = (step: number): RecordedCompaction => ({ kind: 'full', messageIndex: step + 1 });
const trace = traceOf([1_000, 9_500, 2_000, 9_500, 3_000], [auto(2), auto(4)]);
const fit = (recorded: number | null, predicted: number | null) => ({ recorded, predicted });

describe('fitOf', () => {
  it.each<[string, Partial<Setup>, RecordedFit]>([
    ['the window in force', {}, [fit(2, 2), fit(4, 4)]],
    [
      'a compaction that is judged by what is known without it',
      { judged: { 0: modelOf({}, { limits: ROOMY }) } },
      [fit(2, null), fit(4, 4)],
    ],
    [
      'each stretch of the setup',
      { stretches: [stretch('s1', LIMITS), stretch('s3', ROOMY, 3)] },
      [fit(2, 2), fit(4, null)],
    ],
    [
      'no configuration of today',
      { configured: { limits: ROOMY, settings: { triggerFraction: 0.1 } } },
      [fit(2, 2), fit(4, 4)],
    ],
    // A request that no longer fits comes a step later, or not at all.
    ['a release that compacts at refusals', { isRefusalOnly: true }, [fit(2, 3), fit(4, null)]],
  ])('goes by %s', (_, over, expected) => {
    expect(fitOf(trace, { ...setup, ...over })).toEqual(expected);
  });

  it('tells of compactions that were not recorded, and of none by hand', () => {
    const byHand = traceOf([1_000, 2_000, 3_000], [{ ...auto(2), trigger: 'manual' }]);
    expect(fitOf(byHand, setup)).toEqual([]);
    expect(fitOf(traceOf([1_000, 9_500, 9_600], []), setup)).toEqual([fit(null, 2)]);
  });

  it('is unknown where no preset stands for the agent', () => {
    const { preset: _, ...unknown } = setup;
    expect(fitOf(trace, unknown)).toBeUndefined();
  });
});

describe('isFitting', () => {
  it.each<[string, RecordedFit, boolean]>([
    ['nothing', [], true],
    ['a step earlier', [fit(5, 5), fit(9, 8)], true],
    ['a step later', [fit(9, 10)], true],
    ['two steps off', [fit(5, 5), fit(9, 11)], false],
    ['one that was not predicted', [fit(0, null)], false],
    ['one that was not recorded', [fit(null, 1)], false],
  ])('%s', (_, recorded, expected) => {
    expect(isFitting(recorded)).toBe(expected);
  });
});
