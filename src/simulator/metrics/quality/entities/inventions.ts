import { shareOf } from '../../metric.ts';
import type { Entity } from './entity.ts';
import type { Source } from './source.ts';

/** Names and numbers of a text that do not stand in what it was made from. */
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
export interface Corruption {
  readonly text: string;
  readonly original: string;
}

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

function corruptionOf(entity: Entity, source: Source): readonly Corruption[] {
  const original = source.nearest(entity);
  return original === undefined ? [] : [{ text: entity.text, original: original.text }];
}
