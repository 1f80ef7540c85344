import type { Span } from '../calls/span.ts';
import type { UnitPlace } from './units.ts';

/** A text with the places in it that stay as they are. */
export class SparedText {
  readonly text: string;
  /** In order. */
  readonly spared: readonly Span[];

  constructor(text: string, spared: readonly Span[]) {
    this.text = text;
    this.spared = spared;
  }
}

/** Tells of the units of a text, asked in order, whether they stay. */
export function createSparing(spared: readonly Span[]): (place: UnitPlace) => boolean {
  let next = 0;
  return ({ unit, start }) => {
    while ((spared[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    const span = spared[next];
    return span !== undefined && span.start <= start && start + unit.length <= span.end;
  };
}
