import { HarnessError } from '../../../../src/simulator/lib/errors.ts';
import { parseScenario } from '../../../../src/simulator/scenario/file/read-scenario.ts';
import type { Scenario, ScenarioRun } from '../../../../src/simulator/scenario/scenario.ts';

/** The keys of a scenario that is nothing special, each on one line. */
const SAMPLE = {
  why: 'Nothing goes wrong here.',
  source: 'owner/repo#1',
  session: '{ script: [user: 10, step: 20, step: 30] }',
  model: 'openai/gpt-4o',
  policy: 'opencode-1.18',
  expect: '{}',
} as const;

/** The text of a scenario of which some keys are something else, or absent. */
export function sampleText(keys: Readonly<Record<string, string | undefined>> = {}): string {
  return Object.entries({ ...SAMPLE, ...keys })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}

/** The scenario of such a text. */
export function sampleScenario(keys: Readonly<Record<string, string>> = {}): Scenario {
  return parseScenario('folder/sample.yaml', sampleText(keys));
}

/** The first run of such a scenario. */
export function sampleRun(keys: Readonly<Record<string, string>> = {}): ScenarioRun {
  return runAt(sampleScenario(keys), 0);
}

/** One run of a scenario. */
export function runAt({ runs }: Scenario, index: number): ScenarioRun {
  const run = runs[index];
  if (run === undefined) throw new Error(`Expected a run ${index}, got ${runs.length} runs.`);
  return run;
}

/** The error that wrong input ends in. */
export function problemOf(read: () => unknown): HarnessError {
  try {
    read();
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error('Expected a problem, got none.');
}

/** Near names of tables that grow, but for the first. */
const GROWING = /; nearest: ([^,]+),(?!.*Expected)[^\n]*\./g;

/** What is wrong with a scenario with those keys, each as `line:column: sentence`. */
export function problemsOf(keys: Readonly<Record<string, string | undefined>>): string {
  const { message } = problemOf(() => parseScenario('a.yaml', sampleText(keys)));
  return message.replaceAll('a.yaml:', '').replaceAll(GROWING, '; nearest: $1, ….');
}

/** What is built for the first run of a scenario with that session. */
export function sampleSession(session: string) {
  const run = sampleRun({ session });
  if (run.session.type !== 'built') throw new Error('Expected a built session, got a file.');
  return { ...run.session, faults: run.faults };
}
