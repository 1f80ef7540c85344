import { addToGroup } from '../../../lib/collections.ts';
import { type Entity, type EntityType, withoutUnit } from './entity.ts';

/** Finds names that differ from a given one in little. */
export interface NearEntities {
  /** A name of the same kind with few other characters, or a file of that name in another folder. */
  nearest(entity: Entity): Entity | undefined;
}

/** Characters in which names differ that are taken for each other. */
const MOST_EDITS = 2;
/** Of shorter names more characters would make any name of any other. */
const CHARACTERS_PER_EDIT = 4;
const SHIFTS = Array.from({ length: 2 * MOST_EDITS + 1 }, (_, index) => index - MOST_EDITS);
const PIECES = MOST_EDITS + 1;

/** Prepares names for the search. Two that differ in two characters have one of three pieces in common. */
export function createNearEntities(entities: Iterable<Entity>): NearEntities {
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

/** Where a name of a length is cut. */
function piecesOf(value: string, length: number) {
  return Array.from({ length: PIECES }, (_, number) => {
    const start = Math.floor((number * length) / PIECES);
    const end = Math.floor(((number + 1) * length) / PIECES);
    return { number, start, end, text: value.slice(start, end) };
  });
}

/** A number without its unit, anything else as it is. */
function bareValue({ type, value }: Entity): string {
  return type === 'number' ? withoutUnit(value) : value;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
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
