import { readFileSync, statSync } from 'node:fs';
import type * as z from 'zod';
import { Document, isScalar, LineCounter, parse, parseDocument, visit } from 'yaml';
import { HarnessError, messageOf } from '../../errors.ts';
import { quoted, quotedLong } from '../../names.ts';
import { describeIssue } from './describe-issue.ts';
import type { Place } from './expectation.ts';
import { badScenario, createPlaces, type Places } from './places.ts';
import type { Scenario } from './scenario.ts';
import { ScenarioFile } from './schema.ts';
import { toScenario } from './to-scenario.ts';
import { describeFault } from '../../system-fault.ts';

/** Largest scenario file, in bytes. */
const MAX_BYTES = 256 * 1024;
/** Times that anchors may be used, with everything that they hold. */
const MAX_ALIASES = 100;
/** Problems that an error tells before it only counts them. */
const SHOWN_PROBLEMS = 5;

/** The scenario in a file. Throws `HarnessError` with file, line and column for what is wrong with it. */
export function readScenario(file: string): Scenario {
  return parseScenario(file, readText(file));
}

/** The scenario in a text; `file` is its name in errors and where paths start. */
export function parseScenario(file: string, text: string): Scenario {
  const lines = new LineCounter();
  const document = parseYaml(file, text, lines);
  const places = createPlaces(file, document, lines);
  refuseBrokenYaml(document, places, lines);
  const value = toValue(document, places);
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
  try {
    const { size } = statSync(file);
    if (size <= MAX_BYTES) return readFileSync(file, 'utf8');
    const limit = `a scenario of at most ${MAX_BYTES} bytes`;
    throw badFile(`Expected ${quotedLong(file)} to be ${limit}, got ${size}.`);
  } catch (error) {
    if (error instanceof HarnessError) throw error;
    const message = `Expected to read ${quotedLong(file)}, got ${describeFault(error)}.`;
    throw new HarnessError('UNREADABLE', message, { cause: error });
  }
}

/** A text that is nested too deep for the parser is no scenario. */
function parseYaml(file: string, text: string, lineCounter: LineCounter): Document {
  try {
    return parseDocument(text, { lineCounter, logLevel: 'error', prettyErrors: false });
  } catch (error) {
    const reason = messageOf(error);
    const path = quotedLong(file);
    throw badFile(`Expected ${path} to be YAML, got ${quoted(reason)}.`, error);
  }
}

function refuseBrokenYaml(document: Document, { file }: Places, lines: LineCounter): void {
  const found = [...document.errors, ...document.warnings];
  if (found.length === 0) return;
  const problems = found.slice(0, SHOWN_PROBLEMS).map((problem) => ({
    file,
    at: toPlace(lines, problem.pos[0]),
    message: describeBroken(problem),
  }));
  throw badScenario(problems, found[0]);
}

/** The parser's own words on several documents are for those who call it. */
function describeBroken({ code, message }: Document['errors' | 'warnings'][number]): string {
  if (code === 'MULTIPLE_DOCS') return 'Expected one YAML document per file, got another.';
  return `Expected YAML: ${message.replace(/\.?$/, '.')}`;
}

/** Keys are plain; an anchor is used often enough, but not so often that the value explodes. */
function toValue(document: Document, places: Places): unknown {
  visit(document, {
    Pair(_, { key }) {
      if (isScalar(key)) return;
      const at = places.ofNode(key);
      const message = 'Expected a key to be text, got a list, a map or an alias.';
      throw badScenario([{ file: places.file, at, message }]);
    },
  });
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    const reason = messageOf(error);
    const message = `Expected anchors before their uses, at most ${MAX_ALIASES} of these, got ${quoted(reason)}.`;
    throw badScenario([{ file: places.file, at: places.at([]), message }], error);
  }
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

function toPlace(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

function badFile(message: string, cause?: unknown): HarnessError {
  return new HarnessError('BAD_SCENARIO', message, { cause });
}
