import { generateItems } from './generate.ts';
import type { Path } from './places.ts';
import type { ScriptItem } from './schema/session.ts';

/** An item that is no collection of others. */
export type PlainItem = Exclude<
  ScriptItem,
  { readonly repeat: number } | { readonly generate: unknown }
>;

/** An item with where it stands in its file. */
export interface PlacedItem {
  readonly item: PlainItem;
  readonly path: Path;
}

/** The items of a script in order: what is repeated as often as it says, what is generated item by item. */
export function* flattenScript(
  items: readonly ScriptItem[],
  path: Path,
): Generator<PlacedItem, void, undefined> {
  for (const [index, item] of items.entries()) yield* flattenItem(item, [...path, index]);
}

/** The steps of one item of a script, each with its path. */
export function* flattenItem(item: ScriptItem, path: Path): Generator<PlacedItem, void, undefined> {
  if ('repeat' in item) {
    for (let time = 1; time <= item.repeat; time++) {
      yield* flattenScript(item.of, [...path, 'of']);
    }
  } else if ('generate' in item) {
    for (const generated of generateItems(item.generate)) yield* flattenItem(generated, path);
  } else yield { item, path };
}
