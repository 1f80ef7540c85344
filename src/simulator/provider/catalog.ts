import * as z from 'zod';
import { fileURLToPath } from 'node:url';
import { expectKind } from '../../engine/internal.ts';
import { HarnessError, messageOf } from '../lib/errors.ts';
import { expectValid, known } from '../lib/expect.ts';
import { readTextFile } from '../lib/files.ts';
import { shortHash, describeMismatch } from '../lib/json.ts';
import { describeNearest, isMisspelt, nearestNames, quoted, quotedLong } from '../lib/names.ts';
import { createProfile, type ModelProfile, toModelProfile } from './model-profile.ts';
import { CatalogFile } from './prices.ts';

/** The models that a run can name. */
export interface Catalog {
  /** Identifies the content of the file, however it is laid out. */
  readonly hash: string;
  readonly source: 'shipped' | 'given';
  /** By `provider/model`. */
  readonly models: ReadonlyMap<string, ModelProfile>;
}

const SHOWN_ISSUES = 5;

const SHIPPED_CATALOG = new URL('../../../catalog/models.json', import.meta.url);
const QUOTED_FILE_LENGTH = 1_000;
const CatalogShape = known<Catalog>('what `readCatalog` gives', 'models');

/** The provider of recorded models whose provider nobody noted. */
export const UNKNOWN_PROVIDER = 'unknown/';
/** Ends of an id that name a release of the model or its newest one: a date, `latest`, and the `0` of Anthropic. */
const RELEASE = /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2})|-latest|-0)$/;

let shipped: Catalog | undefined;

/** The catalog in a file, or the one that comes with the package. */
export function readCatalog(path?: string): Catalog {
  if (path !== undefined) return { ...readFile(path), source: 'given' };
  shipped ??= { ...readFile(fileURLToPath(SHIPPED_CATALOG)), source: 'shipped' };
  return shipped;
}

/** The catalog's model of that `provider/id`, or of that bare id where one provider alone has it. */
export function lookUpModel({ models }: Catalog, name: string): ModelProfile | undefined {
  const exact = models.get(name);
  if (exact !== undefined) return exact;
  const [only, another] = [...models.values()].filter(({ id }) => idAtProvider(id) === name);
  return another === undefined ? only : undefined;
}

/** The same. Throws `HarnessError` where there is none. */
export function findModel(catalog: Catalog, name: string): ModelProfile {
  const { models } = expectValid('catalog', catalog, CatalogShape);
  const model = lookUpModel(catalog, expectKind('name', name, 'text'));
  if (model) return model;
  const hint = describeNearest(name, models.keys());
  throw new HarnessError(
    'UNKNOWN_NAME',
    `Unknown model ${quoted(name)}. Expected PROVIDER/ID as in the catalog${hint}.`,
  );
}

/** A model of the catalog, or one that the catalog lacks where its window is given: its provider behaves as its id says. */
export function findModelWithWindow(
  catalog: Catalog,
  name: string,
  contextTokens: number | undefined,
): ModelProfile {
  return contextTokens === undefined
    ? findModel(catalog, name)
    : (lookUpModel(catalog, name) ?? createProfile(name, { contextTokens }));
}

/** The catalog's model that a misspelt name most likely means. */
export function misspeltModel({ models }: Catalog, name: string): string | undefined {
  if (models.has(name)) return undefined;
  const [nearest] = nearestNames(name, models.keys(), 1);
  return nearest !== undefined && isMisspelt(name, nearest) ? nearest : undefined;
}

/** The catalog's name of a recorded model, of whichever release. */
export function findRecordedModel({ models }: Catalog, name: string): string | undefined {
  for (const known of [name, withoutRelease(name)]) if (models.has(known)) return known;
  return [...models.keys()].find((known) => isSameModel(known, name));
}

/** Tests if two names in `provider/model` form mean one model, of any release; an unrecorded provider matches any. */
export function isSameModel(a: string, b: string): boolean {
  const [one, other] = [withoutRelease(a), withoutRelease(b)];
  return one === other || isOfUnknown(one, other) || isOfUnknown(other, one);
}

/** The id of a model without its provider. */
export function idAtProvider(id: string): string {
  return id.slice(id.indexOf('/') + 1);
}

/** The name of a model without the date of its release. */
export function withoutRelease(model: string): string {
  return model.replace(RELEASE, '');
}

function readFile(file: string) {
  const json = readJson(file);
  return { hash: shortHash(json), models: readModels(json, file) };
}

function readJson(file: string): unknown {
  const text = readTextFile(file, (reason, cause) =>
    badCatalog(file, `but it cannot be read: ${reason}`, cause),
  );
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = messageOf(error);
    const position = /at position (\d+)/.exec(message)?.[1];
    const line = position && ` in line ${text.slice(0, Number(position)).split('\n').length}`;
    const reason = `${quoted(message, QUOTED_FILE_LENGTH)}${line ?? ''}`;
    throw badCatalog(file, `but it is not JSON: ${reason}`, error);
  }
}

function badCatalog(file: string, reason: string, cause?: unknown): HarnessError {
  const expected = `Expected ${quoted(file, QUOTED_FILE_LENGTH)} to be a catalog in the shape of models.dev's api.json`;
  return new HarnessError('BAD_CATALOG', `${expected}, ${reason}.`, { cause });
}

function readModels(json: unknown, file: string): ReadonlyMap<string, ModelProfile> {
  const checked = CatalogFile.safeParse(json, { reportInput: true });
  if (!checked.success)
    throw badCatalog(file, `but\n${describeIssues(checked.error)}`, checked.error);
  const profiles = [...checked.data].flatMap(([providerId, provider]) =>
    [...provider.models].map(([id, model]) => toModelProfile(`${providerId}/${id}`, model)),
  );
  if (profiles.length === 0) throw badCatalog(file, 'but it has no models');
  return new Map(profiles.map((profile) => [profile.id, profile]));
}

function isOfUnknown(model: string, other: string): boolean {
  if (!model.startsWith(UNKNOWN_PROVIDER)) return false;
  return model.slice(UNKNOWN_PROVIDER.length) === idAtProvider(other);
}

/** The faults of a catalog file, one field a line: where, expected, received. */
function describeIssues({ issues }: z.ZodError): string {
  const lines = issues.slice(0, SHOWN_ISSUES).map((issue) => {
    const { path } = issue;
    const field = path.length === 0 ? 'the whole file' : quotedLong(z.core.toDotPath(path));
    return `  at ${field}: ${describeMismatch(issue)}`;
  });
  const more = issues.length - lines.length;
  return [...lines, ...(more > 0 ? [`  … and ${more} more`] : [])].join('\n');
}
