import type { Occurrence, TextIndex } from '../text/text-index.ts';
import { CLAUSE_BREAK, hasNegation } from './cues.ts';
import { type CueIndex, cuesNear } from './cue-index.ts';

/** How to look for words that deny. */
interface NegationOptions {
  readonly negations: Readonly<Record<'before' | 'close' | 'after', CueIndex>>;
  /** Words in another clause count too, and those of the heading above. */
  readonly isLenient: boolean;
}

/** Words within which a value is denied. */
const REACH = 6;
/** The same of what denies only the next thing. */
const CLOSE_REACH = 1;

/** Whether a text denies a value: it is not to be used, or does not hold. */
export function isNegated(
  index: TextIndex,
  place: Occurrence,
  { negations, isLenient }: NegationOptions,
): boolean {
  const { before, close, after } = negations;
  const denies = (cues: CueIndex, wanted: 'before' | 'after', words = REACH) =>
    cuesNear(index, place, { cues, words, isAcrossLines: isLenient }).some(
      ({ side, between }) => side === wanted && (isLenient || !CLAUSE_BREAK.test(between)),
    );
  if (denies(before, 'before') || denies(close, 'before', CLOSE_REACH)) return true;
  return denies(after, 'after') || (isLenient && isBelowNegation(index, place));
}

function isBelowNegation({ units, unitOf }: TextIndex, { first }: Occurrence): boolean {
  return hasNegation(units[unitOf[first] ?? 0]?.above ?? '');
}
