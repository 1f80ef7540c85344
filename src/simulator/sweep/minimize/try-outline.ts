import { parseScenario } from '../../scenario/file/read-scenario.ts';
import type { ScenarioRunResult } from '../../report/check/result.ts';
import { type CheckEnvironment, runScenario } from '../check/run-scenario.ts';
import type { Outline } from './outline.ts';
import { type ScenarioFrame, writeScenario } from './write-scenario.ts';

const FILE = 'minimal.yaml';

/** Runs an outline as the scenario file that it would become; nothing where it has no step. */
export async function tryOutline(
  outline: Outline,
  frame: ScenarioFrame,
  environment: CheckEnvironment,
): Promise<ScenarioRunResult | undefined> {
  if (outline.turns.every(({ steps }) => steps.length === 0)) return undefined;
  const { runs } = await runScenario(
    parseScenario(FILE, writeScenario(outline, frame)),
    environment,
  );
  return runs[0];
}
