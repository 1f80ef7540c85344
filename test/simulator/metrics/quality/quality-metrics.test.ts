import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/simulator/env.ts';
import { decayOf, lossesOf } from '../../../../src/simulator/metrics/quality/quality-metrics.ts';
import {
  type QualityScore,
  scoreText,
} from '../../../../src/simulator/metrics/quality/score-text.ts';
import { wilsonInterval } from '../../../../src/simulator/metrics/statistics/interval.ts';
import { FACT_KINDS, type PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { planted } from '../../../support/facts.ts';
import { LANGUAGES, lineOf, summaryOf } from './oracle.ts';

const SUBJECTS = ['copper', 'silver', 'golden', 'leaden', 'wooden', 'marble', 'velvet', 'paper'];

/** Facts of one kind that no text has by chance. */
function factsOf(count: number, overrides: Partial<PlantedFact> = {}): readonly PlantedFact[] {
  return Array.from({ length: count }, (_, index) =>
    planted({
      id: `fact-${index + 1}`,
      subject: `the ${SUBJECTS[index % SUBJECTS.length]} ledger number ${100 + index}`,
      value: `cfg-${(7_919 * (index + 11)).toString(36)}x${index}q`,
      criticality: 'should',
      posPct: index,
      ...overrides,
    }),
  );
}

const scoreOf = (facts: readonly PlantedFact[], kept: readonly PlantedFact[]): QualityScore =>
  scoreText({ text: summaryOf(kept.map((fact) => lineOf(fact, 'english'))), facts });

/** Scores of a summary that is made again and again from the one before. */
function repeat(
  facts: readonly PlantedFact[],
  rate: number,
  seed: number,
): readonly QualityScore[] {
  const random = createRandom(seed);
  let kept = facts;
  return Array.from({ length: 5 }, () => {
    kept = kept.filter(() => random() < rate);
    return scoreOf(facts, kept);
  });
}

const round = (value: number | null) => value && Math.round(value * 100) / 100;

describe('retention over repeated pivots', () => {
  it('falls by the rate at which facts are kept', () => {
    const scores = repeat(factsOf(300), 0.7, 1);
    const { rho, halfLife, retention } = decayOf(scores.map(({ retained }) => retained.share));
    expect(retention).toHaveLength(5);
    expect(rho).toBeGreaterThan(0.63);
    expect(rho).toBeLessThan(0.77);
    expect(halfLife).toBeCloseTo(Math.log(0.5) / Math.log(rho!));
  });

  it.each<[name: string, rates: readonly number[], rho: number | null, halfLife: number | null]>([
    ['that stays has no half-life', [0.5, 0.5, 0.5], 1, null],
    ['that halves has one of a pivot', [0.8, 0.4, 0.2], 0.5, 1],
    ['that is lost at once', [0.5, 0, 0], 0, 0],
    ['that was never there is unknown', [0, 0], null, null],
    ['of one pivot is unknown', [0.5], null, null],
  ])('%s', (_, rates, rho, halfLife) => {
    const decay = decayOf(rates);
    expect([round(decay.rho), round(decay.halfLife)]).toEqual([rho, halfLife]);
  });
});

describe('what facts are lost over pivots', () => {
  it('leaves out what was replaced, and does not bring back what was lost', () => {
    const [a, b, c, d] = factsOf(4) as [PlantedFact, PlantedFact, PlantedFact, PlantedFact];
    const e: PlantedFact = { ...d, id: 'fact-5', value: 'cfg-later99', supersedes: d.id, step: 2 };
    const first = scoreOf([a, b, c, d], [a, b, c, d]);
    const second = scoreOf([a, b, c, d, e], [a, b, e]);
    const third = scoreOf([a, b, c, d, e], [a, c, e]);
    expect(lossesOf([first, second, third])).toEqual([
      { atRisk: 5, lost: 0 },
      { atRisk: 4, lost: 1 },
      { atRisk: 2, lost: 1 },
    ]);
  });

  it('is nothing where there is nothing', () => {
    expect(lossesOf([])).toEqual([]);
  });
});

describe('a summarizer that keeps facts of a kind at a known rate', () => {
  const facts = FACT_KINDS.filter((kind) => kind !== 'todo').flatMap((kind, index) =>
    factsOf(20, { kind, polarity: kind === 'rejected' ? 'dont' : 'do' }).map((fact) => ({
      ...fact,
      id: `${kind}-${fact.id}`,
      subject: `${fact.subject} of the ${kind}`,
      value: `${fact.value}${String.fromCharCode(97 + index)}`,
    })),
  );

  it.each(LANGUAGES)(
    'is estimated within its interval as often as it should be, in %s',
    (language) => {
      const random = createRandom(7);
      let covered = 0;
      let intervals = 0;
      for (let trial = 0; trial < 25; trial++) {
        const rates = new Map(FACT_KINDS.map((kind) => [kind, 0.1 + 0.8 * random()]));
        const kept = facts.filter(({ kind }) => random() < rates.get(kind)!);
        const text = summaryOf(kept.map((fact) => lineOf(fact, language)));
        const { groups } = scoreText({ text, facts });
        for (const [kind, rate] of rates) {
          const own = groups.kind[kind];
          if (own === undefined) continue;
          const { low, high } = wilsonInterval({ hits: own.kept, of: own.facts });
          covered += low <= rate && rate <= high ? 1 : 0;
          intervals += 1;
        }
      }
      const { low, high } = wilsonInterval({ hits: covered, of: intervals }, 0.999);
      expect(intervals).toBe(25 * 13);
      expect([low < 0.955, high > 0.95]).toEqual([true, true]);
    },
  );
});
