import { normaliseValue } from '../quality/text/normalise.ts';
import { variantsOf } from '../quality/text/other-forms.ts';
import { findValue, indexText, type TextIndex } from '../quality/text/text-index.ts';
import type { Probe } from './probe.ts';

/** What an answer is, as far as rules can tell. */
export type AnswerState = 'right' | 'wrong' | 'abstained' | 'undecided';

const TOLD = '(?:mentioned|given|said|stated|specified|provided|told|named)';
const ABSTENTIONS = new RegExp(
  [
    String.raw`\bunknown\b`,
    String.raw`\bi (?:do not|don't|cannot|can't) (?:know|recall|remember|tell|say)\b`,
    String.raw`\b(?:does|did)(?: not|n't) (?:tell|say|mention|specify|state|give)\b`,
    String.raw`(?:\b(?:not|never)|n't)(?: been| ever)? ${TOLD}\b`,
    String.raw`\b(?:none|nothing|no(?: \w+){1,3}) (?:is|was|were|has been) ${TOLD}\b`,
    String.raw`\bno (?:mention|information)\b`,
    '不知道|没有提到|未提及|未说明|未指定|分かりません|わかりません|記載がありません|不明',
    'nicht (?:erwähnt|angegeben|genannt)|unbekannt|не (?:указан|упомина|упомянут)|неизвестно',
  ].join('|'),
  'i',
);
/** Says that a call is allowed. */
const NOT_BLOCKED = /(?:\bnot|n't|\bnever|\bno longer)(?: \w+)? blocked\b/i;
const CURLY = /’/g;

/** Decides an answer by exact or other forms of the value; what neither forms nor abstains is left to a judge. */
export function scoreAnswer(probe: Probe, answer: string): AnswerState {
  const { kind, accepted, refused } = probe;
  const index = indexText(answer);
  const isAbstention = answer.trim() === '' || ABSTENTIONS.test(answer.replaceAll(CURLY, "'"));
  if (kind === 'abstention') return isAbstention ? 'right' : 'wrong';
  const hasAccepted = accepted.some((value) => stands(index, value));
  const hasRefused = refused.some((value) => stands(index, value));
  // A call either uses what is forbidden or does not; there is nothing to judge.
  if (kind === 'compliance') {
    if (hasAccepted && !NOT_BLOCKED.test(answer)) return 'right';
    if (hasRefused) return 'wrong';
    return isAbstention ? 'abstained' : 'right';
  }
  if (hasAccepted) return hasRefused ? 'undecided' : 'right';
  if (hasRefused) return 'wrong';
  return isAbstention ? 'abstained' : 'undecided';
}

/** Whether a value stands in a text, in any form. */
export function stands(index: TextIndex, value: string): boolean {
  const own = normaliseValue(value);
  return [own, ...variantsOf(own)].some((form) => form !== '' && findValue(index, form).length > 0);
}
