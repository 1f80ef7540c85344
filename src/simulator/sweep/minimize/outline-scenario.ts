import { keepIn } from '../../keep-in.ts';
import { scenarioOf, valueOfYaml } from '../../scenario/file/read-scenario.ts';
import type { Scenario } from '../../scenario/file/scenario.ts';
import type { ScenarioFile } from '../../scenario/file/schema.ts';
import type { Outline } from './outline.ts';
import { calibrationOf, type ScenarioFrame, scriptLines, writeScenario } from './write-scenario.ts';

const FILE = 'minimal.yaml';
const NO_TURNS: Outline = { turns: [] };

/**
 * Makes of outlines the scenarios of the files that they would become. Most lines of one stand in the next, too: each
 * is parsed once, for parsing whole files takes longer than running them.
 */
export function createToScenario(frame: ScenarioFrame): (outline: Outline) => Scenario {
  const known = new Map<string, unknown>();
  const { session, ...rest } = valueOfYaml(writeScenario(NO_TURNS, frame)) as ScenarioFile;
  const itemOf = (line: string): unknown => keepIn(known, line, () => valueOfYaml(line));
  return (outline) => {
    const script = scriptLines(outline).map(itemOf);
    const calibration = outline.scale && calibrationOf(outline.scale);
    const scaled = { ...session, ...(calibration && { calibration }), script };
    return scenarioOf(FILE, { ...rest, session: scaled } as ScenarioFile);
  };
}
