import { describe, expect, it } from 'vitest';
import { policies, resolvePolicy } from '../../../../src/engine/index.ts';
import { createProfile } from '../../../../src/simulator/provider/model-profile.ts';
import { benchOf } from '../../../../src/simulator/sweep/summarizers/run-arms.ts';
import type { TrialContext } from '../../../../src/simulator/sweep/summarizers/run-trial.ts';

const TOKENIZER = 'o200k_base';
const MODEL = createProfile('lab/model', { contextTokens: 200_000, outputTokens: 8_000 });
const LARGER = createProfile('lab/model', { contextTokens: 400_000, outputTokens: 8_000 });

const byPolicy: TrialContext = {
  policy: resolvePolicy(policies['opencode-1.18']),
  model: MODEL,
  seed: 1,
  pivots: 2,
};
const atPlaces: TrialContext = { ...byPolicy, compactAt: [0.5, 1] };

/** Which conditions two benches do not share. */
function differences(one: TrialContext, other: TrialContext, tokenizer = TOKENIZER) {
  const [own, changed] = [benchOf(one, TOKENIZER), benchOf(other, tokenizer)];
  const values = new Map(Object.entries(changed.conditions));
  const names = Object.entries(own.conditions).flatMap(([name, value]) =>
    value === values.get(name) ? [] : [name],
  );
  expect(own.hash === changed.hash).toBe(names.length === 0);
  return names;
}

describe('benchOf', () => {
  it.each<[name: string, one: TrialContext, change: Partial<TrialContext>, differ: string[]]>([
    ['nothing', byPolicy, {}, []],
    ['the policy', byPolicy, { policy: resolvePolicy(policies['opencode-1.2.16']) }, ['policy']],
    ['limits, by which the policy decides', byPolicy, { model: LARGER }, ['model']],
    ['limits where the places are given', atPlaces, { model: LARGER }, []],
    ['the number of pivots', byPolicy, { pivots: 3 }, ['pivots']],
    ['the places', atPlaces, { compactAt: [0.4, 1] }, ['places']],
    ['the seed', byPolicy, { seed: 2 }, ['seed']],
  ])('tells %s', (_, one, change, differ) => {
    expect(differences(one, { ...one, ...change })).toEqual(differ);
  });

  it('tells the tokenizer, and not the instruction, which is that of an arm', () => {
    const { policy } = byPolicy;
    const other = resolvePolicy(policy, { summary: { instruction: 'pi' } });
    expect(differences(byPolicy, byPolicy, 'cl100k_base')).toEqual(['tokenizer']);
    expect(differences(byPolicy, { ...byPolicy, policy: other })).toEqual([]);
  });
});
