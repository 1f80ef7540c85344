import { describe, expect, it } from 'vitest';
import { policies, type PolicyName, resolvePolicy } from '../../../../src/engine/index.ts';
import { createProfile } from '../../../../src/simulator/provider/model-profile.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload } from '../../../../src/simulator/scenario/workload/workload.ts';
import type { AnySummarizer } from '../../../../src/simulator/summarizer/summarizer.ts';
import { prepareScenario } from '../../../../src/simulator/sweep/summarizers/inputs.ts';
import {
  benchOf,
  runTrial,
  type TrialContext,
} from '../../../../src/simulator/sweep/summarizers/run-arms.ts';

const MODEL = createProfile('lab/model', { contextTokens: 200_000, outputTokens: 8_000 });
/** So many facts that some stand wherever a session is cut. */
const WORKLOAD = { ...findWorkload('opencode'), planting: { factsPerKilotoken: 3 } };
const scenario = prepareScenario(generateSession(WORKLOAD, { seed: 7, index: 1 }), {
  count: (text) => Math.ceil(text.length / 4),
  tokenizer: 'characters by four',
  tokenizerEvidence: 'estimated',
});

/** It keeps nothing of what it is given. */
const FORGETFUL: AnySummarizer = {
  name: 'forgetful',
  summarise: () => ({ state: 'finished', text: 'Work was done.', finish: 'stop' }),
};

function trialUnder(policy: PolicyName, summarizer: AnySummarizer) {
  return runTrial(
    scenario,
    { summarizer, prompt: { name: 'own', hash: 'own' } },
    {
      policy: resolvePolicy(policies[policy]),
      model: MODEL,
      seed: 1,
      repeat: 1,
      pivots: 1,
      compactAt: [0.5],
    },
  );
}

async function pivotUnder(policy: PolicyName, summarizer = FORGETFUL) {
  const { pivots } = await trialUnder(policy, summarizer);
  return pivots[0]!;
}

describe('the score of a pivot', () => {
  it('is that of the summary alone, whatever the tail still says', async () => {
    const { kinds, strings, stringsKept, ...sizes } = await pivotUnder('opencode-1.18');
    const kept = Object.values(kinds).map((counts) => counts.kept ?? 0);
    expect(kept.length).toBeGreaterThan(0);
    expect(new Set(kept)).toEqual(new Set([0]));
    expect(strings).toBeGreaterThan(0);
    expect(stringsKept).toBe(0);
    expect(sizes.viewTokens).toBeGreaterThan(sizes.summaryTokens);
  });

  it('counts the facts that a summary keeps, by kind', async () => {
    const fact = scenario.facts.find(({ kind, step }) => kind === 'id' && step < 5)!;
    const telling: AnySummarizer = {
      name: 'telling',
      summarise: () => ({
        state: 'finished',
        text: `${fact.subject}: ${fact.value}`,
        finish: 'stop',
      }),
    };
    const { kinds } = await pivotUnder('opencode-1.2.16', telling);
    expect(kinds.id?.kept).toBe(1);
  });
});

describe('a pivot without a summary', () => {
  it.each([
    ['nobody answered', 503, true],
    ['the request was refused', 400, undefined],
  ])('says whether it may be otherwise another time: %s', async (_, statusCode, isUnanswered) => {
    const failing: AnySummarizer = {
      name: 'failing',
      summarise: () => ({
        state: 'failed',
        reason: 'refused',
        isOverflow: false,
        error: { message: 'refused', statusCode },
      }),
    };
    const { missing } = await trialUnder('opencode-1.18', failing);
    expect(missing).toMatchObject({ pivot: 1, state: 'failed' });
    expect(missing?.isUnanswered).toBe(isUnanswered);
  });
});

const TOKENIZER = 'o200k_base';
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
