import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { HarnessError, unlessWrongInput } from '../simulator/lib/errors.ts';
import type { Catalog } from '../simulator/provider/catalog.ts';
import {
  type CheckedScenario,
  type CheckReport,
  type ScenarioResult,
  toCheckReport,
} from '../simulator/report/check-report.ts';
import type { Terminal, UnreadInput } from '../simulator/report/report.ts';
import { renderSawtooth } from '../simulator/report/sawtooth.ts';
import { readScenario } from '../simulator/scenario/file/read-scenario.ts';
import { type Tier, tierOf } from '../simulator/scenario/scenario.ts';
import { runOnAdapter } from '../simulator/sweep/adapter/run-scenario.ts';
import { mergeRepeat } from '../simulator/sweep/gate/case-record.ts';
import { type CheckEnvironment, runScenario } from '../simulator/sweep/gate/run-scenario.ts';
import { checkIsScenario, type CheckInputs, readChecked } from './check-inputs.ts';
import { withCounters } from './inputs.ts';
import { originOf } from './origin.ts';
import type { OpenAdapter } from './plan/adapter.ts';
import { usualModelIn } from './plan/defaults.ts';
import { DEFAULT_MODEL } from './plan/options.ts';
import { type CliIo, isStopped } from './process/io.ts';
import { inTurn } from './process/progress.ts';

interface CheckScenariosOptions {
  readonly catalog: Catalog;
  readonly tier: Pick<CheckEnvironment, 'findSummarizer' | 'tiers'>;
  /** Absent if the report has no charts. */
  readonly chartsFor: Terminal | undefined;
  /** Scenarios that fail or differ from a baseline until the rest is left alone. */
  readonly maxFailures?: number | undefined;
  readonly repeat: number;
  readonly adapter: OpenAdapter | undefined;
  /** Gets the hash of the scenario's file as well; says whether it is as before. */
  readonly onResult: (result: ScenarioResult, source: string) => boolean;
}

const HASH_LENGTH = 16;

/** Checks the scenario of every file; `undefined` if the user wanted to stop. */
export async function checkScenarios(
  inputs: CheckInputs,
  options: CheckScenariosOptions,
  io: CliIo,
): Promise<CheckReport | undefined> {
  const { catalog, chartsFor, maxFailures = Number.POSITIVE_INFINITY, onResult } = options;
  const scenarios: CheckedScenario[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  const models = new Set<string>();
  let failures = 0;
  const files = inputs.files.map((path) => ({ path, file: inputs.nameOf(path) }));
  return await withCounters(io, async (counters) => {
    const countOf = (id: string) => counters.of(id);
    const environment = { catalog, countOf, hasBills: true, ...options.tier };
    for (const { path, file } of inTurn(files, (one) => one.file, io)) {
      const result = await tryScenario(path, options, { environment, io });
      if (result instanceof HarnessError) unread.push({ file, reason: result.message });
      else {
        const isAsBefore = onResult(result, hashOf(path));
        if (!result.passed || !isAsBefore) failures++;
        if (result.runs.length > 0) scenarios.push({ ...toChecked(result, chartsFor), file });
        for (const { made } of result.runs) models.add(made.model);
      }
      if (failures >= maxFailures) break;
      if (await isStopped(io)) return undefined;
    }
    return toCheckReport({ origin: originOf(catalog, [...models], {}), scenarios, unread });
  });
}

/** The real models that runs of these tiers ask; unreadable files are told of later. */
export function modelsAskedBy(files: readonly string[], tiers: readonly Tier[]): readonly string[] {
  if (!tiers.includes('live')) return [];
  return files.flatMap((file) => {
    const scenario = unlessWrongInput(() => readScenario(file));
    const runs = scenario instanceof HarnessError ? [] : scenario.runs;
    return runs.map((run) => run.summarizer.value).filter((name) => tierOf(name) === 'live');
  });
}

async function tryScenario(
  path: string,
  { adapter, catalog, repeat }: CheckScenariosOptions,
  { environment, io }: { readonly environment: CheckEnvironment; readonly io: CliIo },
): Promise<ScenarioResult | HarnessError> {
  try {
    if (adapter === undefined) checkIsScenario(path);
    const scenario = readChecked(path, () => usualModelIn(path, catalog) ?? DEFAULT_MODEL);
    const run = () =>
      adapter === undefined
        ? runScenario(scenario, environment)
        : runOnAdapter(scenario, environment, () => adapter(io.signal));
    let result = await run();
    for (let made = 1; made < repeat; made++) result = mergeRepeat(result, await run());
    return result;
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
}

/** Line ends are not what a scenario is about. */
function hashOf(path: string): string {
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

function toChecked(
  { runs, ...rest }: ScenarioResult,
  chartsFor: Terminal | undefined,
): CheckedScenario {
  return {
    ...rest,
    runs: runs.map(({ events, made: { policy }, ...run }) => ({
      ...run,
      policy,
      ...(chartsFor && { chart: renderSawtooth(events, chartsFor) }),
    })),
  };
}
