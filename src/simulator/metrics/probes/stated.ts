/** Which values an answer states, and which it only denies or has others beside. */

import { findCues } from '../quality/match/cue-index.ts';
import { cue } from '../quality/match/cue.ts';
import { NEGATION_AFTER, NEGATION_BEFORE, NEGATION_CLOSE } from '../quality/match/cues.ts';
import { CLAUSE_BREAK } from '../quality/match/denial-cues.ts';
import { isNegated } from '../quality/match/negated.ts';
import type { TextIndex } from '../quality/text/text-index.ts';
import type { Place } from './find-texts.ts';

/** Says of what stands near that it is not the answer. */
const WRONG_BEFORE = cue(
  [
    'anything but',
    'other than',
    'except(?: for)?',
    'neither',
    'nor',
    'alles außer',
    'weder',
    'noch',
  ],
  ['(?<!\\p{L})(?:кроме|ни)(?!\\p{L})', '除了', '以外'],
);
const WRONG_AFTER = cue(
  [
    '(?:is|was|are|were|would be|seems) (?:\\w+ )?(?:wrong|incorrect|false|mistaken|never)',
    '(?:ist|war|wäre) (?:\\w+ )?(?:falsch|unrichtig)',
  ],
  ['(?<!\\p{L})неверн\\p{L}*', '是?(?:错|錯|不对|不對)', '以外|(?:は|が)?(?:間違い|誤り)'],
);

/** The places of values that are not denied. */
export function undenied(index: TextIndex, places: readonly Place[]): readonly Place[] {
  if (places.length === 0) return [];
  const close = findCues(index, NEGATION_CLOSE);
  const said = [
    { before: findCues(index, NEGATION_BEFORE), close, after: findCues(index, NEGATION_AFTER) },
    { before: findCues(index, WRONG_BEFORE), close, after: findCues(index, WRONG_AFTER) },
  ];
  const isDenied = ({ place }: Place) =>
    said.some((cues) =>
      isNegated(index, place, {
        cues,
        isAcrossLines: false,
        isParted: ({ between }) => CLAUSE_BREAK.test(between),
      }),
    );
  return places.filter((place) => !isDenied(place));
}
