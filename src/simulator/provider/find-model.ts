import { expectForm, expectText, withKeys } from '../../engine/internal.ts';
import { HarnessError } from '../errors.ts';
import { isMisspelt, nearestNames, quoted } from '../names.ts';
import type { Catalog } from './catalog.ts';
import { createProfile, type ModelProfile } from './model-profile.ts';

const CATALOG = withKeys('what `readCatalog` gives', 'models');

/** The catalog's model of exactly that `provider/id`. */
export function findModel(catalog: Catalog, name: string): ModelProfile {
  const { models } = expectForm('catalog', catalog, CATALOG);
  const model = models.get(expectText('name', name));
  if (model) return model;
  const nearest = nearestNames(name, models.keys());
  throw new HarnessError(
    'UNKNOWN_NAME',
    `Unknown model ${quoted(name)}. Expected PROVIDER/ID as in the catalog; nearest: ${nearest.join(', ')}.`,
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
    : (catalog.models.get(name) ?? createProfile(name, { contextTokens }));
}

/** The catalog's model that a name most likely means, where it has none of that name. */
export function misspeltModel({ models }: Catalog, name: string): string | undefined {
  if (models.has(name)) return undefined;
  const [nearest] = nearestNames(name, models.keys(), 1);
  return nearest !== undefined && isMisspelt(name, nearest) ? nearest : undefined;
}
