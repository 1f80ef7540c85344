import { basename, extname } from 'node:path';
import { badOption } from '../simulator/lib/errors.ts';
import { quotedLong } from '../simulator/lib/names.ts';
import type { Catalog } from '../simulator/provider/catalog.ts';
import type { Place } from '../simulator/scenario/file/amounts.ts';
import { readScenario } from '../simulator/scenario/file/read-scenario.ts';
import type { Expectation, Scenario, ScenarioRun } from '../simulator/scenario/scenario.ts';
import { loadSessions } from '../simulator/session/load.ts';
import { DEFAULT_MODEL, DEFAULT_SUMMARIZER } from './plan/options.ts';
import { usualModelIn } from './plan/defaults.ts';

const SCENARIO_FILE = /\.ya?ml$/i;

/** Recorded sessions have no lines of which somebody expects something. */
const START: Place = { line: 1, column: 1 };

const COMPLETED: Expectation = {
  state: { value: ['completed'], at: START },
  metrics: [],
  events: [],
  eventsInOrder: [],
  invariants: [],
  violates: [],
  sees: [],
  misses: [],
  summarizerSees: [],
  summarizerMisses: [],
};

/** Returns true if a file's name is that of a scenario. */
export function isScenarioFile(name: string): boolean {
  return SCENARIO_FILE.test(name);
}

/** The name of the scenario that a file holds. */
export function scenarioNameOf(file: string): string {
  return basename(file, extname(file));
}

/** The scenario of a file; recorded sessions are one as they are, which any compaction should complete. */
export function readChecked(path: string, modelOf: (path: string) => string): Scenario {
  const sessions = isScenarioFile(path) ? [] : sessionsIn(path);
  if (sessions.length === 0) return readScenario(path);
  const runs = sessions.map((name, index) =>
    toRun(name, { model: modelOf(path), name: sessions.length === 1 ? 'main' : `#${index}` }),
  );
  return { file: path, name: scenarioNameOf(path), why: '', sources: [], runs };
}

/** Throws where a file is none that says which policies it is about. */
export function checkIsScenario(path: string): void {
  if (isScenarioFile(path) || sessionsIn(path).length === 0) return;
  throw badOption(
    `Expected '--adapter' to check a recorded session, got ${quotedLong(path)} alone: only scenario files say what they expect of presets.`,
  );
}

/** The model that a file was recorded with; another one where the catalog does not have it. */
export function recordedModelOf(path: string, catalog: Catalog): string {
  return usualModelIn(path, catalog) ?? DEFAULT_MODEL;
}

/** The names of the sessions in a file, but for those of sub-agents. */
function sessionsIn(path: string): readonly string[] {
  return [...loadSessions([path])].flatMap((loaded) =>
    loaded.state === 'read' && !loaded.session.isSide ? [loaded.session.name] : [],
  );
}

function toRun(path: string, { name, model }: { name: string; model: string }): ScenarioRun {
  return {
    name,
    at: START,
    session: { type: 'file', path: { value: path, at: START } },
    model: { value: { id: model }, at: START },
    policy: { preset: 'none', set: {} },
    summarizer: { value: DEFAULT_SUMMARIZER, at: START },
    seed: 1,
    faults: [],
    expect: COMPLETED,
  };
}
