import { hashUnits } from '../../../engine/internal.ts';
import { addToGroup } from '../../lib/collections.ts';
import { shareOf } from '../metric.ts';
import { findValue, indexText, type TextIndex } from './text-index.ts';
import {
  distinctEntities,
  type Entity,
  type EntityType,
  isBeforeUnit,
  variantsOf,
  withoutUnit,
} from './words.ts';

/** Names and numbers of a text that its source does not contain. */
export interface InventionScore {
  readonly entities: number;
  /** As they stand in the text. */
  readonly invented: readonly string[];
  /** Of these, those that are like one of the source: it was copied wrongly. */
  readonly corrupted: readonly Corruption[];
  readonly inventedShare: number | null;
  readonly corruptedShare: number | null;
}

/** A name that was copied wrongly. */
interface Corruption {
  readonly text: string;
  readonly original: string;
}

/** The source of a text, indexed for many comparisons. */
export interface Source {
  /** Tests if a name or number occurs in it. */
  has(entity: Entity): boolean;
  nearest(entity: Entity): Entity | undefined;
  /** Hashes of all runs of words. */
  sequences(): ReadonlySet<number>;
}

/** Finds names that differ from a given one in little. */
interface NearEntities {
  /** The most similar name of the same kind, or a file of that name in another folder. */
  nearest(entity: Entity): Entity | undefined;
}

/** Kinds whose parts mean something: folders, and names in longer names. */
const PARTS_COUNT: readonly Entity['type'][] = ['url', 'path', 'symbol'];

const SHORTEST_HASH = 7;

/** Folders above what a session calls its root. */
const MOST_ROOTS = 32;

/** Words of a run that is not the same by chance. */
const RUN = 8;
/** Of the hash of a run of words. */
const BASE = 0x2c1b3c6d;

/** Characters in which names differ that are taken for each other. */
const MOST_EDITS = 2;
/** Of shorter names more characters would make any name of any other. */
const CHARACTERS_PER_EDIT = 4;
const SHIFTS = Array.from({ length: 2 * MOST_EDITS + 1 }, (_, index) => index - MOST_EDITS);
const PIECES = MOST_EDITS + 1;

/** Which names and numbers of a text are made up; each of them is given once. */
export function scoreInventions(entities: readonly Entity[], source: Source): InventionScore {
  const invented = entities.filter((entity) => !source.has(entity));
  const corrupted = invented.flatMap((entity) => corruptionOf(entity, source));
  return {
    entities: entities.length,
    invented: invented.map((entity) => entity.text),
    corrupted,
    inventedShare: shareOf(invented.length, entities.length),
    corruptedShare: shareOf(corrupted.length, entities.length),
  };
}

/** Prepares the source of texts. Rarely used parts are computed on demand. */
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

/** Share of the words of a text that stand in the source in the same order, many in a row; `null` without words. */
export function verbatimShare(index: TextIndex, source: ReadonlySet<number>): number | null {
  const count = index.words.starts.length;
  let covered = 0;
  let upTo = 0;
  sequencesOf(index).forEach((hash, first) => {
    if (!source.has(hash)) return;
    covered += first + RUN - Math.max(upTo, first);
    upTo = first + RUN;
  });
  return shareOf(covered, count);
}

function corruptionOf(entity: Entity, source: Source): readonly Corruption[] {
  const original = source.nearest(entity);
  return original === undefined ? [] : [{ text: entity.text, original: original.text }];
}

/** A commit is named by the start of its hash. */
function* shortHashesOf(entities: Iterable<Entity>): Generator<string, void, undefined> {
  for (const { type, value } of entities) {
    if (type !== 'hash') continue;
    for (let length = SHORTEST_HASH; length < value.length; length++) yield value.slice(0, length);
  }
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

/** An absolute path may stand in the source without its root. */
function partsOf(type: Entity['type'], value: string): readonly string[] {
  if (type !== 'path') return [value];
  const segments = value.split('/').filter((segment) => segment !== '' && segment !== '~');
  const tails = segments
    .slice(0, Math.min(MOST_ROOTS, segments.length - 1))
    .map((_, from) => segments.slice(from).join('/'));
  return value.startsWith('/') || value.startsWith('~') ? tails : [value];
}

/** Prepares names for the search. Two that differ in two characters have one of three pieces in common. */
function createNearEntities(entities: Iterable<Entity>): NearEntities {
  const byPiece = new Map<string, Entity[]>();
  const byName = new Map<string, Entity>();
  for (const entity of entities) {
    if (entity.type === 'path') byName.set(baseName(entity.value), entity);
    const value = bareValue(entity);
    for (const { text, number } of piecesOf(value, value.length)) {
      addToGroup(byPiece, `${entity.type} ${value.length} ${number} ${text}`, entity);
    }
  }
  return {
    nearest: (entity) => {
      const sameName = entity.type === 'path' ? byName.get(baseName(entity.value)) : undefined;
      if (sameName !== undefined) return sameName;
      const own = bareValue(entity);
      const most = Math.min(MOST_EDITS, Math.floor(own.length / CHARACTERS_PER_EDIT));
      return candidatesOf(byPiece, entity.type, own).find((candidate) => {
        const value = bareValue(candidate);
        return candidate.value !== entity.value && editsBetween(value, own, most) <= most;
      });
    },
  };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A number without its unit, anything else as it is. */
function bareValue({ type, value }: Entity): string {
  return type === 'number' ? withoutUnit(value) : value;
}

/** Where a name of a length is cut. */
function piecesOf(value: string, length: number) {
  return Array.from({ length: PIECES }, (_, number) => {
    const start = Math.floor((number * length) / PIECES);
    const end = Math.floor(((number + 1) * length) / PIECES);
    return { number, start, end, text: value.slice(start, end) };
  });
}

function candidatesOf(
  byPiece: ReadonlyMap<string, readonly Entity[]>,
  type: EntityType,
  value: string,
): readonly Entity[] {
  const lengths = SHIFTS.map((shift) => value.length + shift);
  const keys = lengths.flatMap((length) =>
    piecesOf(value, length).flatMap(({ start, end, number }) =>
      SHIFTS.map((shift) => {
        const text = value.slice(Math.max(0, start + shift), end + shift);
        return `${type} ${length} ${number} ${text}`;
      }),
    ),
  );
  return [...new Set(keys.flatMap((key) => byPiece.get(key) ?? []))];
}

/** Characters to put in, take out or change; more than the most is as good as any. */
function editsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > most) return most + 1;
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Hashes of all runs of words of a text, in order. */
function sequencesOf({ text, words: { starts, ends } }: TextIndex): readonly number[] {
  const hashes = starts.map((start, word) => hashUnits(text, start, ends[word] ?? start));
  return hashes.slice(RUN - 1).map((_, first) => {
    let hash = 0;
    for (let word = first; word < first + RUN; word++) {
      hash = (Math.imul(hash, BASE) + (hashes[word] ?? 0)) | 0;
    }
    return hash;
  });
}
