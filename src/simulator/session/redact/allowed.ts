import { PATH_KEYS } from '../../../engine/index.ts';
import { sessionFormats } from '../formats.ts';
import { STEERED_KEYS, STEERING_WORDS } from '../shell.ts';
import LISTS from './kept-words.json' with { type: 'json' };

/** Values that redaction keeps, by field; everything else is replaced. */
const VALUES: Readonly<Record<string, string>> = {
  ...LISTS.values,
  format: [...Object.keys(sessionFormats), 'synthetic'].join(' '),
  name: keptBy('errors'),
  tool: keptBy('tools'),
};

const ARGUMENTS = keptBy('arguments');
/** Argument names whose short numbers are sizes, lines and times. */
const SIZES = keptBy('sizes');
/** Search switches followed by a number of lines. */
const LINE_SWITCH = /^-[ABC]$/;
const SIZE_DIGITS = 6;
/** A command line switch; there are too few to reveal anything. */
const SWITCH = /^-[A-Za-z]$/;
const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const values: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(VALUES).map(([field, list]) => [field, words(list)]),
);
const argumentNames = new Set([...words(`${ARGUMENTS} ${SIZES}`), ...PATH_KEYS, ...STEERED_KEYS]);
const sizeNames = words(SIZES);
const fieldNames = words(LISTS.fields);
const reasonWords = words(keptBy('reasons'));
const QUOTED = /"[^"]*"|“[^”]*”|'[^']*'/g;

/** Checks a value against those that its field may keep. */
export function isAllowedValue(field: string, value: string): boolean {
  return values.get(field)?.has(value) ?? false;
}

/** Checks the name of a tool argument against those that may be kept. */
export function isAllowedArgument(name: string): boolean {
  return argumentNames.has(name) || SWITCH.test(name);
}

/** Accepts sizes too short to reveal anything. */
export function isAllowedNumber(name: string, value: number): boolean {
  if (!sizeNames.has(name) && !LINE_SWITCH.test(name)) return false;
  return String(value).replaceAll(/\D/g, '').length <= SIZE_DIGITS;
}

/** Checks for a field name of sessions. */
export function isField(name: string): boolean {
  return fieldNames.has(name);
}

/** Recognizes reasons of import reports, apart from their quoted text. */
export function isReason(reason: string): boolean {
  const own = reason.replaceAll(QUOTED, ' ').toLowerCase().split(/\s+/);
  return own.every((word) => word === '' || reasonWords.has(word));
}

/** Replaces the quoted text in a reason. */
export function replaceQuoted(reason: string, replace: (text: string) => string): string {
  return reason.replaceAll(QUOTED, replace);
}

/** All texts that may be kept, so that no filler equals one. */
export function allowedTexts(): readonly string[] {
  const named = [ARGUMENTS, SIZES, LISTS.fields, ...Object.values(VALUES)];
  const listed = named.flatMap((list) => list.split(' '));
  return [...listed, ...PATH_KEYS, ...STEERED_KEYS, ...STEERING_WORDS];
}

function keptBy(key: 'tools' | 'arguments' | 'sizes' | 'errors' | 'reasons') {
  const lists: readonly Readonly<Record<string, string>>[] = Object.values(LISTS.words);
  return lists.flatMap((list) => list[key] ?? []).join(' ');
}
