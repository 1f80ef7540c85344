import { describe, expect, it } from 'vitest';
import { type Message, policies, type Policy } from '../../../../src/engine/index.ts';
import { explainRun } from '../../../../src/simulator/metrics/explain/explain-run.ts';
import type { RunOptions } from '../../../../src/simulator/replay/run-trace.ts';
import { renderStep } from '../../../../src/simulator/report/explain/story.ts';
import { answer, ask, fixed, modelOf, roomy, traceOf } from '../../replay/lab.ts';

const ORIGIN = {
  version: '0',
  catalog: { source: 'shipped', hash: '0' },
  tokenizers: {},
  settings: {},
} as const;

/** A run told step by step. */
function tell(messages: readonly Message[], policy: Policy, options: Partial<RunOptions> = {}) {
  const story = explainRun(traceOf(messages), {
    policy,
    model: modelOf(),
    summarizer: fixed,
    seed: 1,
    ...options,
  });
  return { ...story, origin: ORIGIN };
}

/** What a step is told of in a section, without numbers of tokens. */
function sectionOf(story: ReturnType<typeof tell>, at: number, title: string): readonly string[] {
  const step = story.steps.find((one) => one.step === at);
  const text = step === undefined ? '' : renderStep(story, step, { colors: false });
  const [section = ''] = text.split(`${title}\n`)[1]?.split('\n\n') ?? [];
  return section.split('\n').map((line) => line.trim().replaceAll(/\d+,\d+/g, 'N'));
}

/** The provider takes less than the policy was told. */
const narrow = { model: modelOf({ trueContextTokens: 5_000 }), summaryModel: roomy };

describe('what is told of a step', () => {
  it('says how many messages were summarised: one', () => {
    const story = tell([ask('u1', 6_000), answer('s1', 10)], policies['opencode-1.18'], narrow);
    const told = sectionOf(story, 1, 'Before the step');
    expect(told).toContainEqual(expect.stringMatching(/^summary of 1 message: /));
  });
});
