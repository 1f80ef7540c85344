import type { Occurrence, TextIndex } from '../text/text-index.ts';
import { hasNegation } from './cues.ts';
import { type CueIndex, cuesNear } from './cue-index.ts';
import { WITHOUT } from './lifted-cues.ts';

/** Where a text has words that forbid. */
export interface ProhibitionCues {
  readonly before: CueIndex;
  readonly close: CueIndex;
  readonly after: CueIndex;
}

/** Words within which a value is forbidden. */
const REACH = 6;
/** Words within which it is forbidden by what forbids only the next thing. */
const CLOSE_REACH = 1;

/** Whether a text forbids a value: in any clause of its sentence, or in the heading above. */
export function isForbidden(index: TextIndex, place: Occurrence, cues: ProhibitionCues): boolean {
  const forbids = (some: CueIndex, wanted: 'before' | 'after', words = REACH) =>
    cuesNear(index, place, { cues: some, words, isAcrossLines: true }).some(
      ({ side, between }) => side === wanted && !(side === 'before' && WITHOUT.test(between)),
    );
  return (
    forbids(cues.before, 'before') ||
    forbids(cues.close, 'before', CLOSE_REACH) ||
    forbids(cues.after, 'after') ||
    isBelowNegation(index, place)
  );
}

function isBelowNegation({ units, unitOf }: TextIndex, { first }: Occurrence): boolean {
  return hasNegation(units[unitOf[first] ?? 0]?.above ?? '');
}
