import { expect, it } from 'vitest';
import { policies, resolvePolicy } from '../../../../src/engine/index.ts';
import { createProfile } from '../../../../src/simulator/provider/model-profile.ts';
import { findSummarizer } from '../../../../src/simulator/summarizer/summarizers.ts';
import {
  prepareScenario,
  shippedScenarios,
} from '../../../../src/simulator/sweep/summarizers/inputs.ts';
import { runTrial } from '../../../../src/simulator/sweep/summarizers/run-trial.ts';

const BENCH = {
  policy: resolvePolicy(policies['opencode-1.2.16']),
  model: createProfile('lab/model', { contextTokens: 200_000, outputTokens: 8_000 }),
  seed: 1,
  repeat: 1,
  pivots: 2,
  compactAt: [0.5, 1],
};
const scenarios = [...shippedScenarios()].map((session) =>
  prepareScenario(session, {
    count: (text) => Math.ceil(text.length / 4),
    tokenizer: 'characters by four',
    tokenizerEvidence: 'estimated',
  }),
);

it.each(['scripted:echo', 'lead', 'tail', 'random', 'textrank'])(
  'a summarizer that only copies makes nothing up: %s',
  async (name) => {
    const prompt = { name: 'own', hash: 'own' };
    for (const scenario of scenarios) {
      const { pivots } = await runTrial(
        scenario,
        { summarizer: findSummarizer(name), prompt },
        BENCH,
      );
      const rates = pivots.map(({ summary }) => summary.hallucinationRate);
      expect({ name: scenario.name, rates }).toEqual({ name: scenario.name, rates: [0, 0] });
    }
  },
);
