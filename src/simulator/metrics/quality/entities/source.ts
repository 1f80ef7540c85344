import { variantsOf } from '../text/other-forms.ts';
import { indexText, findValue, type TextIndex } from '../text/text-index.ts';
import { distinctEntities, type Entity, isBeforeUnit, withoutUnit } from './entity.ts';
import { createNearEntities, type NearEntities } from './near-entities.ts';
import { sequencesOf } from './sequences.ts';

/** What a text was made from, ready for many comparisons with it. */
export interface Source {
  /** Whether a name or a number stands in it. */
  has(entity: Entity): boolean;
  nearest(entity: Entity): Entity | undefined;
  /** Hashes of all runs of words. */
  sequences(): ReadonlySet<number>;
}

/** Kinds whose parts mean something: folders, and names in longer names. */
const PARTS_COUNT: readonly Entity['type'][] = ['url', 'path', 'symbol'];

const SHORTEST_HASH = 7;

/** Folders above what a session calls its root. */
const MOST_ROOTS = 32;

/** Prepares a text that others are made from. What is seldom asked for is worked out when it is. */
export function indexSource(text: string): Source {
  const index = indexText(text);
  let entities: ReadonlyMap<string, Entity> | undefined;
  let near: NearEntities | undefined;
  let sequences: ReadonlySet<number> | undefined;
  let hashes: ReadonlySet<string> | undefined;
  const own = () => (entities ??= distinctEntities(text));
  const shortHashes = () => (hashes ??= new Set(shortHashesOf(own().values())));
  return {
    // What is read out of both in the same way stands in both, whatever it is a part of.
    has: (entity) =>
      stands(index, entity) ||
      own().has(entity.value) ||
      (entity.type === 'hash' && shortHashes().has(entity.value)),
    nearest: (entity) => (near ??= createNearEntities(own().values())).nearest(entity),
    sequences: () => (sequences ??= new Set(sequencesOf(index))),
  };
}

function stands(index: TextIndex, { type, value }: Entity): boolean {
  if ([value, ...variantsOf(value)].some((form) => findValue(index, form).length > 0)) return true;
  if (type === 'number') return standsWithoutUnit(index, value);
  return (
    PARTS_COUNT.includes(type) && partsOf(type, value).some((part) => index.text.includes(part))
  );
}

/** Where only one of both has a unit, it is the same number; with another unit it is none. */
function standsWithoutUnit(index: TextIndex, value: string): boolean {
  return findValue(index, withoutUnit(value)).some(({ end }) => !isBeforeUnit(index.text, end));
}

/** A commit is named by the start of its hash. */
function* shortHashesOf(entities: Iterable<Entity>): Generator<string, void, undefined> {
  for (const { type, value } of entities) {
    if (type !== 'hash') continue;
    for (let length = SHORTEST_HASH; length < value.length; length++) yield value.slice(0, length);
  }
}

/** An absolute path may stand in the source without its root. */
function partsOf(type: Entity['type'], value: string): readonly string[] {
  if (type !== 'path') return [value];
  const segments = value.split('/').filter((segment) => segment !== '' && segment !== '~');
  const tails = segments
    .slice(0, Math.min(MOST_ROOTS, segments.length - 1))
    .map((_, from) => segments.slice(from).join('/'));
  return value.startsWith('/') || value.startsWith('~') ? tails : [value];
}
