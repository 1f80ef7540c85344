/** Finds and reads the configuration of gates. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type * as z from 'zod';
import { Document, LineCounter, parse as parseYaml, parseDocument } from 'yaml';
import { HarnessError, messageOf } from '../../errors.ts';
import { quoted, quotedLong } from '../../names.ts';
import { isFile } from '../../stat-of.ts';
import { describeIssue } from '../file/describe-issue.ts';
import { createPlaces, type Places } from '../file/places.ts';
import type { BenchConfig } from './config.ts';
import { ConfigSchema } from './schema.ts';

/** The files that are looked for, in this order. */
const CONFIG_FILES = [
  'compaction-bench.config.ts',
  'compaction-bench.config.json',
  'compaction-bench.config.yaml',
  'compaction-bench.config.yml',
] as const;

/** A configuration with the file that it came from. */
export interface FoundConfig {
  readonly file: string;
  readonly config: BenchConfig;
}

const IS_PROGRAM = /\.(?:ts|mts|js|mjs)$/;

/** The configuration of a file, or of the first one that a folder has; a program among them is run. */
export async function findConfig(folder: string, named?: string): Promise<FoundConfig | undefined> {
  const file = named ?? CONFIG_FILES.map((name) => join(folder, name)).find(isFile);
  if (file === undefined) return undefined;
  if (!isFile(file)) throw badConfig(file, ', got no file there.');
  return { file, config: checked(await read(file), file) };
}

async function read(file: string): Promise<unknown> {
  try {
    if (!IS_PROGRAM.test(file)) return parseYaml(readFileSync(file, 'utf8'));
    const { createJiti } = await import('jiti');
    return await createJiti(resolve(file)).import(resolve(file), { default: true });
  } catch (error) {
    // What follows tells by which files a module was asked for.
    const [reason = ''] = messageOf(error).split('\n');
    throw badConfig(file, `, got ${quotedLong(reason)}.`, error);
  }
}

/** Only the map of cases has no words of its own. */
const expectMap: z.core.$ZodErrorMap = ({ code }) =>
  code === 'invalid_type' ? 'a map' : undefined;

function checked(value: unknown, file: string): BenchConfig {
  const result = ConfigSchema.safeParse(value, { reportInput: true, error: expectMap });
  if (result.success) return result.data;
  const places = placesIn(file);
  const reasons = result.error.issues.map((issue) => {
    const { at, message } = describeIssue(issue, places);
    return IS_PROGRAM.test(file) ? message : `at ${at.line}:${at.column}: ${message}`;
  });
  throw badConfig(file, `: ${reasons.join(' ')}`);
}

/** What a program gives has no place. */
function placesIn(file: string): Places {
  const lines = new LineCounter();
  const document = IS_PROGRAM.test(file)
    ? new Document()
    : parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines });
  return createPlaces(file, document, lines);
}

/** What is wrong with the configuration of a file. */
export function badConfig(file: string, problem: string, cause?: unknown): HarnessError {
  const message = `Expected ${quoted(file)} to be a configuration${problem}`;
  return new HarnessError('BAD_CONFIG', message, { cause });
}
