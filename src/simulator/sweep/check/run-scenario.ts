import type { RunEvent } from '../../events.ts';
import { prepareBounds } from '../../metrics/bound/find-bounds.ts';
import { UNKNOWN_METRICS } from '../../metrics/metrics.ts';
import { endingOf, recordRun, type RunKey } from '../../metrics/record.ts';
import type { Catalog } from '../../provider/catalog.ts';
import type { CountText } from '../../replay/count.ts';
import type { Scenario, ScenarioRun } from '../../scenario/file/scenario.ts';
import { type Tier, tierOf, TIERS } from '../../scenario/tier.ts';
import type { AnySummarizer } from '../../summarizer/summarizer.ts';
import type { Prepared } from '../run/prepare-runs.ts';
import { evaluate } from './evaluate.ts';
import { observe } from './observe.ts';
import { createPrepare } from './prepare.ts';
import { type ResolvedRun, resolveRun } from './resolve-run.ts';
import type { MadeWith, ScenarioResult, ScenarioRunResult } from '../../report/check/result.ts';

/** What scenarios share: the models that they name, and what counts tokens. */
export interface CheckEnvironment {
  readonly catalog: Catalog;
  /** What counts the texts of a model's sessions; scenarios of the same models are to share it. */
  readonly countOf: (modelId: string) => Promise<CountText>;
  /** What answers under a name; those that need no model where absent. */
  readonly findSummarizer?: (name: string) => AnySummarizer;
  /** Runs of other tiers are left out; all are made where absent. */
  readonly tiers?: readonly Tier[];
}

/**
 * Runs a scenario and holds every run against what its file expects. Throws `HarnessError` at a name or
 * a file that it needs and nothing has; a run that breaks off is a result like any other.
 */
export async function runScenario(
  { file, name, runs }: Scenario,
  { catalog, countOf, findSummarizer, tiers = TIERS }: CheckEnvironment,
): Promise<ScenarioResult> {
  const isAsked = ({ summarizer }: ScenarioRun) => tiers.includes(tierOf(summarizer.value));
  const leftOut = runs.filter((run) => !isAsked(run)).map((run) => run.name);
  const resolved = runs
    .filter(isAsked)
    .map((run) => resolveRun(run, file, { catalog, findSummarizer }));
  const prepare = createPrepare();
  const results: ScenarioRunResult[] = [];
  for (const run of resolved) {
    const count = await countOf(run.options.model.id);
    results.push(await checkRun(run, prepare(run, count)));
  }
  return {
    file,
    name,
    runs: results,
    ...(leftOut.length > 0 && { leftOut }),
    passed: results.every(({ failures }) => failures.length === 0),
  };
}

async function checkRun(resolved: ResolvedRun, prepared: Prepared): Promise<ScenarioRunResult> {
  if (prepared.state === 'failed') return breakOff(resolved, prepared.reason);
  const observation = await observe(prepared.trace, resolved.options);
  const { events, broken } = observation;
  if (broken !== undefined) return breakOff(resolved, broken, events);
  const record = recordRun(keyOf(resolved), events, {
    control: prepared.control,
    runBounds: prepareBounds(prepared.trace, resolved.options),
  });
  const ending = endingOf(record);
  const failures = evaluate(resolved.run.expect, ending, observation);
  return { ...nameOf(resolved), ...ending, failures, events, made: madeWith(resolved) };
}

/** Nothing else is said of a run that has no end. */
function breakOff(
  resolved: ResolvedRun,
  reason: string,
  events: readonly RunEvent[] = [],
): ScenarioRunResult {
  const { at } = resolved.run.expect.state;
  return {
    ...nameOf(resolved),
    state: 'failed',
    reason,
    failures: [{ ...at, expected: 'a run that ends', got: reason }],
    metrics: UNKNOWN_METRICS,
    events,
    made: madeWith(resolved),
  };
}

function madeWith(resolved: ResolvedRun): MadeWith {
  return { ...keyOf(resolved), resolvedPolicy: resolved.options.policy };
}

function nameOf({ run }: ResolvedRun): Pick<ScenarioRunResult, 'name' | 'at' | 'policy'> {
  return { name: run.name, at: run.at, policy: run.policy.preset };
}

function keyOf({ session, options }: ResolvedRun): RunKey {
  const { policy, model, summarizer, seed } = options;
  return {
    session: session.name,
    policy: policy.name,
    model: model.id,
    summarizer: summarizer.name,
    seed,
  };
}
