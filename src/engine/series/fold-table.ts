import { perKey } from '../per-key.ts';
import type { Fold } from './fold.ts';

/**
 * Folds by the rules that they go by: one for rules that find the same, so that a history is gone through once however
 * its policies were made.
 */
export function foldTable<Rules extends object, Item, Value>(
  readsOf: (rules: Rules) => unknown,
  createFold: (rules: Rules) => Fold<Item, Value>,
): (rules: Rules) => Fold<Item, Value> {
  const folds = new Map<string, Fold<Item, Value>>();
  return perKey((rules) => {
    const key = JSON.stringify(readsOf(rules));
    const fold = folds.get(key) ?? createFold(rules);
    folds.set(key, fold);
    return fold;
  });
}
