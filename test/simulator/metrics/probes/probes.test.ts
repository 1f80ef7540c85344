import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  accountProbes,
  askProbes,
  type DecidedAnswer,
  falseRecallRate,
  isSampled,
  normalisedRetention,
  type ProbeResult,
} from '../../../../src/simulator/metrics/probes/ask-probes.ts';
import {
  createGrepReader,
  PROBE_KINDS,
  type Reader,
  type ReaderPrompt,
} from '../../../../src/simulator/metrics/probes/probe.ts';
import { buildProbes } from '../../../../src/simulator/metrics/probes/templates.ts';
import { viewText } from '../../../../src/simulator/metrics/quality/view-text.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { shippedScenarios } from '../../../../src/simulator/sweep/summarizers/inputs.ts';
import { longer, recall, shorter, stale } from './questions.ts';
import { answered, failing, saying } from './readers.ts';

const fact = (id: string, value: string, step = 1): PlantedFact => ({
  id,
  kind: 'symbol',
  subject: 'the ledger',
  value,
  criticality: 'should',
  polarity: 'do',
  source: 'user',
  step,
  posPct: 0,
  neededAt: [],
});
const questionsOf = (facts: readonly PlantedFact[]) =>
  buildProbes({ facts, atStep: 2, text: 'the ledger: sumRows, addRow' }).map(({ id }) => id);

describe('buildProbes', () => {
  it.each([
    ['asks nothing that has two answers', [fact('a', 'sumRows'), fact('b', 'addRow')], []],
    ['asks once what is said twice', [fact('a', 'addRow'), fact('b', 'addRow')], ['recall b']],
    ['asks once what nobody said', [fact('a', 'x', 5), fact('b', 'y', 6)], ['abstention a']],
  ])('%s', (_, facts, ids) => {
    expect(questionsOf(facts)).toEqual(ids);
  });
});

describe('the evidence of a question', () => {
  it.each([
    ['is the sentence', 'It rains. The ledger is sumRows. Go on.', 'The ledger is sumRows.'],
    ['is in Chinese, too', '天晴。the ledger 是 sumRows。继续。', 'the ledger 是 sumRows。'],
    [
      'is the line where the subject is in another sentence',
      'See the ledger. It is sumRows.',
      'See the ledger. It is sumRows.',
    ],
    [
      'is the newest that names the subject',
      'the ledger: sumRows.\nNow the ledger has sumRows! Use sumRows.',
      'Now the ledger has sumRows!',
    ],
    [
      'is the newest of any where none names it',
      'Old sumRows.\nTake sumRows. Or not.',
      'Take sumRows.',
    ],
  ])('%s', (_, text, evidence) => {
    expect(buildProbes({ facts: [fact('a', 'sumRows')], atStep: 2, text })[0]?.evidence).toBe(
      evidence,
    );
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

describe('a search for what holds', () => {
  it.each([
    ['finds it where what held before is a part of it', longer, 'It is lantern cache.', true],
    ['finds nothing where it is a part of what held before', shorter, 'npm test -- --watch', false],
  ])('%s', async (_, probe, compacted, isFound) => {
    const contexts = { full: compacted, compacted, tail: '' };
    const { results } = await askProbes([probe], { reader: createGrepReader([probe]), contexts });
    expect(results[0]).toMatchObject({
      isLeft: isFound,
      answers: { compacted: { isRight: isFound } },
    });
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
    [2, 3, 5],
    [4, 5, 5],
    [1, 3, 10],
    [5, 7, 10],
  ])('has a retention from 20 points on: %i and %i of %i', (none, full, of) => {
    const accuracy = { none: none / of, full: full / of, compacted: full / of };
    expect(normalisedRetention(accuracy)).toBe(1);
  });

  it.each([
    ['too little was told', { none: 0.5, full: 0.69, compacted: 0.6 }],
    ['one is unknown', { none: 0, full: null, compacted: 0 }],
  ])('has no retention where %s', (_, accuracy) => {
    expect(normalisedRetention(accuracy)).toBeNull();
  });
});
