import { describe, expect, it } from 'vitest';
import { type CompileOptions } from '../../../../src/simulator/replay/compile.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import {
  prepareScenario,
  shippedScenarios,
} from '../../../../src/simulator/sweep/summarizers/inputs.ts';

const MOST_TURNS = 8;

describe('the scenarios that come with the package', () => {
  const sessions = [...shippedScenarios()];
  const turnsOf = ({ messages }: (typeof sessions)[number]) =>
    messages.filter(({ role }) => role === 'user').length;

  it('are small', () => {
    expect(sessions.filter((session) => turnsOf(session) > MOST_TURNS)).toEqual([]);
  });

  it('say what is to be kept of them', () => {
    expect(sessions.filter(({ facts = [] }) => facts.length === 0)).toEqual([]);
  });
});

describe('prepareScenario', () => {
  const options: CompileOptions = {
    count: (text) => Math.ceil(text.length / 4),
    tokenizer: 'characters by four',
    tokenizerEvidence: 'estimated',
  };
  const [session] = shippedScenarios();
  const [planted] = session!.facts!.filter(({ step }) => step > 2);
  const stated = { ...planted!, id: 'stated', step: 1, neededAt: [] } satisfies PlantedFact;

  it('dates the facts of a file by the step that says them, and leaves out what nobody says', () => {
    const { aliases: _, ...rest } = stated;
    const unsaid: PlantedFact = { ...rest, id: 'unsaid', value: 'nobody-says-this-77' };
    const { facts, factSource } = prepareScenario(session!, options, [stated, unsaid]);
    expect(facts.map(({ id }) => id)).toEqual(['stated']);
    expect(facts[0]!.step).toBeGreaterThan(1);
    expect(facts[0]!.step).toBeLessThanOrEqual(planted!.step);
    expect(factSource).toBe('stated');
  });

  it('has no facts where nobody says what is to be kept', () => {
    const { facts: _, ...bare } = session!;
    expect(prepareScenario(bare, options)).toMatchObject({ facts: [], factSource: 'none' });
  });
});
