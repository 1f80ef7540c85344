import type { FactKind, PlantedFact } from '../../../session/facts.ts';
import type { Draw } from '../draw.ts';
import type { Words } from '../text/words.ts';

/** What a fact is, whatever the language in which it is said. */
interface FactShape {
  readonly sources: readonly PlantedFact['source'][];
  readonly criticality: PlantedFact['criticality'];
  readonly polarity: PlantedFact['polarity'];
  /** A later fact may take its place. */
  readonly canChange: boolean;
  readonly value: (draw: Draw, words: Words) => string;
  /** Other ways to write the value. */
  readonly aliases?: (value: string) => readonly string[];
}

const DO = { polarity: 'do', canChange: false } as const;
const MUST = { ...DO, criticality: 'must' } as const;
const SHOULD = { ...DO, criticality: 'should' } as const;
const NICE = { ...DO, criticality: 'nice' } as const;

/** Letters and digits that cannot be taken for each other. */
const CODE_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'.split('');
const DIGITS = '0123456789'.split('');
const CODE_LENGTH = 8;
const NUMBER_LENGTH = 10;

/** What planted facts are, by kind. */
const factShapes = {
  goal: {
    ...MUST,
    sources: ['user'],
    value: (draw, w) => `ship ${w.noun()}-${code(draw)}`,
    aliases: lastWord,
  },
  constraint: {
    ...MUST,
    polarity: 'dont',
    sources: ['user', 'tool'],
    value: (draw, w) => `${w.noun()}_${code(draw)}`,
  },
  preference: {
    ...NICE,
    canChange: true,
    sources: ['user'],
    value: (draw) => `${code(draw)}_`,
    aliases: (value) => [value.slice(0, -1)],
  },
  path: {
    ...SHOULD,
    sources: ['tool', 'assistant', 'user'],
    value: (draw, w) => `src/${w.noun()}/${code(draw)}_${w.noun()}.ts`,
  },
  symbol: {
    ...SHOULD,
    sources: ['tool', 'assistant'],
    value: (draw, w) => `${w.verb()}_${code(draw)}`,
  },
  decision: {
    ...MUST,
    canChange: true,
    sources: ['assistant', 'user'],
    value: (draw, w) => `${w.noun()}-${code(draw)}`,
  },
  rationale: {
    ...NICE,
    sources: ['assistant'],
    value: (draw) => `incident ${code(draw)}`,
    aliases: lastWord,
  },
  rejected: {
    ...SHOULD,
    polarity: 'dont',
    sources: ['assistant', 'user'],
    value: (draw, w) => `${w.noun()}kit-${code(draw)}`,
  },
  error: {
    ...SHOULD,
    sources: ['tool'],
    value: (draw) => `E_${code(draw).toUpperCase()}`,
  },
  id: {
    ...SHOULD,
    sources: ['tool', 'user'],
    value: (draw) => `cfg-${code(draw)}`,
  },
  number: {
    ...MUST,
    canChange: true,
    sources: ['user', 'tool', 'assistant'],
    value: (draw) => `${draw.whole(1, DIGITS.length - 1)}${letters(draw, DIGITS, NUMBER_LENGTH)}`,
  },
  command: {
    ...SHOULD,
    sources: ['user', 'tool'],
    value: (draw, w) => `make ${w.verb()}-${code(draw)}`,
    aliases: lastWord,
  },
  todo: {
    ...SHOULD,
    canChange: true,
    sources: ['assistant'],
    value: (draw, w) => `${w.verb()} ${w.noun()} ${code(draw)}`,
    aliases: lastWord,
  },
  state: {
    ...MUST,
    canChange: true,
    sources: ['assistant', 'tool'],
    value: (draw) => `checkpoint ${code(draw)}`,
    aliases: lastWord,
  },
} satisfies Record<FactKind, FactShape>;

const CODE_PART = /[a-zA-Z0-9]{8,}/g;

/** The shape of a kind. */
export function shapeOf(kind: FactKind): FactShape {
  return factShapes[kind];
}

/** Letters and digits that nobody can guess. */
export function code(draw: Draw): string {
  return letters(draw, CODE_LETTERS, CODE_LENGTH);
}

/** A value with one other letter or digit in its unguessable part. */
export function resemble(value: string, draw: Draw): string {
  const places = [...value.matchAll(CODE_PART)].flatMap(({ index, 0: part }) =>
    Array.from(part, (_, offset) => index + offset),
  );
  const place = draw.one(places) ?? value.length - 1;
  const old = value.charAt(place);
  const others = /\d/.test(old) ? DIGITS : CODE_LETTERS;
  const other = draw.word(others.filter((letter) => letter !== old.toLowerCase()));
  const isCapital = old !== old.toLowerCase();
  return value.slice(0, place) + (isCapital ? other.toUpperCase() : other) + value.slice(place + 1);
}

function lastWord(value: string): readonly string[] {
  return value.split(' ').slice(-1);
}

function letters(draw: Draw, alphabet: readonly string[], length: number): string {
  return Array.from({ length }, () => draw.word(alphabet)).join('');
}
