import type { ScenarioRunResult } from '../../report/check/result.ts';
import type { Scenario } from '../../scenario/file/scenario.ts';
import { compileRun } from '../check/prepare.ts';
import { resolveRun } from '../check/resolve-run.ts';
import type { CheckEnvironment } from '../check/run-scenario.ts';
import type { Outline } from './outline.ts';
import { createToScenario } from './outline-scenario.ts';
import { runFor, type Wanted } from './run-for.ts';
import { isShown } from './target.ts';
import type { ScenarioFrame } from './write-scenario.ts';

/** Runs outlines as the scenario files that they would become. */
export interface Trial {
  /** Whether the run shows what is looked for; without a step nothing does. */
  shows(outline: Outline): Promise<boolean>;
  /** All that a check of the file tells. */
  check(outline: Outline): Promise<ScenarioRunResult>;
}

/** What an outline is tried as, and for what. */
export interface TrialOptions extends Wanted {
  readonly frame: ScenarioFrame;
  readonly environment: CheckEnvironment;
}

/** A trial of outlines. */
export function createTrial({ frame, environment, ...wanted }: TrialOptions): Trial {
  const toScenario = createToScenario(frame);
  return {
    shows: async (outline) =>
      hasSteps(outline) && (await showsIn(toScenario(outline), wanted, environment)),
    check: async (outline) =>
      onlyOne((await wanted.subject.check(toScenario(outline), environment)).runs),
  };
}

function hasSteps({ turns }: Outline): boolean {
  return turns.some(({ steps }) => steps.length > 0);
}

async function showsIn(
  { file, runs }: Scenario,
  wanted: Wanted,
  { catalog, countOf, findSummarizer }: CheckEnvironment,
): Promise<boolean> {
  const run = resolveRun(onlyOne(runs), file, { catalog, findSummarizer });
  const { options } = run;
  const trace = compileRun(run, await countOf(options.model.id));
  return isShown(wanted.target, await runFor(wanted, trace, options));
}

function onlyOne<Item>([only]: readonly Item[]): Item {
  if (only === undefined) throw new TypeError('Expected a scenario with a run.');
  return only;
}
