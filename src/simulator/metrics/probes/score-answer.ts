import { normaliseValue } from '../quality/text/normalise.ts';
import { variantsOf } from '../quality/text/other-forms.ts';
import {
  findValue,
  indexText,
  isWithin,
  type Occurrence,
  type TextIndex,
} from '../quality/text/text-index.ts';
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
  const { kind } = probe;
  const { accepted, refused } = findTexts(indexText(answer), probe);
  const [hasAccepted, hasRefused] = [accepted !== undefined, refused !== undefined];
  const isAbstention = answer.trim() === '' || ABSTENTIONS.test(answer.replaceAll(CURLY, "'"));
  if (kind === 'abstention') return isAbstention ? 'right' : 'wrong';
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

/** The first of a question's texts of each kind that stands in a text, in any form; one that is a part of another does not. */
export function findTexts(
  index: TextIndex,
  { accepted, refused }: Pick<Probe, 'accepted' | 'refused'>,
): { readonly accepted: string | undefined; readonly refused: string | undefined } {
  const wanted = placesOf(index, accepted);
  const others = outside(placesOf(index, refused), wanted);
  return { accepted: outside(wanted, others)[0]?.value, refused: others[0]?.value };
}

interface Place {
  readonly value: string;
  readonly place: Occurrence;
}

function placesOf(index: TextIndex, values: readonly string[]): readonly Place[] {
  return values.flatMap((value) => {
    const own = normaliseValue(value);
    const forms = [own, ...variantsOf(own)].filter((form) => form !== '');
    return forms.flatMap((form) => findValue(index, form).map((place) => ({ value, place })));
  });
}

function outside(places: readonly Place[], others: readonly Place[]): readonly Place[] {
  return places.filter(({ place }) => !others.some((other) => isWithin(place, other.place)));
}
