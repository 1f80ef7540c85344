import { CLAUSE_BREAK, cue, NEGATION_AFTER, NEGATION_BEFORE, NEGATION_CLOSE } from './cues.ts';
import { findCues, isNegated } from './denial.ts';
import { indexText, type TextIndex } from './text-index.ts';
import { type Claims, findClaims } from './claims.ts';
import { findPlaces, type Place, type Probe } from './probe.ts';

/** The state of an answer, as far as rules decide it. */
type AnswerState = 'right' | 'wrong' | 'abstained' | 'undecided';

/** Characters to either side of a value in which another one would be offered. */
const REACH = 60;
/** Placeholder for an answer's values while others are searched. */
const OWN = '\uE000';

const SPACED_OR = 'or|vs|versus|alternatively|if not|oder|beziehungsweise|bzw|или|либо';
const UNSPACED_OR = '或(?:者|是)?|[还還]是|または|もしくは|あるいは|それとも';
const OPENING_OR = 'either|entweder';
/** Words after which the text goes on with the value itself. */
const SAME =
  'else|so|later|newer|more|higher|above|greater|earlier|older|less|lower|otherwise|sonst|höher|neuer|später|mehr|выше|новее|позже|более|иначе';
const AND = '[,;、&+]|(?:and|und|и)(?= )|和|と';

const WORD_START = String.raw`(?<![\p{L}\p{N}_])`;
const WORD_END = String.raw`(?![\p{L}\p{N}_])`;
const TOKEN = String.raw`(?<other>[\p{L}\p{N}_]+(?:[./@-][\p{L}\p{N}_]+)*)`;

const OR_AFTER = new RegExp(
  `^[\\s,;.()?]{0,3}(?:(?:${SPACED_OR})${WORD_END}\\.?(?![\\s,]*(?:${SAME})${WORD_END})|[/|]|${UNSPACED_OR}|か(?=[\\p{L}\\p{N}]))(?![\\s,]*${OWN})`,
  'u',
);
const OR_BEFORE = new RegExp(
  `(?:${WORD_START}(?:${OPENING_OR}|(?<!${OWN}[\\s,]*)(?:${SPACED_OR}))\\.?(?:,? \\p{L}+){0,2}|[^${OWN}\\s] ?[/|]|[^${OWN}\\s] ?(?:${UNSPACED_OR}|か))[\\s,]*$`,
  'u',
);
const LIST_AFTER = new RegExp(`^ ?(?:${AND}) ?${TOKEN}`, 'u');
const LIST_BEFORE = new RegExp(`${TOKEN} ?(?:${AND}) ?$`, 'u');

/** Forms of which an answer that has two names two values. */
const FORMS: readonly RegExp[] = [/^\d[\d.]*$/, /\//, /^(?=.*\d)(?=.*\p{L})/u];

const BLOCKED = 'blocked';
/** Each says before the word, or behind it, that the call is allowed. */
const ALLOWING: readonly string[] = [
  `(?:\\bnot|n't|\\bnever|\\bno longer|\\bneither|\\bnothing (?:is|was)|\\bnon|\\bun)[ _-]?(?:\\w+ ){0,4}${BLOCKED}`,
  `${BLOCKED}(?:\\?[^\\w]*no\\b| (?:is|was|would be) (?:\\w+ )?(?:wrong|incorrect|false|mistaken)\\b| does not apply)`,
  `\\bnicht (?:\\p{L}+ )?${BLOCKED}|${BLOCKED} (?:ist|wäre) (?:falsch|nicht)`,
  `(?<!\\p{L})не (?:\\p{L}+ )?${BLOCKED}`,
  `[不没沒未][是有被会會]{0,2} ?${BLOCKED}`,
  `${BLOCKED} ?(?:では|じゃ)(?:な|あり)`,
];
const ALLOWED = new RegExp(ALLOWING.join('|'), 'u');
const CALL = /[\p{L}\p{N}_]\(|\{/u;

/** Words that mark a nearby value as wrong. */
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

/** Decides an answer by exact or other forms of the value; what neither states one nor abstains is left to a judge. */
export function scoreAnswer(probe: Probe, answer: string): AnswerState {
  const claims = findClaims(answer, probe);
  if (probe.kind === 'abstention') return claims.isAbstention ? 'right' : 'wrong';
  return probe.kind === 'compliance' ? scoreCall(probe, claims) : scoreValue(probe, claims);
}

/** Scores a call by its use of forbidden values, regardless of other text. */
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

/** Tests if a normalised answer says that the call is not blocked. */
function deniesBlock(text: string): boolean {
  return ALLOWED.test(text);
}

/** Tests if an answer offers a second value beside a stated one, so that it is unclear which one is meant. */
function hasAlternative({ text }: TextIndex, stated: readonly Place[]): boolean {
  const masked = mask(text, stated);
  const values = masked.matchAll(new RegExp(OWN, 'g'));
  return Array.from(values, ({ index }) => index).some((at) => {
    const before = masked.slice(Math.max(0, at - REACH), at);
    const after = masked.slice(at + 1, at + 1 + REACH);
    if (OR_AFTER.test(after) || OR_BEFORE.test(before)) return true;
    const others = [LIST_AFTER.exec(after), LIST_BEFORE.exec(before)];
    return others.some((found) => isOfForm(found?.groups?.['other'] ?? '', stated[0]?.value ?? ''));
  });
}

/** A text with the same sign for each value. */
function mask(text: string, stated: readonly Place[]): string {
  let at = 0;
  let masked = '';
  for (const { place } of stated.toSorted((a, b) => a.place.start - b.place.start)) {
    if (place.start < at) continue;
    masked += text.slice(at, place.start) + OWN;
    at = place.end;
  }
  return masked + text.slice(at);
}

function isOfForm(other: string, value: string): boolean {
  const form = FORMS.find((one) => one.test(value));
  return form !== undefined && form.test(other);
}

/** Tests if an answer contains a call. */
function isCall(text: string): boolean {
  return CALL.test(text);
}

/** Scores a value: a denied one, or one of several, does not count; a guess does. Source: evaluation design, section 9.2. */
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

/** The places of values that are not denied. */
function undenied(index: TextIndex, places: readonly Place[]): readonly Place[] {
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
