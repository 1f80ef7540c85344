import { indexText } from '../quality/text/text-index.ts';
import { hasAlternative } from './alternatives.ts';
import { type Claims, findClaims } from './claims.ts';
import { findPlaces } from './find-texts.ts';
import { deniesBlock, isCall } from './next-call.ts';
import type { Probe } from './probe.ts';
import { undenied } from './stated.ts';

/** What an answer is, as far as rules can tell. */
export type AnswerState = 'right' | 'wrong' | 'abstained' | 'undecided';

/** Decides an answer by exact or other forms of the value; what neither states one nor abstains is left to a judge. */
export function scoreAnswer(probe: Probe, answer: string): AnswerState {
  const claims = findClaims(answer, probe);
  if (probe.kind === 'abstention') return claims.isAbstention ? 'right' : 'wrong';
  return probe.kind === 'compliance' ? scoreCall(probe, claims) : scoreValue(probe, claims);
}

/** A value that is denied, or is one of several, is not told; a guess is. Source: evaluation design, section 9.2. */
function scoreValue(probe: Probe, { text, isAbstention }: Claims): AnswerState {
  const index = indexText(text);
  const places = findPlaces(index, probe);
  // That work is not done yet does not deny that it is the work.
  const isDeniable = probe.kind !== 'continuation';
  const accepted = isDeniable ? undenied(index, places.accepted) : places.accepted;
  const refused = undenied(index, places.refused);
  if (accepted.length > 0) {
    return refused.length > 0 || hasAlternative(index, accepted) ? 'undecided' : 'right';
  }
  if (refused.length > 0) return 'wrong';
  return isAbstention ? 'abstained' : 'undecided';
}

/** A call either uses what is forbidden or does not, whatever is said of it. */
function scoreCall(probe: Probe, { text, isAbstention }: Claims): AnswerState {
  const index = indexText(text);
  const { accepted, refused } = findPlaces(index, probe);
  const isAllowed = deniesBlock(index.text);
  if (accepted.length > 0 && !isAllowed) {
    return hasAlternative(index, accepted) ? 'undecided' : 'right';
  }
  if (refused.length > 0) return 'wrong';
  if (isAbstention) return 'abstained';
  if (isCall(text)) return 'right';
  return isAllowed ? 'wrong' : 'undecided';
}
