import type { Occurrence, TextIndex } from '../text/text-index.ts';
import { hasBan } from './ban-cues.ts';
import { WITHOUT } from './lifted-cues.ts';
import { isNegated, type NegationCues } from './negated.ts';

/** Whether a text forbids a value: in any clause of its sentence, or in the heading above. */
export function isForbidden(index: TextIndex, place: Occurrence, cues: NegationCues): boolean {
  return (
    isNegated(index, place, {
      cues,
      isAcrossLines: true,
      isParted: ({ side, between }) => side === 'before' && WITHOUT.test(between),
    }) || isBelowNegation(index, place)
  );
}

function isBelowNegation({ units, unitOf }: TextIndex, { first }: Occurrence): boolean {
  return hasBan(units[unitOf[first] ?? 0]?.above ?? '');
}
