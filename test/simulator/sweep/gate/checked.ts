import { HarnessError } from '../../../../src/simulator/lib/errors.ts';
import { readCatalog } from '../../../../src/simulator/provider/catalog.ts';
import type {
  ScenarioResult,
  ScenarioRunResult,
} from '../../../../src/simulator/report/check-report.ts';
import { parseScenario } from '../../../../src/simulator/scenario/file/read-scenario.ts';
import {
  type CheckEnvironment,
  runScenario,
} from '../../../../src/simulator/sweep/gate/run-scenario.ts';
import { createCounters } from '../../../../src/simulator/tokens/tokenizer.ts';
import { sampleText } from '../../scenario/file/sample-scenario.ts';

const counters = createCounters();

/** What all tests share. */
export const environment: CheckEnvironment = {
  catalog: readCatalog(),
  countOf: (model) => counters.of(model),
};

/** A session of ten steps that is compacted once: 16,000 tokens are usable, and each step adds some 2,000. */
const COMPACTED = {
  session:
    '{ overhead: 2k, script: [user: "RULE: be kind.", { repeat: 9, of: [step: { text: 50, tools: [read 2k] }] }, step: 20] }',
  model: '{ id: local/test, contextTokens: 20k, outputTokens: 4k }',
  summarizer: 'scripted:ratio=0.01',
} as const;

/** What becomes of such a session with some keys of the file as they are given. `expect` stands in line 6. */
export function checked(keys: Readonly<Record<string, string>> = {}): Promise<ScenarioResult> {
  return runScenario(
    parseScenario('a/test.yaml', sampleText({ ...COMPACTED, ...keys })),
    environment,
  );
}

/** The first run of it. */
export async function checkedRun(
  keys: Readonly<Record<string, string>> = {},
): Promise<ScenarioRunResult> {
  const [run] = (await checked(keys)).runs;
  if (run === undefined) throw new Error('Expected a run, got none.');
  return run;
}

/** What is not as that expectation says, a line each. */
export async function failuresOf(
  expect: string,
  keys: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const { failures } = await checkedRun({ ...keys, expect });
  return failures.map(
    ({ line, column, expected, got }) => `${line}:${column} ${expected}, got ${got}`,
  );
}

/** The facts of the event that begins the first run. */
export async function startOf(keys: Readonly<Record<string, string>>) {
  const [start] = (await checkedRun(keys)).events;
  if (start?.type !== 'run-start') throw new Error('Expected the start of a run first.');
  return start;
}

/** The code and the words of what a run refuses. */
export async function problemOf(run: Promise<unknown>): Promise<string> {
  const error: unknown = await run.catch((thrown: unknown) => thrown);
  if (error instanceof HarnessError) return `${error.code} ${error.message}`;
  throw new Error('Expected a problem with the input.', { cause: error });
}
