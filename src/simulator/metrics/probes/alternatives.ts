import type { TextIndex } from '../quality/text/text-index.ts';
import type { Place } from './find-texts.ts';

/** Characters to either side of a value in which another one would be offered. */
const REACH = 60;
/** Stands for the values of an answer while others are looked for beside them. */
const OWN = '\uE000';

const SPACED_OR = 'or|vs|versus|alternatively|if not|oder|beziehungsweise|bzw|или|либо';
const UNSPACED_OR = '或(?:者|是)?|[还還]是|または|もしくは|あるいは|それとも';
const OPENING_OR = 'either|entweder';
/** What follows goes on with the value itself. */
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

/** Whether an answer offers another value beside one that it states, so that nobody knows which one is meant. */
export function hasAlternative({ text }: TextIndex, stated: readonly Place[]): boolean {
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

function isOfForm(other: string, value: string): boolean {
  const form = FORMS.find((one) => one.test(value));
  return form !== undefined && form.test(other);
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
