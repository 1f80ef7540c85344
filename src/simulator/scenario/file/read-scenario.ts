import type * as z from 'zod';
import { Document, LineCounter, parse } from 'yaml';
import { HarnessError } from '../../errors.ts';
import { quotedLong } from '../../names.ts';
import { statOf } from '../../stat-of.ts';
import { readTextFile } from '../../text-file.ts';
import { describeIssue } from './describe-issue.ts';
import { badScenario, createPlaces, type Places } from './places.ts';
import type { Scenario } from './scenario.ts';
import { ScenarioFile } from './schema.ts';
import { toScenario } from './to-scenario.ts';
import { readYaml, SHOWN_PROBLEMS } from './yaml-text.ts';

/** Largest scenario file, in bytes. */
const MAX_BYTES = 256 * 1024;

/** The scenario in a file. Throws `HarnessError` with file, line and column for what is wrong with it. */
export function readScenario(file: string): Scenario {
  return parseScenario(file, readText(file));
}

/** The scenario in a text; `file` is its name in errors and where paths start. */
export function parseScenario(file: string, text: string): Scenario {
  const yaml = readYaml(file, text);
  if (yaml.state === 'broken') {
    throw badScenario(yaml.problems, yaml.cause);
  }
  const { value, places } = yaml;
  checkShape(value, places);
  return toScenario(value, places);
}

/** What a piece of YAML says that this program wrote itself. */
export function valueOfYaml(text: string): unknown {
  return parse(text);
}

/** The scenario of a value that this program made in the shape of a file, in which nothing has a place. */
export function scenarioOf(file: string, value: ScenarioFile): Scenario {
  return toScenario(value, createPlaces(file, new Document(), new LineCounter()));
}

function readText(file: string): string {
  const size = statOf(file)?.size ?? 0;
  if (size > MAX_BYTES) {
    const limit = `a scenario of at most ${MAX_BYTES} bytes`;
    const message = `Expected ${quotedLong(file)} to be ${limit}, got ${size}.`;
    throw new HarnessError('BAD_SCENARIO', message);
  }
  return readTextFile(file, (reason, cause) => {
    const message = `Expected to read ${quotedLong(file)}, got ${reason}.`;
    return new HarnessError('UNREADABLE', message, { cause });
  });
}

/** The schema changes nothing, so that the value itself is what it describes. */
function checkShape(value: unknown, places: Places): asserts value is ScenarioFile {
  const checked = ScenarioFile.safeParse(value, { reportInput: true });
  if (checked.success) return;
  const { issues } = checked.error;
  const problems = issues
    .toSorted((some, other) => rankOf(some) - rankOf(other))
    .slice(0, SHOWN_PROBLEMS)
    .map((issue) => ({ file: places.file, ...describeIssue(issue, places) }));
  throw badScenario(problems, checked.error);
}

/** A misspelt key explains the one that is missing. */
function rankOf({ code }: z.core.$ZodIssue): number {
  return code === 'unrecognized_keys' ? 0 : 1;
}
