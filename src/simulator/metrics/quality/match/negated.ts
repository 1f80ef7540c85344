import type { Occurrence, TextIndex } from '../text/text-index.ts';
import { type CueIndex, cuesNear, type NearCue } from './cue-index.ts';

/** Where a text has words that negate what stands behind them, right behind them, or before them. */
export interface NegationCues {
  readonly before: CueIndex;
  readonly close: CueIndex;
  readonly after: CueIndex;
}

/** How far negations reach. */
interface Negating {
  readonly cues: NegationCues;
  /** In the lines beside too, where they are of the same sentence. */
  readonly isAcrossLines: boolean;
  /** Whether what stands between keeps a value from a negation beside it. */
  readonly isParted: (near: NearCue) => boolean;
}

/** Words within which a value is negated. Source: evaluation design, section 9.1. */
export const REACH = 6;
/** Words within which it is negated by what negates only the next thing. */
export const CLOSE_REACH = 1;

/** Whether a value is negated by words near it. Source: evaluation design, section 9.1. */
export function isNegated(
  index: TextIndex,
  place: Occurrence,
  { cues: { before, close, after }, isAcrossLines, isParted }: Negating,
): boolean {
  const negates = (cues: CueIndex, side: NearCue['side'], words = REACH) =>
    cuesNear(index, place, { cues, words, isAcrossLines }).some(
      (near) => near.side === side && !isParted(near),
    );
  return (
    negates(before, 'before') || negates(close, 'before', CLOSE_REACH) || negates(after, 'after')
  );
}
