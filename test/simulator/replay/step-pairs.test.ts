import { describe, expect, it } from 'vitest';
import { type CompileOptions, compileSession } from '../../../src/simulator/replay/compile.ts';
import type { Session } from '../../../src/simulator/session/session.ts';
import {
  countCharacters,
  OVERHEAD_TOKENS,
  TOKENS_PER_CHARACTER,
  TOKENS_PER_MESSAGE,
  usageOf,
  withModel,
  withUsage,
  worldOf,
} from './predict/world.ts';

const WORLD = worldOf({ sizes: [10, 70, 31, 4, 200, 55, 9, 320, 18, 44, 260, 81, 5, 12, 90, 33] });

function basisOf(session: Session, known: Pick<CompileOptions, 'scale'> = {}) {
  const options = { tokenizer: 'characters', tokenizerEvidence: 'estimated' as const };
  return compileSession(session, { ...options, ...known, count: countCharacters }).basis;
}

describe('what a session is calibrated on', () => {
  it.each<[string, Session, number]>([
    ['all steps', WORLD, 7],
    ['a step without usage', withUsage(WORLD, 'm5', undefined), 6],
    ['a step whose context was nothing', withUsage(WORLD, 'm5', usageOf(0, 0)), 6],
    ['a first step whose context was nothing', withUsage(WORLD, 'm1', usageOf(0, 0)), 6],
    ['a step of another model', withModel(WORLD, 'm5', 'tea/kettle-1'), 5],
    ['a cut', { ...WORLD, recordedCompactions: [{ kind: 'full', messageIndex: 8 }] }, 6],
    [
      'a cut right before a step',
      { ...WORLD, recordedCompactions: [{ kind: 'full', messageIndex: 9 }] },
      6,
    ],
  ])('is what its measured steps grew by, with %s', (_, session, calibrationPairs) => {
    expect(basisOf(session)).toMatchObject({
      factor: expect.closeTo(TOKENS_PER_CHARACTER),
      perMessageTokens: TOKENS_PER_MESSAGE,
      overheadTokens: OVERHEAD_TOKENS,
      calibration: 'measured',
      overhead: 'measured',
      calibrationPairs,
    });
  });

  it('is nothing of them where a scale is given', () => {
    const scale = { factor: 3, perMessageTokens: 40 };
    expect(basisOf(WORLD, { scale })).toMatchObject({
      ...scale,
      calibration: 'measured',
      calibrationPairs: 0,
    });
  });

  it('is no context of nothing, which is no record', () => {
    const steps = compileSession(withUsage(WORLD, 'm3', usageOf(0, 0)), {
      tokenizer: 'characters',
      tokenizerEvidence: 'estimated',
      count: countCharacters,
    }).turns.flatMap((turn) => turn.steps);
    expect(steps.filter((step) => step.recordedContextTokens === undefined)).toHaveLength(1);
  });
});
