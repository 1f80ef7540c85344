import { normaliseValue, variantsOf } from '../quality/text/normalise.ts';
import { findValue, indexText, type TextIndex } from '../quality/text/text-index.ts';
import { type Probe, UNKNOWN_ANSWER } from './probe.ts';

/** What an answer is, as far as rules can tell. */
export type AnswerState = 'right' | 'wrong' | 'abstained' | 'undecided';

const ABSTENTIONS =
  /\b(?:unknown|i (?:do not|don't) (?:know|recall|remember)|(?:is|was) not (?:mentioned|given|said|stated)|no (?:mention|information))\b|不知道|没有提到|未提及|分かりません|わかりません|記載がありません/i;

/** Decides an answer by exact or other forms of the value; what neither forms nor abstains is left to a judge. */
export function scoreAnswer({ kind, accepted, refused }: Probe, answer: string): AnswerState {
  const index = indexText(answer);
  const isAbstention = answer.trim() === '' || ABSTENTIONS.test(answer);
  if (kind === 'abstention') return isAbstention ? 'right' : 'wrong';
  const hasRefused = refused.some((value) => stands(index, value));
  // A call either uses what is forbidden or does not; there is nothing to judge.
  if (kind === 'compliance')
    return hasRefused || isAbstention ? 'wrong' : complies(index, accepted);
  const hasAccepted = accepted.some((value) => stands(index, value));
  if (hasAccepted) return hasRefused ? 'undecided' : 'right';
  if (hasRefused) return 'wrong';
  return isAbstention ? 'abstained' : 'undecided';
}

/** Whether a value stands in a text, in any form. */
export function stands(index: TextIndex, value: string): boolean {
  const own = normaliseValue(value);
  return [own, ...variantsOf(own)].some((form) => form !== '' && findValue(index, form).length > 0);
}

/** Any call that does without what is forbidden keeps to the rule. */
function complies(index: TextIndex, accepted: readonly string[]): AnswerState {
  return accepted.some((value) => stands(index, value)) || !stands(index, UNKNOWN_ANSWER)
    ? 'right'
    : 'wrong';
}
