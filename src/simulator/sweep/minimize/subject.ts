/** What sessions are shrunk for: a policy, or somebody's own compaction in its place. */

import { laws } from '../../../engine/index.ts';
import { prepareBounds, type RunBounds } from '../../metrics/bound/find-bounds.ts';
import { listLaws } from '../../replay/foreign/laws.ts';
import type { AsyncRunOptions } from '../../replay/run-trace.ts';
import type { Trace } from '../../replay/trace.ts';
import type { ScenarioResult } from '../../report/check/result.ts';
import type { Scenario } from '../../scenario/file/scenario.ts';
import type { OpenCompactor } from '../adapter/command-compactor.ts';
import type { CheckedLaws } from '../adapter/result.ts';
import { observeAdapter, runOnAdapter } from '../adapter/run-scenario.ts';
import { type Observation, observe } from '../check/observe.ts';
import { type CheckEnvironment, runScenario } from '../check/run-scenario.ts';

/** How a subject runs, and what it is held against. */
export interface Subject {
  /** The laws that its runs are held against. */
  readonly laws: CheckedLaws;
  /** Whether a scenario file names it, and can say what is expected of it. */
  readonly isInFile: boolean;
  /** Replays a trace until the run ends or breaks off. */
  observe(trace: Trace, options: AsyncRunOptions): Promise<Pick<Observation, 'events' | 'broken'>>;
  /** The runs that know the future; absent where nobody can prune in its place. */
  prepareBounds(trace: Trace, options: AsyncRunOptions): RunBounds | undefined;
  /** All that a check of a file tells. */
  check(scenario: Scenario, environment: CheckEnvironment): Promise<ScenarioResult>;
}

/** The policy that a run names. */
export const policySubject: Subject = {
  laws,
  isInFile: true,
  observe,
  prepareBounds: (trace, options) => prepareBounds(trace, options),
  check: runScenario,
};

/** Somebody's own compaction, opened for each run; a wish to stop ends those of the search, but not the last check. */
export function adapterSubject(
  open: (signal?: AbortSignal) => OpenCompactor,
  signal?: AbortSignal,
): Subject {
  return {
    laws: listLaws,
    isInFile: false,
    observe: (trace, options) => observeAdapter(trace, options, () => open(signal)),
    prepareBounds: () => undefined,
    check: (scenario, environment) => runOnAdapter(scenario, environment, () => open()),
  };
}
