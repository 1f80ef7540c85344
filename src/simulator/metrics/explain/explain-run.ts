import type { Policy } from '../../../engine/index.ts';
import { createEnv } from '../../env.ts';
import type { ModelProfile } from '../../provider/model-profile.ts';
import { driveSync } from '../../replay/drive.ts';
import { simulate } from '../../replay/simulate.ts';
import type { Trace } from '../../replay/trace.ts';
import type { Summarizer } from '../../summarizer/summarizer.ts';
import { createStoryTeller, type RunStory } from './story.ts';

/** What an explained run is made of, besides its trace. */
export interface ExplainOptions {
  readonly policy: Policy;
  readonly model: ModelProfile;
  /** The model that writes summaries, where it is another one. */
  readonly summaryModel?: ModelProfile | undefined;
  readonly summarizer: Summarizer;
  readonly seed: number;
}

/** Replays a trace and tells what was decided at each step, and why. */
export function explainRun(trace: Trace, options: ExplainOptions): RunStory {
  const { policy, model, summaryModel, summarizer, seed } = options;
  const env = createEnv(seed);
  const teller = createStoryTeller(policy);
  const simulation = simulate(trace, {
    policy,
    model: model.id,
    limits: model.limits,
    summaryWindowTokens:
      summaryModel && (summaryModel.limits.inputTokens || summaryModel.limits.contextTokens),
    summarizer: summarizer.name,
    seed,
    env,
    onTransition: teller.onTransition,
  });
  const tools = { countTokens: trace.count, random: env.random };
  for (const event of driveSync(simulation, summarizer, tools)) teller.onEvent(event);
  return teller.tell();
}
