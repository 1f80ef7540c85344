import { variantsOf } from '../text/normalise.ts';
import { indexText, findValue, type TextIndex } from '../text/text-index.ts';
import { distinctEntities, type Entity, withoutUnit } from './entity.ts';
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

/** Prepares a text that others are made from. What is seldom asked for is worked out when it is. */
export function indexSource(text: string): Source {
  const index = indexText(text);
  let entities: ReadonlyMap<string, Entity> | undefined;
  let near: NearEntities | undefined;
  let sequences: ReadonlySet<number> | undefined;
  const own = () => (entities ??= distinctEntities(text));
  return {
    // What is read out of both in the same way stands in both, whatever it is a part of.
    has: (entity) => stands(index, entity) || own().has(entity.value),
    nearest: (entity) => (near ??= createNearEntities(own().values())).nearest(entity),
    sequences: () => (sequences ??= new Set(sequencesOf(index))),
  };
}

function stands(index: TextIndex, { type, value }: Entity): boolean {
  if (findValue(index, value).length > 0) return true;
  if (type === 'number') return isWrittenOtherwise(index, value);
  return (
    PARTS_COUNT.includes(type) && partsOf(type, value).some((part) => index.text.includes(part))
  );
}

/** A number may stand in groups of digits, and with or without a blank before its unit. */
function isWrittenOtherwise(index: TextIndex, value: string): boolean {
  if (variantsOf(value).some((form) => findValue(index, form).length > 0)) return true;
  const other = value.includes(' ') ? value.replace(' ', '') : value.replace(UNIT_START, '$1 $2');
  if (findValue(index, other).length > 0) return true;
  return findValue(index, withoutUnit(value)).length > 0;
}

const UNIT_START = /^([\d.]+)(\D)/;

/** An absolute path may stand in the source without its root. */
function partsOf(type: Entity['type'], value: string): readonly string[] {
  if (type !== 'path') return [value];
  const segments = value.split('/').filter((segment) => segment !== '' && segment !== '~');
  const tails = segments.slice(0, -1).map((_, from) => segments.slice(from).join('/'));
  return value.startsWith('/') || value.startsWith('~') ? tails : [value];
}
