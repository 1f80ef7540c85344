import { describe, expect, it } from 'vitest';
import {
  agreementOf,
  cohenKappa,
  krippendorffAlpha,
} from '../../../../src/simulator/metrics/probes/agreement.ts';

const pairs = (both: number, onlyA: number, onlyB: number, neither: number) => [
  ...Array.from({ length: both }, () => ({ a: true, b: true })),
  ...Array.from({ length: onlyA }, () => ({ a: true, b: false })),
  ...Array.from({ length: onlyB }, () => ({ a: false, b: true })),
  ...Array.from({ length: neither }, () => ({ a: false, b: false })),
];

/** Each list is a judge's, of whom a dot has not judged; the answers are what is asked for. */
function answersOf(...judges: readonly string[]): readonly (readonly boolean[])[] {
  const own = judges.map((verdicts) => Array.from(verdicts));
  return (own[0] ?? []).map((_, index) =>
    own.flatMap((verdicts) => (verdicts[index] === '.' ? [] : [verdicts[index] === '1'])),
  );
}

describe('krippendorffAlpha', () => {
  it.each([
    // Two observers and ten articles. Source: Krippendorff, Computing Krippendorff's Alpha-Reliability, section A.
    ['a published example', answersOf('0100000010', '1110010000'), 0.095],
    ['full agreement', answersOf('0110', '0110', '0110'), 1],
    ['an answer of one judge alone', answersOf('0100000010.1', '1110010000..'), 0.095],
    ['three judges', answersOf('110', '110', '100'), 1 - (8 * 1) / (5 * 4)],
  ])('of %s', (_, answers, alpha) => {
    expect(krippendorffAlpha(answers)).toBeCloseTo(alpha, 3);
  });

  it('is unknown of nothing, and where all say the same', () => {
    expect(krippendorffAlpha([])).toBeNull();
    expect(krippendorffAlpha(answersOf('11', '11'))).toBeNull();
  });
});

describe('cohenKappa', () => {
  it.each([
    ['a table worked out by hand', pairs(20, 5, 10, 15), 0.4],
    ['full agreement', pairs(5, 0, 0, 5), 1],
    ['full disagreement', pairs(0, 5, 5, 0), -1],
  ])('of %s', (_, verdicts, kappa) => {
    expect(cohenKappa(verdicts)).toBeCloseTo(kappa, 10);
  });

  it('is unknown of nothing, and where all say the same', () => {
    expect(cohenKappa([])).toBeNull();
    expect(cohenKappa(pairs(4, 0, 0, 0))).toBeNull();
    expect(agreementOf([])).toBeNull();
  });
});
