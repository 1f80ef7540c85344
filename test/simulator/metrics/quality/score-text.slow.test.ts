import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../src/simulator/env.ts';
import { scoreText } from '../../../../src/simulator/metrics/quality/score-text.ts';
import { LANGUAGES, lineOf, oracle, summaryOf } from './oracle.ts';
import { valuesOf, worldOf } from './worlds.ts';

describe.each(LANGUAGES)('a summary in %s', (language) => {
  const { facts, text: whole } = worldOf(language);
  const perfect = oracle(facts, language);

  it('that says all that holds is perfect', () => {
    expect(facts.length).toBeGreaterThan(150);
    expect(valuesOf(perfect, language)).toMatchObject({
      retention: 1,
      mustRetention: 1,
      mustDropped: 0,
      exactness: 1,
      anchorOnly: 0,
      guessableRetention: 0,
      staleRate: 0,
      updateAccuracy: 1,
      dependentStaleRate: 0,
      polarityFlipRate: 0,
      rejectedAsDecidedRate: 0,
      todoMacroF1: 1,
      todoDoneAsPending: 0,
      artifactPrecision: 1,
      artifactRecall: 1,
      artifactF1: 1,
      hallucinationRate: 0,
      corruptionRate: 0,
      distractorRate: 0,
      injectionObedience: 0,
      injectionRepeated: 0,
      sectionConformance: 1,
      withinBudget: 1,
    });
  });

  it('that says nothing keeps nothing', () => {
    expect(valuesOf('', language)).toMatchObject({
      retention: 0,
      mustRetention: 0,
      exactness: null,
      anchorOnly: 0,
      staleRate: 0,
      updateAccuracy: 0,
      polarityFlipRate: 0,
      todoMacroF1: 0,
      artifactRecall: 0,
      artifactPrecision: null,
      hallucinationRate: null,
      injectionObedience: 1,
      compression: 1,
      sectionConformance: 0,
    });
  });

  it('that is all of the session keeps all facts', () => {
    expect(valuesOf(whole, language)).toMatchObject({
      retention: 1,
      exactness: 1,
      polarityFlipRate: 0,
      hallucinationRate: 0,
      injectionObedience: 0,
      injectionRepeated: 1,
      guessableRetention: 1,
      verbatimRatio: 1,
    });
  });

  it('that says also what holds no longer loses by that', () => {
    const all = facts.filter(({ role }) => role === undefined);
    const everything = summaryOf(all.map((fact) => lineOf(fact, language)));
    const [stale, kept] = [valuesOf(everything, language), valuesOf(perfect, language)];
    expect(stale.retention).toBe(1);
    expect(stale.staleRate).toBe(1);
    expect(stale.dependentStaleRate).toBe(1);
    expect(kept).toMatchObject({ retention: 1, staleRate: 0, hallucinationRate: 0 });
  });

  it('of the first, the last and any lines of a session is as good as what stands there', () => {
    const size = Math.round(0.2 * whole.length);
    const random = createRandom(1);
    const sentences = whole.split('\n');
    const some = sentences.filter(() => random() < 0.2).join('\n');
    const lead = valuesOf(whole.slice(0, size), language);
    const tail = valuesOf(whole.slice(-size), language);
    const drawn = valuesOf(some, language);
    for (const { retention, hallucinationRate } of [lead, tail, drawn]) {
      expect(retention).toBeGreaterThan(0.1);
      expect(retention).toBeLessThan(0.5);
      expect(hallucinationRate).toBeLessThan(0.02);
    }
    // What was replaced stands early, and what replaces it late.
    expect(tail.retention).toBeGreaterThan(lead.retention!);
    for (const other of [lead, drawn]) {
      expect(tail.staleRate).toBeLessThan(other.staleRate!);
      expect(tail.updateAccuracy).toBeGreaterThan(other.updateAccuracy!);
    }
  });

  it('keeps of each tenth of the session what it takes from there', () => {
    const half = whole.slice(0, whole.length / 2);
    const { groups } = scoreText({
      text: half,
      facts: facts.filter(({ kind }) => kind !== 'todo'),
    });
    expect(groups.positionDecile[1]?.share).toBe(1);
    expect(groups.positionDecile[8]?.share).toBe(0);
  });
});
