import { describe, expect, it } from 'vitest';
import {
  agreementOf,
  cohenKappa,
  judgePrompt,
  krippendorffAlpha,
  labelledAnswers,
  readJudgement,
} from '../../../../src/simulator/metrics/probes/judge.ts';
import type { Reader } from '../../../../src/simulator/metrics/probes/probe.ts';
import { calibrateJudges } from '../../../../src/simulator/sweep/summarizers/build-report.ts';
import { answered, failing, saying } from './readers.ts';

const rulesOf = (round: number) =>
  labelledAnswers.map((answer) => judgePrompt(answer, round).context.replaceAll(/\d\. /g, ''));

describe('a judge', () => {
  it.each([
    [
      '{"recalled": true, "accurate": false}',
      { recalled: true, accurate: false, isReadable: true },
    ],
    [
      '```json\n{"recalled": true, "accurate": true, "why": "it is"}\n```',
      { recalled: true, accurate: true, isReadable: true },
    ],
    [
      'As {"recalled": true or false, "accurate": true or false}: {"recalled": false, "accurate": false}',
      { recalled: false, accurate: false, isReadable: true },
    ],
    [
      '{} {"accurate": false, "recalled": true}',
      { recalled: true, accurate: false, isReadable: true },
    ],
  ])('that says %s', (text, judgement) => {
    expect(readJudgement(text)).toEqual(judgement);
  });

  it.each([
    '',
    'Yes, it is right.',
    '{"recalled": true}',
    '{"recalled": "true", "accurate": "true"}',
    '{"recalled": true or false, "accurate": true or false}',
    '{"recalled": true, "accurate": truest}',
    '{"recalled": true, "accurate": false}, no: {"recalled": true, "accurate": true}',
  ])('is not understood where it says %s', (text) => {
    expect(readJudgement(text)).toEqual({ recalled: false, accurate: false, isReadable: false });
  });

  it('is shown the same rules in orders that depend on the answer alone', () => {
    expect(rulesOf(0)).toEqual(rulesOf(0));
    expect(new Set(rulesOf(0)).size).toBeGreaterThan(3);
    expect(new Set(rulesOf(0).map((rules) => rules.split('\n').toSorted().join())).size).toBe(1);
    expect(rulesOf(1)).not.toEqual(rulesOf(0));
  });

  const byQuestion = new Map(
    labelledAnswers.map((one) => [judgePrompt(one, 0).question, one] as const),
  );
  const knowing: Reader = {
    name: 'knowing',
    answer: async ({ question }) => {
      const { recalled, accurate } = byQuestion.get(question)!;
      return answered(JSON.stringify({ recalled, accurate }));
    },
  };
  const lenient = saying('{"recalled": true, "accurate": true}');
  // What it says depends on which rule it reads first.
  const wavering: Reader = {
    name: 'wavering',
    answer: async ({ context }) =>
      answered(`{"recalled": true, "accurate": ${context.startsWith('1. FALSE for "recalled"')}}`),
  };

  it('is measured against labels, and against itself', async () => {
    const { judges } = await calibrateJudges([knowing, lenient, wavering], 1);
    expect(judges[0]).toMatchObject({
      labels: labelledAnswers.length,
      kappa: { mean: 1, low: 1, high: 1 },
      selfAgreement: { mean: 1 },
      isTrusted: true,
    });
    expect(judges[1]).toMatchObject({ kappa: { mean: 0 }, unreadable: 0, isTrusted: false });
    expect(judges[2]?.selfAgreement.mean).toBeLessThan(1);
    expect(judges[2]?.selfAgreement.low).toBeLessThan(judges[2]!.selfAgreement.mean!);
  });

  it('is measured with others by one coefficient, and alone by none', async () => {
    const twice = await calibrateJudges([knowing, knowing], 1);
    const others = await calibrateJudges([knowing, lenient], 1);
    expect(twice.alpha).toMatchObject({ mean: 1, low: 1, high: 1 });
    expect(others.alpha?.mean).toBeLessThan(0.2);
    expect(await calibrateJudges([knowing], 1)).not.toHaveProperty('alpha');
  });

  it.each([
    [3, true],
    [10, false],
    [30, false],
  ])(
    'that knows all it is asked, but cannot be asked %i times, is trusted: %j',
    async (missing, isTrusted) => {
      const lost = new Set(
        labelledAnswers.slice(0, missing).map((one) => judgePrompt(one, 0).question),
      );
      const leaving: Reader = {
        name: 'leaving',
        answer: (asked) => (lost.has(asked.question) ? failing : knowing).answer(asked),
      };
      const { judges } = await calibrateJudges([leaving], 1);
      expect(judges[0]).toMatchObject({ kappa: { mean: 1 }, failed: missing, isTrusted });
    },
  );

  it('that cannot be asked has no agreement', async () => {
    const { judges } = await calibrateJudges([failing], 1);
    expect(judges[0]).toMatchObject({
      labels: 0,
      failed: labelledAnswers.length,
      kappa: { mean: null },
      isTrusted: false,
    });
  });
});

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
