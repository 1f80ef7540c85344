import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HarnessError } from '../../simulator/errors.ts';
import type { Catalog } from '../../simulator/provider/catalog.ts';
import {
  type CheckedScenario,
  type CheckReport,
  toChecked,
  toCheckReport,
} from '../../simulator/report/check/check-report.ts';
import type { ScenarioResult } from '../../simulator/report/check/result.ts';
import type { Terminal, UnreadInput } from '../../simulator/report/report.ts';
import { readScenario } from '../../simulator/scenario/file/read-scenario.ts';
import type { Scenario } from '../../simulator/scenario/file/scenario.ts';
import { commandCompactor } from '../../simulator/sweep/adapter/command-compactor.ts';
import { runOnAdapter } from '../../simulator/sweep/adapter/run-scenario.ts';
import { type CheckEnvironment, runScenario } from '../../simulator/sweep/check/run-scenario.ts';
import { mergeRepeat } from '../../simulator/sweep/gate/repeat.ts';
import { originOf } from '../run/origin.ts';
import type { CheckInputs } from './inputs.ts';
import { withCounters } from '../options/counters.ts';
import type { CliIo } from '../process/io.ts';
import type { TierOptions } from '../options/tier.ts';
import { inTurn } from '../process/progress.ts';
import { isStopped } from '../process/is-stopped.ts';

/** How scenarios are checked. */
export interface CheckScenariosOptions {
  readonly catalog: Catalog;
  /** Which runs are made, and what answers in them. */
  readonly tier: TierOptions;
  /** What a saw-tooth of each run is drawn for; absent where the report has none. */
  readonly chartsFor?: Terminal | undefined;
  /** Scenarios that fail or differ from a baseline until the rest is left alone; without limit where absent. */
  readonly maxFailures?: number | undefined;
  /** How often each scenario is run; once where absent. */
  readonly repeat?: number | undefined;
  /** A command that stands in the place of the scenarios' policies. */
  readonly adapter?: string | undefined;
  /** Told of each scenario, with the hash of its file; says whether it is as before. */
  readonly onResult?: (result: ScenarioResult, source: string) => boolean;
}

type RunScenario = (scenario: Scenario) => Promise<ScenarioResult>;

/** A scenario that ran, and whether it passed and is as before. */
interface RanScenario {
  readonly checked: CheckedScenario;
  readonly models: readonly string[];
  readonly isGood: boolean;
}

const HASH_LENGTH = 16;

/** Checks the scenario of every file; `undefined` if the user wanted to stop. */
export async function checkScenarios(
  inputs: CheckInputs,
  options: CheckScenariosOptions,
  io: CliIo,
): Promise<CheckReport | undefined> {
  const { catalog, tier, adapter, maxFailures = Number.POSITIVE_INFINITY } = options;
  const scenarios: CheckedScenario[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  const models = new Set<string>();
  let failures = 0;
  const files = inputs.files.map((path) => ({ path, file: inputs.nameOf(path) }));
  return await withCounters(io, async (counters) => {
    const environment = { catalog, countOf: (id: string) => counters.of(id), ...tier };
    const run = runWith(adapter, environment, io);
    for (const place of inTurn(files, ({ file }) => file, io)) {
      const one = await checkOne(place, options, run);
      if (one instanceof HarnessError) unread.push({ file: place.file, reason: one.message });
      else if (one.checked.runs.length > 0) scenarios.push(one.checked);
      for (const model of modelsOf(one)) models.add(model);
      failures += countFailure(one);
      if (failures >= maxFailures) break;
      if (await isStopped(io)) return undefined;
    }
    return toCheckReport({ origin: originOf(catalog, [...models], {}), scenarios, unread });
  });
}

/** The presets that the files name, or the adapter in their place. */
function runWith(
  adapter: string | undefined,
  environment: CheckEnvironment,
  { signal }: CliIo,
): RunScenario {
  if (adapter === undefined) return (scenario) => runScenario(scenario, environment);
  const open = () => commandCompactor(adapter, { signal });
  return (scenario) => runOnAdapter(scenario, environment, open);
}

/** The same as often as it is to be run, with what was not the same. */
function repeated(run: RunScenario, times: number): RunScenario {
  return async (scenario) => {
    let result = await run(scenario);
    for (let made = 1; made < times; made++) result = mergeRepeat(result, await run(scenario));
    return result;
  };
}

function modelsOf(one: RanScenario | HarnessError): readonly string[] {
  return one instanceof HarnessError ? [] : one.models;
}

/** What could not be read is reported, and is no failure of a scenario. */
function countFailure(one: RanScenario | HarnessError): number {
  return one instanceof HarnessError || one.isGood ? 0 : 1;
}

async function checkOne(
  { path, file }: { readonly path: string; readonly file: string },
  { onResult, chartsFor, repeat = 1 }: CheckScenariosOptions,
  run: RunScenario,
): Promise<RanScenario | HarnessError> {
  const result = await tryScenario(path, repeated(run, repeat));
  if (result instanceof HarnessError) return result;
  const isAsBefore = onResult?.(result, hashOf(path)) ?? true;
  const checked = toChecked(result, { file, chartsFor });
  const models = result.runs.map(({ made }) => made.model);
  return { checked, models, isGood: checked.passed && isAsBefore };
}

/** Line ends are not what a scenario is about. */
function hashOf(path: string): string {
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

async function tryScenario(path: string, run: RunScenario) {
  try {
    return await run(readScenario(path));
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
}
