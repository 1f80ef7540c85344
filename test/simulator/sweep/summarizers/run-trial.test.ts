import { describe, expect, it } from 'vitest';
import { policies, type PolicyName, resolvePolicy } from '../../../../src/engine/index.ts';
import { createProfile } from '../../../../src/simulator/provider/model-profile.ts';
import { generateSession } from '../../../../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload } from '../../../../src/simulator/scenario/workload/workload.ts';
import type { AnySummarizer } from '../../../../src/simulator/summarizer/summarizer.ts';
import { prepareScenario } from '../../../../src/simulator/sweep/summarizers/inputs.ts';
import { runTrial } from '../../../../src/simulator/sweep/summarizers/run-trial.ts';

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

describe('a pivot with a summary that keeps nothing', () => {
  it('leaves the facts that stand in the tail to the view alone', async () => {
    const { summary, view, summaryTokens, viewTokens } = await pivotUnder('opencode-1.18');
    expect(summary.retention).toBe(0);
    expect(view.retention).toBeGreaterThan(0);
    expect(viewTokens).toBeGreaterThan(summaryTokens);
  });

  it('leaves none where the policy keeps no tail', async () => {
    const { summary, view } = await pivotUnder('opencode-1.2.16');
    expect({ summary: summary.retention, view: view.retention }).toEqual({ summary: 0, view: 0 });
  });
});

describe('what a summary tells of files', () => {
  it('is held against what was done up to the pivot', async () => {
    const [first] = scenario.artifacts.filter(({ step }) => step > 0 && step < scenario.steps / 3);
    const last = scenario.artifacts.findLast(({ path }) => path !== first!.path)!;
    const telling = ({ path, operation }: typeof last): AnySummarizer => ({
      name: 'telling',
      summarise: () => ({ state: 'finished', text: `- ${path} (${operation})`, finish: 'stop' }),
    });
    const early = await pivotUnder('opencode-1.2.16', telling(first!));
    const late = await pivotUnder('opencode-1.2.16', telling(last));
    expect(last.step).toBeGreaterThan(scenario.steps * 0.6);
    expect(early.summary.artifactPrecision).toBe(1);
    expect(late.summary.artifactPrecision).toBe(0);
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
