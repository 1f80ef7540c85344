import {
  normaliseValue,
  ONTO_NAMES,
  toPlainCharacters,
  toSlashes,
  ungroup,
  UNITS,
  UNSPACED,
} from './words.ts';

/** A name or a number that means one thing and cannot be put in other words. */
export interface Entity {
  readonly type: EntityType;
  /** Normalised. */
  readonly value: string;
  /** As it stands in the text. */
  readonly text: string;
  /** Where it stands in the text. */
  readonly start: number;
}

/** What kinds of names and numbers are told apart. */
const ENTITY_TYPES = ['url', 'path', 'version', 'error', 'id', 'hash', 'symbol', 'number'] as const;

/** What kind of name or number something is. */
export type EntityType = (typeof ENTITY_TYPES)[number];

/** No file system has longer names; without an end, a row of signs would be gone through from each of them. */
const SEGMENT = String.raw`[\p{L}\p{N}_.@+~-]{0,254}[\p{L}\p{N}_]`;
const EXTENSION =
  '(?:[cm]?[jt]sx?|py|go|rs|java|kt|rb|php|cs|c|h|cc|cpp|hpp|swift|sh|sql|json[cl]?|ya?ml|toml|md|txt|html?|css|scss|vue|svelte|lock|cfg|ini|env|xml|csv|log|proto|graphql|ipynb|dockerfile)';
const START = String.raw`(?<![\p{L}\p{N}_@/.−-])`;
const END = String.raw`(?![\p{L}\p{N}_])`;
const UNIT = `(?:${[...UNITS, ...UNITS.map((unit) => unit.toUpperCase()), 'kB', '[KMGT]iB', 'Hz'].join('|')})`;
const UNIT_BEHIND = new RegExp(`^ ?${UNIT}${END}`, 'u');
/** Longer than any unit with what parts it from its number and from what follows. */
const UNIT_LENGTH = 12;

/** What a kind looks like where a name may start, the first that fits. */
const NAMES = {
  path: `(?:(?:~|\\.{1,2})?/${SEGMENT}(?:/${SEGMENT})+|(?:${SEGMENT}/)+${SEGMENT}\\.[\\p{L}\\p{N}]{1,10}|(?:${SEGMENT}/){2,}${SEGMENT}|[\\p{L}\\p{N}_][\\p{L}\\p{N}_.-]*\\.${EXTENSION})${END}`,
  version: String.raw`v?\d+\.\d+\.\d+(?:-[\w.]+)?${END}|v\d+(?:\.\d+)+${END}`,
  error: `(?:E_[A-Z0-9_]+|ERR_[A-Z0-9_]+|E[A-Z]{4,}|[A-Z]{2,5}\\d{3,5}|[A-Z][\\p{L}]*(?:Error|Exception))${END}`,
  id: `(?=[\\p{L}\\p{N}_-]*\\d)\\p{L}[\\p{L}\\p{N}_]*(?:-[\\p{L}\\p{N}_]+)+${END}`,
  hash: `(?=[0-9a-f]*\\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}${END}`,
  symbol: `(?:[a-z][\\p{L}\\p{N}]*[A-Z][\\p{L}\\p{N}]*|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[\\p{L}][\\p{L}\\p{N}]*(?:_[\\p{L}\\p{N}]+)+_?|[a-z]\\w+(?=\\(\\)))${END}`,
  number: `(?:\\d+(?:\\.\\d+)?(?: ?${UNIT})${END}|\\d{4,}(?:\\.\\d+)?${END})`,
} as const satisfies Partial<Record<EntityType, string>>;

/** What may start anywhere. */
const URL = String.raw`\b[a-z][a-z+]{2,8}:\/\/[^\s"'<>()\[\]{}，。、）」]*[^\s"'<>()\[\]{}，。、）」.,;:!?]`;
const TICKET = `#\\d{2,}${END}`;
const PORT = String.raw`(?<=\bport |localhost:|127\.0\.0\.1:)\d{2,5}`;

/** Every kind at once: what is part of a longer name is not taken for another. Where none may start is seen once. */
const ANY = new RegExp(
  [
    `(${URL})`,
    `${START}(?:${Object.values(NAMES)
      .map((shape) => `(${shape})`)
      .join('|')})`,
    `(${TICKET})`,
    `(${PORT})`,
  ].join('|'),
  'gu',
);
/** The kind of each group of these, in their order. */
const GROUP_TYPES: readonly EntityType[] = [
  'url',
  ...(Object.keys(NAMES) as (keyof typeof NAMES)[]),
  'id',
  'number',
];

/** Names that are written like symbols and are none. */
const NO_SYMBOLS = new Set(
  'javascript typescript github gitlab postgresql mysql sqlite mongodb graphql nodejs openai macos devops webassembly youtube linkedin stackoverflow'.split(
    ' ',
  ),
);

const SCRIPT = `[${[...UNSPACED, ...ONTO_NAMES].map((range) => range.map((code) => String.fromCharCode(code)).join('-')).join('')}]`;
/** Where a script that puts no spaces there meets a name in Latin letters. */
const SCRIPT_END = new RegExp(`(?<=${SCRIPT})(?=\\w)|(?<=\\w)(?=${SCRIPT})`, 'g');

const BEHIND_DIGITS = /[^\d.].*$/;

/** All names and numbers of a text in order, as often as they stand there. */
export function* findEntities(source: string): Generator<Entity, void, undefined> {
  const text = plain(source);
  for (const match of text.matchAll(ANY)) {
    const { index } = match;
    const type = GROUP_TYPES[match.indexOf(match[0], 1) - 1];
    if (type === undefined) continue;
    const value = normaliseValue(match[0]);
    if (type === 'symbol' && NO_SYMBOLS.has(value)) continue;
    yield { type, value, text: match[0], start: index };
  }
}

/** Each name and number of a text once, by what it is normalised. */
export function distinctEntities(source: string): ReadonlyMap<string, Entity> {
  const all = new Map<string, Entity>();
  for (const entity of findEntities(source)) {
    if (!all.has(entity.value)) all.set(entity.value, entity);
  }
  return all;
}

/** Whether a unit stands behind a number that ends there. */
export function isBeforeUnit(text: string, end: number): boolean {
  return UNIT_BEHIND.test(text.slice(end, end + UNIT_LENGTH));
}

/** A number without its unit. */
export function withoutUnit(value: string): string {
  return value.replace(BEHIND_DIGITS, '');
}

/** One width of characters, one kind of slashes, no groups of digits, and blanks around names in Chinese sentences. */
function plain(text: string): string {
  return ungroup(toSlashes(toPlainCharacters(ungroup(text)))).replaceAll(SCRIPT_END, ' ');
}
