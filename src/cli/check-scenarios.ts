import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { HarnessError } from '../simulator/errors.ts';
import type { Catalog } from '../simulator/provider/catalog.ts';
import {
  type CheckedScenario,
  type CheckReport,
  toChecked,
  toCheckReport,
} from '../simulator/report/check/check-report.ts';
import type { ScenarioResult } from '../simulator/report/check/result.ts';
import type { UnreadInput } from '../simulator/report/report.ts';
import { readScenario } from '../simulator/scenario/file/read-scenario.ts';
import { type CheckEnvironment, runScenario } from '../simulator/sweep/check/run-scenario.ts';
import type { CheckInputs } from './check-inputs.ts';
import { openCounters } from './counters.ts';
import type { CliIo } from './io.ts';
import { createProgress } from './progress.ts';

/** How scenarios are checked. */
export interface CheckScenariosOptions {
  readonly catalog: Catalog;
  /** Whether the report has a saw-tooth of each run. */
  readonly hasCharts: boolean;
  /** Scenarios that fail until the rest is left alone; without limit where absent. */
  readonly maxFailures?: number | undefined;
  /** Told of each scenario that ran, with the hash of its file. */
  readonly onResult?: (result: ScenarioResult, source: string) => void;
}

/** Checks the scenario of every file; `undefined` if the user wanted to stop. */
export async function checkScenarios(
  inputs: CheckInputs,
  options: CheckScenariosOptions,
  io: CliIo,
): Promise<CheckReport | undefined> {
  const counters = openCounters(io);
  const { catalog, maxFailures = Number.POSITIVE_INFINITY } = options;
  const environment = { catalog, countOf: (id: string) => counters.of(id) };
  const { files } = inputs;
  const scenarios: CheckedScenario[] = [];
  const unread: UnreadInput[] = [...inputs.unread];
  const progress = createProgress(io);
  try {
    for (const [index, path] of files.entries()) {
      const file = inputs.nameOf(path);
      progress.start({ file, index, total: files.length });
      const checked = await checkOne({ path, file }, options, environment);
      if (checked instanceof HarnessError) unread.push({ file, reason: checked.message });
      else scenarios.push(checked);
      if (scenarios.filter(({ passed }) => !passed).length >= maxFailures) break;
      // A scenario blocks; a signal is heard only between two of them.
      await setImmediate();
      if (io.signal.aborted) return undefined;
    }
  } finally {
    progress.stop();
    counters.save();
  }
  return toCheckReport(scenarios, unread);
}

async function checkOne(
  { path, file }: { readonly path: string; readonly file: string },
  { onResult, hasCharts }: CheckScenariosOptions,
  environment: CheckEnvironment,
): Promise<CheckedScenario | HarnessError> {
  const result = await tryScenario(path, environment);
  if (result instanceof HarnessError) return result;
  onResult?.(result, hashOf(path));
  return toChecked(result, { file, hasCharts });
}

/** Line ends are not what a scenario is about. */
function hashOf(path: string): string {
  const text = readFileSync(path, 'utf8').replaceAll('\r\n', '\n');
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

const HASH_LENGTH = 16;

async function tryScenario(path: string, environment: CheckEnvironment) {
  try {
    return await runScenario(readScenario(path), environment);
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
}
