/**
 * Sentences, subjects and values of planted facts. No summarizer was developed on those of `facts-evaluation.json`: whoever works on
 * a summarizer or on its scores leaves that file unread.
 */

import * as z from 'zod';
import { FACT_KINDS, FILE_OPERATIONS, type PlantedFact, TODO_STATES } from '../../session/facts.ts';
import type { Draw } from './draw.ts';
import { fill, lettersOf, type Words } from './words.ts';
import { type Bank, type Language, LANGUAGES, shippedTexts } from './workload.ts';

type Source = PlantedFact['source'];
type Templates = z.infer<typeof Templates>;
type Said = z.infer<typeof Said>;

/** The bank of one language, in words of one project. */
export interface Phrases {
  readonly bank: z.infer<typeof PhraseBank>;
  readonly say: (said: Said, about: Readonly<Record<string, string>>, source?: Source) => string;
  readonly name: (templates: Templates, words: Words) => string;
}

/** One template that is always taken, or several of which one is drawn. */
const Templates = z.union([z.string(), z.array(z.string())]);
const Said = z.union([
  Templates,
  z.partialRecord(z.enum(['user', 'assistant', 'tool']), Templates),
]);
const Kind = z.strictObject({ subjects: Templates, values: Templates, sentences: Said });
const Common = z.strictObject({ kind: z.enum(FACT_KINDS), subject: z.string(), value: z.string() });

const PhraseBank = z.strictObject({
  /** In characters, with its value. */
  longestSentence: z.int(),
  kinds: z.record(z.enum(FACT_KINDS), Kind),
  todos: z.record(z.enum(TODO_STATES), Templates),
  files: z.record(z.enum(FILE_OPERATIONS), Said),
  /** Says that the `{sentence}`, or the value for the `{old}` one, is new. */
  correction: Templates,
  /** Says that a `{sentence}` holds as long as something else does. */
  dependent: Templates,
  decoys: z.array(z.string()),
  common: z.array(Common),
  plain: Templates,
  injection: Templates,
  again: Templates,
  /** Sentences that use a value, and do not say what it belongs to. */
  uses: z.record(z.enum(['do', 'dont']), z.array(z.string())),
});

const banks = new Map(
  ['evaluation', ...LANGUAGES].map((name) => [name, shippedTexts(`facts-${name}`, PhraseBank)]),
);
const RANDOM = /^(d|hex)(\d+)$/;
const DIGITS = '0123456789'.split('');
const HEX_DIGITS = '0123456789abcdef'.split('');
/** Letters and digits that cannot be taken for each other. */
const CODE_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'.split('');
const CODE_LENGTH = 8;
const CODE_PART = /[a-zA-Z0-9]{8,}/g;

/** The phrases for evaluation, or those for development in a language. */
export function createPhrases(bank: Bank | undefined, language: Language, draw: Draw): Phrases {
  const phrases = banks.get(bank === 'evaluation' ? bank : language)?.();
  if (phrases === undefined) throw new RangeError(`Expected a language, got '${language}'.`);
  const chosen = (templates: Templates): string =>
    typeof templates === 'string' ? templates : draw.word(templates);
  return {
    bank: phrases,
    say: (said, about, source = 'user') => {
      const isShared = typeof said === 'string' || Array.isArray(said);
      return fill(chosen(isShared ? said : (said[source] ?? [])), (name) => about[name]);
    },
    name: (templates, words) =>
      fill(
        chosen(templates),
        (placeholder) => randomOf(placeholder, draw) ?? words.word(placeholder),
      ),
  };
}

/** Letters and digits that nobody can guess. */
export function code(draw: Draw) {
  return lettersOf(draw, CODE_LETTERS, CODE_LENGTH);
}

/** A value with one other letter or digit in its unguessable part. */
export function resemble(value: string, draw: Draw) {
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

/** `code`, `d4` without a leading zero, `hex6`. */
function randomOf(placeholder: string, draw: Draw) {
  if (placeholder === 'code') return code(draw);
  const [, digits, length] = RANDOM.exec(placeholder) ?? [];
  if (digits === 'd') return draw.whole(1, 9) + lettersOf(draw, DIGITS, Number(length) - 1);
  return digits && lettersOf(draw, HEX_DIGITS, Number(length));
}
