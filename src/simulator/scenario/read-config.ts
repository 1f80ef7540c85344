import { join, resolve } from 'node:path';
import { Document, LineCounter } from 'yaml';
import type * as z from 'zod';
import { HarnessError, messageOf } from '../lib/errors.ts';
import { linkStatOf, readTextFile } from '../lib/files.ts';
import { quotedLong } from '../lib/names.ts';
import {
  createPlaces,
  describeIssue,
  type Path,
  type Places,
  type Problem,
  readYaml,
} from './file/yaml.ts';
import { type BenchConfig, ConfigSchema } from './gate.ts';

export interface FoundConfig {
  readonly file: string;
  readonly config: BenchConfig;
  /** A message with the place of a value; without it of a program. */
  readonly describeAt: (path: Path, message: string) => string;
}

interface Held {
  readonly value: unknown;
  readonly places: Places;
}

const CONFIG_FILES = [
  'compaction-bench.config.ts',
  'compaction-bench.config.json',
  'compaction-bench.config.yaml',
  'compaction-bench.config.yml',
] as const;

const IS_PROGRAM = /\.(?:ts|mts|js|mjs)$/;
/** Only the map of cases has no words of its own. */
const expectMap: z.core.$ZodErrorMap = ({ code }) =>
  code === 'invalid_type' ? 'a map' : undefined;

/** The configuration of a file, or that of a folder; a program is run. */
export async function findConfig(folder: string, named?: string): Promise<FoundConfig | undefined> {
  const file = named ?? findOne(folder);
  if (file === undefined) return undefined;
  const text = readTextFile(file, (reason, cause) => badConfig(file, `, got ${reason}.`, cause));
  const { value, places } = IS_PROGRAM.test(file) ? await runProgram(file) : parse(file, text);
  const describeAt = (path: Path, message: string) =>
    inFile(file, { at: places.at(path), message });
  return { file, config: checked(value, places), describeAt };
}

export function badConfig(file: string, problem: string, cause?: unknown): HarnessError {
  const message = `Expected ${quotedLong(file)} to be a configuration${problem}`;
  return new HarnessError('BAD_CONFIG', message, { cause });
}

/** Throws for two: the gates of one would be skipped. */
function findOne(folder: string) {
  const paths = CONFIG_FILES.map((name) => join(folder, name));
  const found = paths.filter((path) => linkStatOf(path) !== undefined);
  if (found.length <= 1) return found[0];
  const names = found.map((path) => quotedLong(path)).join(' and ');
  const message = `Expected one configuration, got ${names}; '--config' names one.`;
  throw new HarnessError('BAD_CONFIG', message);
}

function parse(file: string, text: string): Held {
  const yaml = readYaml(file, text);
  if (yaml.state === 'read') return yaml;
  throw badConfig(file, `: ${yaml.problems.map(withPlace).join(' ')}`, yaml.cause);
}

async function runProgram(file: string): Promise<Held> {
  try {
    const { createJiti } = await import('jiti');
    const value = await createJiti(resolve(file)).import(resolve(file), { default: true });
    return { value, places: createPlaces(file, new Document(), new LineCounter()) };
  } catch (error) {
    // The rest of the message tells by which files a module was asked for.
    const [reason = ''] = messageOf(error).split('\n');
    throw badConfig(file, `, got ${quotedLong(reason)}.`, error);
  }
}

function checked(value: unknown, places: Places): BenchConfig {
  const result = ConfigSchema.safeParse(value, { reportInput: true, error: expectMap });
  if (result.success) return result.data;
  const { file } = places;
  const reasons = result.error.issues.map((issue) => inFile(file, describeIssue(issue, places)));
  throw badConfig(file, `: ${reasons.join(' ')}`);
}

function inFile(file: string, problem: Pick<Problem, 'at' | 'message'>) {
  return IS_PROGRAM.test(file) ? problem.message : withPlace(problem);
}

function withPlace({ at, message }: Pick<Problem, 'at' | 'message'>) {
  return `at ${at.line}:${at.column}: ${message}`;
}
