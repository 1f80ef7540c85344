import { fc } from '@fast-check/vitest';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  accountProbes,
  type DecidedAnswer,
  falseRecallRate,
  normalisedRetention,
  type ProbeResult,
} from '../../../../src/simulator/metrics/probes/accounts.ts';
import { agreementOf, cohenKappa } from '../../../../src/simulator/metrics/probes/agreement.ts';
import { askProbes } from '../../../../src/simulator/metrics/probes/ask-probes.ts';
import { createGrepReader } from '../../../../src/simulator/metrics/probes/grep-reader.ts';
import { judgePrompt, readJudgement } from '../../../../src/simulator/metrics/probes/judge.ts';
import { labelledAnswers } from '../../../../src/simulator/metrics/probes/labelled-answers.ts';
import {
  type Probe,
  PROBE_KINDS,
  type Reader,
} from '../../../../src/simulator/metrics/probes/probe.ts';
import { scoreAnswer } from '../../../../src/simulator/metrics/probes/score-answer.ts';
import { buildProbes } from '../../../../src/simulator/metrics/probes/templates.ts';
import { viewText } from '../../../../src/simulator/metrics/quality/view-text.ts';
import { calibrateJudge } from '../../../../src/simulator/sweep/summarizers/calibrate-judge.ts';
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

const saying = (text: string): Reader => ({ name: 'fixed', answer: async () => text });
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
      results.push(...(await askProbes(probes, { reader: createGrepReader(probes), contexts })));
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
    const [judged] = await askProbes([recall], { ...options, judge });
    const [unjudged] = await askProbes([recall], options);
    expect(judged?.answers.full).toEqual({ isRight: true, isAbstained: false, by: 'judge' });
    expect(unjudged?.answers.full).toEqual({ isRight: false, isAbstained: false, by: 'rule' });
  });

  it('asks one question a prompt', async () => {
    const asked: string[] = [];
    const reader: Reader = {
      name: 'noting',
      answer: async ({ question }) => {
        asked.push(question);
        return 'UNKNOWN';
      },
    };
    await askProbes([recall], { reader, contexts });
    expect(asked).toEqual(Array.from({ length: 5 }, () => recall.question));
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

  it('is measured against labels, and against itself', async () => {
    const byQuestion = new Map(
      labelledAnswers.map((one) => [judgePrompt(one, 0).question, one] as const),
    );
    const knowing: Reader = {
      name: 'knowing',
      answer: async ({ question }) => {
        const { recalled, accurate } = byQuestion.get(question)!;
        return JSON.stringify({ recalled, accurate });
      },
    };
    expect(await calibrateJudge(knowing)).toMatchObject({ kappa: 1, selfAgreement: 1 });
    const lenient: Reader = {
      name: 'lenient',
      answer: async () => '{"recalled": true, "accurate": true}',
    };
    expect(await calibrateJudge(lenient)).toMatchObject({ labels: 40, kappa: 0, unreadable: 0 });
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
