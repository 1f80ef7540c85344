/** Gathers the units of texts before any is replaced. */

import type { Span } from '../shell.ts';
import type { LearntUnits } from './codebook.ts';
import type { Standing, TreatmentsIn } from './treatment.ts';
import { eachUnit, prefixOf, type UnitPlace } from './units.ts';

/** Options for replacing a text. */
export interface TextOptions {
  /** Places that stay unchanged. */
  readonly spared?: readonly Span[] | undefined;
  /** Content by default. */
  readonly standing?: Standing;
}

/** Context for counting a text: plain, or inside JSON. */
export type TextForm = 'plain' | 'json';

/** The units of a session so far. */
interface Gatherer extends LearntUnits {
  /** Adds a text, without its spared places. */
  add(text: string, form: TextForm, options?: TextOptions): void;
}

/** JSON escapes of characters that may precede a word; a letter becomes part of the word. */
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['"', ''],
  ['\\', ''],
]);

/** Creates a gatherer that has seen nothing. */
export function createGatherer(treatmentsIn: TreatmentsIn): Gatherer {
  const units = new Map<string, Map<string, number>>();
  const drawn: LearntUnits['drawn'][number][] = [];
  const note = (unit: string, prefix: string): void => {
    const prefixes = units.get(unit);
    if (prefixes === undefined) units.set(unit, new Map([[prefix, 1]]));
    else prefixes.set(prefix, (prefixes.get(prefix) ?? 0) + 1);
  };

  return {
    units,
    drawn,
    add: (text, form, { spared = [], standing = 'content' } = {}) => {
      const isSpared = createSparing(spared);
      const treat = treatmentsIn(text, standing);
      eachUnit(text, (place) => {
        if (isSpared(place)) return;
        const { unit } = place;
        const prefix = countedPrefix(prefixOf(place), form);
        const treatment = treat(place);
        if (treatment.as === 'drawn') drawn.push({ unit, drawing: treatment, prefix });
        if (treatment.as === 'unit') note(unit, prefix);
      });
    },
  };
}

/** Checks units of a text, in order, against its spared places. */
export function createSparing(spared: readonly Span[]): (place: UnitPlace) => boolean {
  let next = 0;
  return ({ unit, start }) => {
    while ((spared[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next++;
    const span = spared[next];
    return span !== undefined && span.start <= start && start + unit.length <= span.end;
  };
}

function countedPrefix(prefix: string, form: TextForm): string {
  if (form === 'json') return ESCAPED.get(prefix) ?? prefix;
  return prefix === '\n' || prefix === '\r' ? '' : prefix;
}
