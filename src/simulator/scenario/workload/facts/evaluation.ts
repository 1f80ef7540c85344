/** Fills the templates of the evaluation bank. */

import {
  FACT_KINDS,
  FILE_OPERATIONS,
  TODO_STATES,
  type PlantedFact,
} from '../../../session/facts.ts';
import type { Draw } from '../draw.ts';
import { capital, type Words } from '../words.ts';
import {
  AGAIN_TEMPLATES,
  CORRECTION_TEMPLATES,
  DECOY_TEMPLATES,
  DEPENDENT_TEMPLATES,
  FILE_TEMPLATES,
  INJECTION_TEMPLATES,
  KIND_TEMPLATES,
  PLAIN_TEMPLATES,
  TODO_TEMPLATES,
  USES,
} from './evaluation-bank.ts';
import { COMMON, type Phrases } from './phrases.ts';

type Source = PlantedFact['source'];

/** Values of placeholders by their names. */
type Filling = Readonly<Record<string, string>>;

const LONGEST_SENTENCE = 200;
const PLACEHOLDER = /\{(\w+)\}/g;
const RANDOM = /^(d|hex|HEX)(\d)$/;
const DIGITS = '0123456789'.split('');
const HEX_DIGITS = '0123456789abcdef'.split('');
/** Letters and digits that cannot be taken for each other. */
const CODE_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'.split('');
const CODE_LENGTH = 8;

/** Phrases whose wording is drawn anew for each fact. */
export function evaluationPhrases(draw: Draw): Phrases {
  const say = (templates: readonly string[] = [], filling: Filling): string =>
    fill(draw.word(templates), (name) => filling[name]);
  const saying =
    (templatesOf: (source: Source) => readonly string[] | undefined) =>
    (subject: string, value: string, source: Source) =>
      say(templatesOf(source), { subject, value });
  const name = (templates: readonly string[], words: Words): string =>
    fill(draw.word(templates), (placeholder) => wordFor(placeholder, words, draw));
  return {
    longestSentence: LONGEST_SENTENCE,
    kinds: byKey(FACT_KINDS, (kind) => ({
      subject: (words) => name(KIND_TEMPLATES[kind].subjects, words),
      sentence: saying((source) => KIND_TEMPLATES[kind].sentences[source]),
    })),
    todos: byKey(TODO_STATES, (state) => saying(() => TODO_TEMPLATES[state])),
    files: byKey(FILE_OPERATIONS, (operation) =>
      saying((source) => FILE_TEMPLATES[operation][source]),
    ),
    value: (kind, words) => name(KIND_TEMPLATES[kind].values, words),
    correction: (sentence, change) => say(CORRECTION_TEMPLATES, { sentence, ...change }),
    dependent: (condition, sentence) => say(DEPENDENT_TEMPLATES, { sentence, ...condition }),
    decoys: DECOY_TEMPLATES.map((template) => (subject) => fill(template, () => subject)),
    common: COMMON,
    plain: (subject, value) => say(PLAIN_TEMPLATES, { subject, value }),
    injection: (subject, value) => say(INJECTION_TEMPLATES, { subject, value }),
    again: (sentence) => say(AGAIN_TEMPLATES, { sentence }),
    uses: USES,
  };
}

function byKey<Key extends string, Value>(
  keys: readonly Key[],
  make: (key: Key) => Value,
): Readonly<Record<Key, Value>> {
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<Key, Value>;
}

/** A template with its placeholders filled; braces around other words stay. */
function fill(template: string, valueOf: (name: string) => string | undefined): string {
  return template.replaceAll(PLACEHOLDER, (whole, name: string) => valueOf(name) ?? whole);
}

function wordFor(name: string, words: Words, draw: Draw): string | undefined {
  const [, digits = '', length = ''] = RANDOM.exec(name) ?? [];
  if (digits === 'd') return draw.whole(1, 9) + random(draw, DIGITS, Number(length) - 1);
  if (digits !== '') return cased(digits, random(draw, HEX_DIGITS, Number(length)));
  const word = lowerWord(name.toLowerCase(), words, draw);
  return word && cased(name, word);
}

function lowerWord(name: string, words: Words, draw: Draw): string | undefined {
  if (name === 'noun') return words.noun();
  if (name === 'verb') return words.verb();
  return name === 'code' ? random(draw, CODE_LETTERS, CODE_LENGTH) : undefined;
}

/** A word in the case of its placeholder. */
function cased(name: string, word: string): string {
  if (name === name.toUpperCase()) return word.toUpperCase();
  return name === capital(name) ? capital(word) : word;
}

function random(draw: Draw, alphabet: readonly string[], length: number): string {
  return Array.from({ length }, () => draw.word(alphabet)).join('');
}
