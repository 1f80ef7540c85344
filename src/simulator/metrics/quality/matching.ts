/** The values and subjects of facts, found in a text. */

import { groupBy } from '../../lib/collections.ts';
import { chainsOf, type factsAt, type PlantedFact } from '../../session/facts.ts';
import { type Clause, type Place, readText } from './read-text.ts';
import { plainText, switchWords, unitOf } from './spelling.ts';
import { VALUE } from './values.ts';
import { type Subject, subjectsOf } from './subjects.ts';
import { languageOf, type WordLanguage } from './word-lists.ts';

/** A text with the facts of a session found in it. */
export interface Matching {
  readonly facts: readonly PlantedFact[];
  readonly live: readonly PlantedFact[];
  readonly subjects: ReadonlyMap<string, Subject>;
  /** Strings that look like values of no fact. */
  readonly strangers: readonly (readonly [string, readonly Place[]])[];
  readonly placesOf: (fact: PlantedFact) => readonly Place[];
  /** Facts that it replaced. */
  readonly before: (fact: PlantedFact) => readonly PlantedFact[];
  readonly clauses: readonly Clause[];
  readonly language: WordLanguage;
  /** Subjects may be translated. */
  readonly isTranslated: boolean;
}

const MOST_PLACES = 50;

/** Finds the facts of a session in a text. */
export function matchFacts(text: string, { said, live }: ReturnType<typeof factsAt>): Matching {
  const chains = chainsOf(said);
  const read = readText(
    text,
    said.map((fact) => ({ key: keyOf(fact), spellings: spellingsOf(fact) })),
  );
  const known = groupBy(read.places, ({ key = '' }) => key);
  const places = new Map([...known].map(([key, own]) => [key, own.slice(-MOST_PLACES)]));
  const own = languageOf(
    live.map(({ subject, sentence = '' }) => `${subject} ${sentence}`).join(' '),
  );
  const language = languageOf(read.words.replaceAll(VALUE, ' '), own) ?? own ?? 'en';
  return {
    facts: said,
    live,
    subjects: subjectsOf(said),
    before: (fact) => {
      const chain = chains.find((one) => one.includes(fact)) ?? [];
      return chain.slice(0, chain.indexOf(fact));
    },
    placesOf: (fact) => places.get(keyOf(fact)) ?? [],
    strangers: [...groupBy(known.get('') ?? [], ({ written }) => plainText(written))],
    clauses: read.clauses,
    language,
    isTranslated: own !== undefined && own !== language,
  };
}

/** The same for values that are written alike. */
export function keyOf({ value }: PlantedFact): string {
  return plainText(value);
}

/** A share is also written as a fraction, what is counted has many names, and the reader joins groups with a sign between. */
function spellingsOf({ kind, value, aliases = [] }: PlantedFact): readonly string[] {
  const plain = plainText(value);
  const [, share] = /^(\d+(?:\.\d+)?) percent$/.exec(plain) ?? [];
  const [, count] = /^(\d+) \p{L}+/u.exec(plain) ?? [];
  const isCount = count !== undefined && unitOf(plain) === undefined;
  const share100 = share === undefined ? [] : [`${Number(share) / 100}`];
  const number = isCount ? count : value;
  const grouped = /^\d{5,}$/.test(number) ? [number.replaceAll(/\B(?=(?:\d{3})+$)/g, ' ')] : [];
  const switches = kind === 'state' ? switchWords(value) : [];
  return [value, ...aliases, ...share100, ...(isCount ? [count] : []), ...grouped, ...switches];
}
