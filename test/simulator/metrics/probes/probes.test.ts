import { fc } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  accountProbes,
  type DecidedAnswer,
  falseRecallRate,
  normalisedRetention,
  type ProbeResult,
} from '../../../../src/simulator/metrics/probes/accounts.ts';
import {
  agreementOf,
  cohenKappa,
  krippendorffAlpha,
} from '../../../../src/simulator/metrics/probes/agreement.ts';
import { askProbes, isSampled } from '../../../../src/simulator/metrics/probes/ask-probes.ts';
import { createGrepReader } from '../../../../src/simulator/metrics/probes/grep-reader.ts';
import { judgePrompt, readJudgement } from '../../../../src/simulator/metrics/probes/judge.ts';
import { labelledAnswers } from '../../../../src/simulator/metrics/probes/labelled-answers.ts';
import {
  type Probe,
  PROBE_KINDS,
  type Reader,
  type ReaderPrompt,
} from '../../../../src/simulator/metrics/probes/probe.ts';
import { scoreAnswer } from '../../../../src/simulator/metrics/probes/score-answer.ts';
import { buildProbes } from '../../../../src/simulator/metrics/probes/templates.ts';
import { viewText } from '../../../../src/simulator/metrics/quality/view-text.ts';
import { calibrateJudges } from '../../../../src/simulator/sweep/summarizers/calibrate-judge.ts';
import { shippedScenarios } from '../../../../src/simulator/sweep/summarizers/shipped.ts';

const recall: Probe = {
  id: 'recall fact-1',
  kind: 'recall',
  question: 'Which id was given for "the ticket"?',
  accepted: ['cfg-882wx8ga'],
  refused: [],
  evidence: 'The ticket is cfg-882wx8ga.',
};
const stale: Probe = { ...recall, kind: 'staleness', refused: ['cfg-111aaa22'] };
const forbidden: Probe = {
  ...recall,
  kind: 'compliance',
  accepted: ['BLOCKED'],
  refused: ['chart_ag8qs6a9'],
};
const absent: Probe = { ...recall, kind: 'abstention', accepted: [] };

const answered = (text: string) => ({ state: 'answered', text }) as const;
const saying = (text: string): Reader => ({ name: 'fixed', answer: async () => answered(text) });
const failing: Reader = {
  name: 'failing',
  answer: async () => ({ state: 'failed', reason: 'too many requests' }),
};
const rulesOf = (round: number) =>
  labelledAnswers.map((answer) => judgePrompt(answer, round).context.replaceAll(/\d\. /g, ''));
const pairs = (both: number, onlyA: number, onlyB: number, neither: number) => [
  ...Array.from({ length: both }, () => ({ a: true, b: true })),
  ...Array.from({ length: onlyA }, () => ({ a: true, b: false })),
  ...Array.from({ length: onlyB }, () => ({ a: false, b: true })),
  ...Array.from({ length: neither }, () => ({ a: false, b: false })),
];

describe('scoreAnswer', () => {
  it.each([
    ['the value in a sentence', recall, 'It is cfg-882wx8ga.', 'right'],
    ['one digit off', recall, 'cfg-882wx8gb', 'undecided'],
    ['an abstention', recall, 'UNKNOWN', 'abstained'],
    ['an abstention in Japanese', recall, '分かりません', 'abstained'],
    ['nothing', recall, ' ', 'abstained'],
    ['what held before', stale, 'cfg-111aaa22', 'wrong'],
    ['both values', stale, 'cfg-882wx8ga, once cfg-111aaa22', 'undecided'],
    ['the forbidden call', forbidden, 'use("chart_ag8qs6a9")', 'wrong'],
    ['the refusal of the call', forbidden, 'BLOCKED', 'right'],
    ['another call', forbidden, 'use("chart_other")', 'right'],
    ['no call', forbidden, 'UNKNOWN', 'wrong'],
    ['an abstention where nobody knows', absent, 'UNKNOWN', 'right'],
    ['a guess where nobody knows', absent, '42', 'wrong'],
  ] as const)('decides %s', (_, probe, answer, state) => {
    expect(scoreAnswer(probe, answer)).toBe(state);
  });
});

describe('a reader that searches', () => {
  const results: ProbeResult[] = [];
  beforeAll(async () => {
    for (const { facts = [], messages } of shippedScenarios()) {
      const full = viewText(messages);
      const atStep = messages.filter(({ role }) => role === 'assistant').length - 5;
      const probes = buildProbes({ facts, atStep, text: full });
      const contexts = { full, compacted: full.slice(full.length / 2), tail: '' };
      const asked = await askProbes(probes, { reader: createGrepReader(probes), contexts });
      results.push(...asked.results);
    }
  });

  it('meets every kind of question', () => {
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(PROBE_KINDS));
  });

  it('knows everything with the whole session or its evidence, and nothing without', () => {
    const { accuracy, attentionLoss, retention } = accountProbes(results);
    expect(accuracy).toMatchObject({ none: 0, oracle: 1, full: 1, tail: 0 });
    expect(attentionLoss).toBe(0);
    expect(retention).toBe(accuracy.compacted);
    expect(accuracy.compacted).toBeGreaterThan(0);
    expect(accuracy.compacted).toBeLessThan(1);
  });

  it('claims nothing that nobody said', () => {
    expect(falseRecallRate(results)).toBe(0);
  });
});

describe('askProbes', () => {
  const contexts = { full: recall.evidence, compacted: 'gone', tail: '' };

  it('has a judge decide what rules cannot', async () => {
    const judge = saying('{"recalled": true, "accurate": true}');
    const options = { reader: saying('the ticket of the customer'), contexts };
    const judged = await askProbes([recall], { ...options, judges: [judge] });
    const unjudged = await askProbes([recall], options);
    const found = { isRight: true, isAbstained: false, by: 'judge' };
    expect(judged.results[0]?.answers.full).toEqual(found);
    expect(unjudged.results[0]?.answers.full).toEqual({ ...found, isRight: false, by: 'rule' });
  });

  it('takes what a judge finds no point in for no claim', async () => {
    const judges = [saying('{"recalled": false, "accurate": false}')];
    const { results } = await askProbes([recall], { reader: saying('a ticket'), contexts, judges });
    expect(results[0]?.answers.compacted).toMatchObject({ isRight: false, isAbstained: true });
  });

  it('has the other judges see the same sample each time, about a tenth', async () => {
    const judges = [saying('{"recalled": true, "accurate": true}'), saying('{"recalled": false}')];
    const many = Array.from({ length: 60 }, (_, index) => ({ ...recall, id: `recall ${index}` }));
    const options = { reader: saying('a ticket'), contexts, judges, sampleKey: 'one' };
    const verdictsOf = async () => {
      const { results } = await askProbes(many, options);
      return results.map(({ answers }) => answers.full.verdicts);
    };
    const verdicts = await verdictsOf();
    expect(await verdictsOf()).toEqual(verdicts);
    const checked = verdicts.filter((own) => own !== undefined);
    expect(checked.length).toBeGreaterThan(0);
    expect(checked.length).toBeLessThan(20);
    expect(new Set(checked.map(String))).toEqual(new Set(['true,false']));
  });

  it('samples a tenth', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `name ${index}`);
    const share = names.filter(isSampled).length / names.length;
    expect(share).toBeGreaterThan(0.08);
    expect(share).toBeLessThan(0.12);
  });

  it('asks one question a prompt, and the same prompt once', async () => {
    const asked: ReaderPrompt[] = [];
    const reader: Reader = {
      name: 'noting',
      answer: async (prompt) => {
        asked.push(prompt);
        return answered('UNKNOWN');
      },
    };
    await askProbes([recall], { reader, contexts });
    expect(asked.map(({ question }) => question)).toEqual(asked.map(() => recall.question));
    // The whole session is its evidence, and nothing is all that is left of it.
    expect(asked.map(({ context }) => context)).toEqual(['', recall.evidence, 'gone']);
  });

  it('leaves out questions that could not be asked under every condition, and says why', async () => {
    expect(await askProbes([recall, stale], { reader: failing, contexts })).toEqual({
      results: [],
      unanswered: ['too many requests', 'too many requests'],
    });
    const judged = { reader: saying('a ticket'), judges: [failing], contexts };
    expect(await askProbes([recall], judged)).toMatchObject({ results: [] });
  });
});

describe('accountProbes', () => {
  const flags = fc.record({ isRight: fc.boolean(), isAbstained: fc.boolean() });
  const decided = flags.map(
    ({ isRight, isAbstained }): DecidedAnswer => ({
      isRight,
      isAbstained: isAbstained && !isRight,
      by: 'rule',
    }),
  );
  const result = fc.record({
    id: fc.constant('x'),
    kind: fc.constant('recall' as const),
    answers: fc.record({
      none: decided,
      oracle: decided,
      full: decided,
      compacted: decided,
      tail: decided,
    }),
    isLeft: fc.boolean(),
  });

  it('splits the whole loss', () => {
    fc.assert(
      fc.property(fc.array(result, { minLength: 1 }), (results) => {
        const { accuracy, loss } = accountProbes(results);
        const parts = loss.lost! + loss.ignored! + loss.confabulated! - loss.gained!;
        expect(parts).toBeCloseTo(accuracy.full! - accuracy.compacted!, 10);
      }),
    );
  });

  it('knows nothing of no questions', () => {
    expect(accountProbes([])).toMatchObject({ questions: 0, retention: null, summaryValue: null });
  });

  it('has half of what was told', () => {
    const accuracy = { none: 0.1, full: 0.9, compacted: 0.5 };
    expect(normalisedRetention(accuracy)).toBeCloseTo(0.5, 10);
  });

  it.each([
    ['too little was told', { none: 0.5, full: 0.69, compacted: 0.6 }],
    ['one is unknown', { none: 0, full: null, compacted: 0 }],
  ])('has no retention where %s', (_, accuracy) => {
    expect(normalisedRetention(accuracy)).toBeNull();
  });
});

describe('a judge', () => {
  it.each([
    [
      '{"recalled": true, "accurate": false}',
      { recalled: true, accurate: false, isReadable: true },
    ],
    ['Yes, it is right.', { recalled: false, accurate: false, isReadable: false }],
    ['{"recalled": true}', { recalled: false, accurate: false, isReadable: false }],
  ])('that says %s', (text, judgement) => {
    expect(readJudgement(text)).toEqual(judgement);
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
