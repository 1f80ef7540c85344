import { describe, expect, it } from 'vitest';
import { calibrate, type Calibration } from '../../../src/simulator/replay/sizes.ts';
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
} from './world.ts';

/** Calibrates on pairs of steps: what each context grew by, what was counted of it, and in how many messages. */
const calibrateOn = (pairs: string): Calibration =>
  calibrate(
    pairs.split(', ').map((pair) => {
      const [recordedTokens = 0, countedTokens = 0, messages = 0] = pair.split(' ').map(Number);
      return { recordedTokens, countedTokens, messages };
    }),
  );

/** Two tokens for each that was counted, and five for each message. */
const EXACT = '30 10 2, 120 50 4, 19 7 1';

describe('calibrate', () => {
  it.each<[what: string, pairs: string, factor: number, perMessageTokens: number]>([
    ['finds what a token and a message cost', EXACT, 2, 5],
    ['leaves out what did not grow', `0 9 1, ${EXACT}, -50 3 1`, 2, 5],
    [
      'takes a message for free where it would cost less than nothing',
      '10 10 2, 80 50 4, 9 7 1',
      (10 * 10 + 80 * 50 + 9 * 7) / (10 ** 2 + 50 ** 2 + 7 ** 2),
      0,
    ],
    ['takes messages for free that are all of a size', '25 10 1, 50 20 2, 75 30 3', 2.5, 0],
    ['rounds what a message costs', '30 10 2, 120 50 4, 20 7 1', 8_120 / 4_100, 5],
  ])('%s', (_, pairs, factor, perMessageTokens) => {
    const found = calibrateOn(pairs);
    expect(found).toEqual({
      factor: expect.closeTo(factor, 3),
      perMessageTokens,
      evidence: 'measured',
      pairs: 3,
    });
  });

  it.each<[what: string, pairs: string]>([
    ['two pairs', '120 50 4, 19 7 1'],
    ['two pairs and one that did not grow', '120 50 4, 19 7 1, 0 10 2'],
    ['pairs of which nothing was counted', '5 0 1, 10 0 2, 15 0 3'],
    ['pairs by which a token would cost nothing', '10 100 1, 20 50 2, 30 10 3'],
    ['pairs by which a token would cost less than nothing', '10 100 1, 30 50 2, 60 10 3'],
  ])('tells nothing of %s', (_, pairs) => {
    const unknown = { factor: 1, perMessageTokens: 0, evidence: 'estimated', pairs: 0 };
    expect(calibrateOn(pairs)).toEqual(unknown);
  });
});

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
