import { normaliseValue } from '../quality/text/normalise.ts';
import { variantsOf } from '../quality/text/other-forms.ts';
import { outside } from '../quality/text/cover.ts';
import { findValue, type Occurrence, type TextIndex } from '../quality/text/text-index.ts';
import type { Probe } from './probe.ts';

/** A text of a question, and where it stands in an answer. */
export interface Place {
  readonly value: string;
  readonly place: Occurrence;
}

/** Where a question's texts of each kind stand. */
export type Places = Readonly<Record<'accepted' | 'refused', readonly Place[]>>;

/** Every place of a question's texts of each kind, in any form; one that is a part of another does not count. */
export function findPlaces(
  index: TextIndex,
  { accepted, refused }: Pick<Probe, 'accepted' | 'refused'>,
): Places {
  const wanted = placesOf(index, accepted);
  const others = outside(placesOf(index, refused), wanted);
  return { accepted: outside(wanted, others), refused: others };
}

/** The first of a question's texts of each kind that stands in a text. */
export function findTexts(
  index: TextIndex,
  probe: Pick<Probe, 'accepted' | 'refused'>,
): Readonly<Record<'accepted' | 'refused', string | undefined>> {
  const { accepted, refused } = findPlaces(index, probe);
  return { accepted: accepted[0]?.value, refused: refused[0]?.value };
}

function placesOf(index: TextIndex, values: readonly string[]): readonly Place[] {
  return values.flatMap((value) => {
    const own = normaliseValue(value);
    const forms = [own, ...variantsOf(own)].filter((form) => form !== '');
    return forms.flatMap((form) => findValue(index, form).map((place) => ({ value, place })));
  });
}
