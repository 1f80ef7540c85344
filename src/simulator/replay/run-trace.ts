import type { Move, Policy } from '../../engine/index.ts';
import { createEnv } from '../env.ts';
import type { RunEvent } from '../events.ts';
import type { ModelProfile } from '../provider/model-profile.ts';
import type { Summarizer } from '../summarizer/summarizer.ts';
import { driveSync } from './drive.ts';
import { simulate } from './simulate.ts';
import type { Trace } from './trace.ts';

/** What one run is made of, besides its trace. */
export interface RunOptions {
  readonly policy: Policy;
  readonly model: ModelProfile;
  /** The model that writes summaries, where it is another one. */
  readonly summaryModel?: ModelProfile | undefined;
  readonly summarizer: Summarizer;
  readonly seed: number;
  /** Told of each of the engine's moves, for those who explain a run. */
  readonly onTransition?: ((move: Move) => void) | undefined;
}

/** The events of one run of a trace, in order. */
export function* runTrace(trace: Trace, options: RunOptions): Generator<RunEvent, void, void> {
  const { policy, model, summaryModel, summarizer, seed } = options;
  const env = createEnv(seed);
  const simulation = simulate(trace, {
    policy,
    model: model.id,
    limits: model.limits,
    summaryWindowTokens:
      summaryModel && (summaryModel.limits.inputTokens || summaryModel.limits.contextTokens),
    summarizer: summarizer.name,
    seed,
    env,
    ...(options.onTransition && { onTransition: options.onTransition }),
  });
  yield* driveSync(simulation, summarizer, { countTokens: trace.count, random: env.random });
}
