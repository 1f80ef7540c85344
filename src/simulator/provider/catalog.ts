import { fileURLToPath } from 'node:url';
import { HarnessError, messageOf } from '../lib/errors.ts';
import { readTextFile } from '../lib/files.ts';
import { shortHash } from '../lib/json.ts';
import { quoted } from '../lib/names.ts';
import { CatalogFile, describeIssues } from './catalog-file.ts';
import { type ModelProfile, toModelProfile } from './model-profile.ts';

/** The models that a run can name. */
export interface Catalog {
  /** Identifies the content of the file, however it is laid out. */
  readonly hash: string;
  readonly source: 'shipped' | 'given';
  /** By `provider/model`. */
  readonly models: ReadonlyMap<string, ModelProfile>;
}

const SHIPPED_CATALOG = new URL('../../../catalog/models.json', import.meta.url);

const QUOTED_FILE_LENGTH = 1_000;

/** The catalog in a file, or the one that comes with the package. */
export function readCatalog(path?: string): Catalog {
  const file = path ?? fileURLToPath(SHIPPED_CATALOG);
  const json = readJson(file);
  return {
    hash: shortHash(json),
    source: path === undefined ? 'shipped' : 'given',
    models: readModels(json, file),
  };
}

function readJson(file: string): unknown {
  const text = readText(file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badCatalog(
      file,
      `but it is not JSON: ${shortMessageOf(error)}${lineOf(error, text)}`,
      error,
    );
  }
}

function readText(file: string): string {
  return readTextFile(file, (reason, cause) =>
    badCatalog(file, `but it cannot be read: ${reason}`, cause),
  );
}

function readModels(json: unknown, file: string): ReadonlyMap<string, ModelProfile> {
  const checked = CatalogFile.safeParse(json, { reportInput: true });
  if (!checked.success) {
    throw badCatalog(file, `but\n${describeIssues(checked.error)}`, checked.error);
  }

  const profiles = [...checked.data].flatMap(([providerId, provider]) =>
    [...provider.models].map(([id, model]) => toModelProfile(`${providerId}/${id}`, model)),
  );
  if (profiles.length === 0) throw badCatalog(file, 'but it has no models');
  return new Map(profiles.map((profile) => [profile.id, profile]));
}

function badCatalog(file: string, reason: string, cause?: unknown): HarnessError {
  const expected = `Expected ${quoted(file, QUOTED_FILE_LENGTH)} to be a catalog in the shape of models.dev's api.json`;
  return new HarnessError('BAD_CATALOG', `${expected}, ${reason}.`, { cause });
}

function shortMessageOf(error: unknown): string {
  return quoted(messageOf(error), QUOTED_FILE_LENGTH);
}

/** Where a syntax error says it is; empty when it does not say. */
function lineOf(error: unknown, text: string): string {
  const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
  return position ? ` in line ${text.slice(0, Number(position)).split('\n').length}` : '';
}
