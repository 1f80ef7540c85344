/** States of facts in texts, held against labels that were given by reading. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../src/simulator/lib/collections.ts';
import { type FactState, factStates } from '../../src/simulator/metrics/quality/fact-states.ts';
import { factsAt } from '../../src/simulator/session/facts.ts';
import { plainText } from '../../src/simulator/metrics/quality/spelling.ts';
import type { PlantedFact } from '../../src/simulator/session/facts.ts';
import type { AgreementRow } from './row.ts';

/** A label; `unknown` is none, for a reader is sure. */
export type FactLabel = Exclude<FactState, 'unknown'>;

/** One fact in one text, with what a reader says of it. */
export interface FactCase {
  /** The text, and the fact where the text has several. */
  readonly id: string;
  /** Of the text. */
  readonly language: string;
  /** The text is in another language than its session. */
  readonly isTranslated: boolean;
  readonly fact: PlantedFact;
  /** The text with all its facts, one object for all its cases. */
  readonly source: Pick<LabelledText, 'text' | 'facts'>;
  readonly text: string;
  readonly label: FactLabel;
  /** Two careful readers may differ. */
  readonly isDoubtful: boolean;
  readonly state: FactState;
}

/** A text with the facts of its session and the label of each that holds. */
interface LabelledText {
  readonly id: string;
  readonly language: string;
  readonly isTranslated: boolean;
  readonly text: string;
  readonly facts: readonly PlantedFact[];
  readonly labels: Readonly<Record<string, FactLabel>>;
  readonly doubtful: readonly string[];
}

interface SessionFile {
  readonly facts: readonly PlantedFact[];
  readonly summaries: readonly Omit<LabelledText, 'facts' | 'isTranslated'>[];
}

type LabelledSentence = Pick<
  PlantedFact,
  'kind' | 'subject' | 'value' | 'polarity' | 'aliases' | 'todoState'
> & {
  readonly id: string;
  readonly language: string;
  readonly sentence: string;
  readonly previous?: string;
  readonly label: FactLabel;
  readonly doubtful?: boolean;
};

/** A row of the table: cases that count in it (all by default), and when one agrees (where the state is the label). */
interface Counting {
  readonly number: string;
  readonly of?: (one: FactCase) => boolean;
  readonly agrees?: (one: FactCase) => boolean;
  readonly wanted?: number;
}

const SENTENCES = 'sentences.json';
const LEAST_KEPT = 0.9;
const LEAST_DENIED = 0.9;
const LEAST_WRONG = 0.95;
/** Languages of which kept facts have to be found. */
const LANGUAGES = { en: 'English', zh: 'Chinese', ja: 'Japanese', de: 'German' } as const;
const NATURAL_LANGUAGES = { ...LANGUAGES, es: 'Spanish' };
/** By the letter in the name of a case. */
const NATURAL_FORMS = {
  b: 'bullets',
  p: 'prose',
  t: 'tables',
  x: 'in another language',
  u: 'amounts',
  n: 'whole summaries',
};
const LABELS: readonly FactLabel[] = [
  'kept',
  'unbound',
  'wrong-value',
  'contradicted',
  'stale',
  'lost',
];
/** The least share of its facts that a text keeps which is faithful to its session. */
const FAITHFUL_SHARE = 0.9;
const PLANTED = { criticality: 'must', source: 'user', step: 1, posPct: 0, neededAt: [] } as const;

/** All cases of those folders that are there: files of sessions with summaries, and of single sentences. */
export function readCases(folders: readonly string[]): readonly FactCase[] {
  return folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .toSorted()
        .filter((name) => !name.startsWith('loss-'))
        .flatMap((name) => {
          const text = readFileSync(join(folder, name), 'utf8');
          const texts =
            name === SENTENCES
              ? (JSON.parse(text) as readonly LabelledSentence[]).map(toText)
              : summariesOf(JSON.parse(text) as SessionFile);
          return texts.flatMap(toCases);
        }),
    );
}

/** The agreement of states with labels: what is accepted, each label by itself, and two baselines. */
export function factRows(cases: readonly FactCase[]): readonly AgreementRow[] {
  return [
    ...acceptedRows(cases),
    ...rowsOf(cases, [
      ...LABELS.map((name) => ({ number: `Label ${name}`, of: isLabelled(name) })),
      { number: 'All facts' },
      { number: 'All facts that readers do not doubt', of: ({ isDoubtful }) => !isDoubtful },
      {
        number: 'Baseline: kept where the value stands anywhere',
        agrees: (one) => one.label === (standsAnywhere(one) ? 'kept' : 'lost'),
      },
      { number: 'Baseline: always kept', agrees: isLabelled('kept') },
    ]),
  ];
}

/** The agreement with cases of another author: what is accepted, and all together. */
export function unseenRows(cases: readonly FactCase[]): readonly AgreementRow[] {
  const accepted = acceptedRows(cases).filter((one) => one.cases > 0);
  return [...accepted, ...rowsOf(cases, [{ number: 'All facts' }])].map((one) => ({
    ...one,
    number: `Unseen: ${one.number.charAt(0).toLowerCase()}${one.number.slice(1)}`,
  }));
}

/** The agreement with plain, terse facts by language, form and kind of label; `name` says which of them. */
export function naturalRows(name: string, cases: readonly FactCase[]): readonly AgreementRow[] {
  const formOf = ({ id }: FactCase) => /-([a-z])\d+$/.exec(id)?.[1] ?? 'n';
  const rows: readonly Counting[] = [
    ...Object.entries(NATURAL_LANGUAGES).map(([language, title]) => ({
      number: `all facts, ${title}`,
      of: (one: FactCase) => one.language === language,
    })),
    ...Object.entries(NATURAL_FORMS).map(([form, title]) => ({
      number: `all facts, ${title}`,
      of: (one: FactCase) => formOf(one) === form,
    })),
    { number: 'kept facts that are found', of: isLabelled('kept'), agrees: isKept },
    {
      number: 'contradicted facts that are not taken for kept',
      of: isLabelled('contradicted'),
      agrees: isNotKept,
    },
    {
      number: 'wrong values that are not taken for kept',
      of: isLabelled('wrong-value'),
      agrees: isNotKept,
    },
    { number: 'all facts' },
  ];
  return rowsOf(cases, rows)
    .map((row) => ({ ...row, number: `${name}: ${row.number}` }))
    .filter((row) => row.cases > 0);
}

function acceptedRows(cases: readonly FactCase[]): readonly AgreementRow[] {
  const kept = cases.filter(isLabelled('kept'));
  const found = [
    ...Object.entries(LANGUAGES).map(([language, name]) => ({
      number: `Kept facts that are found, ${name}`,
      of: (one: FactCase) => one.language === language && !one.isTranslated,
    })),
    {
      number: 'Kept facts that are found, other languages',
      of: (one: FactCase) => !(one.language in LANGUAGES) && !one.isTranslated,
    },
    {
      number: "Kept facts that are found, text in another language than its session's",
      of: ({ isTranslated }: FactCase) => isTranslated,
    },
  ];
  return [
    ...rowsOf(
      kept,
      found.map((one) => ({ ...one, agrees: isKept, wanted: LEAST_KEPT })),
    ),
    ...rowsOf(cases, [
      {
        number: 'Kept facts that are not called contradicted',
        of: isLabelled('kept'),
        agrees: ({ state }) => state !== 'contradicted',
        wanted: 1,
      },
      {
        number: 'Contradicted facts that are not taken for kept',
        of: isLabelled('contradicted'),
        agrees: isNotKept,
        wanted: LEAST_DENIED,
      },
      {
        number: 'Wrong values that are not taken for kept',
        of: isLabelled('wrong-value'),
        agrees: isNotKept,
        wanted: LEAST_WRONG,
      },
    ]),
    faithfulRow(cases),
  ];
}

/** Every pair of a faithful summary and one that denies everything: the faithful one keeps a larger share. */
function faithfulRow(cases: readonly FactCase[]): AgreementRow {
  const texts = [...groupBy(cases, ({ text }) => text).values()].filter((own) => own.length > 1);
  const shareOf = (own: readonly FactCase[], is: (one: FactCase) => boolean) =>
    own.filter(is).length / own.length;
  const isMostly = (label: FactLabel) => (own: readonly FactCase[]) =>
    shareOf(own, isLabelled(label)) >= FAITHFUL_SHARE;
  const keptOf = (own: readonly FactCase[]) => shareOf(own, isKept);
  const denied = texts.filter(isMostly('contradicted')).map(keptOf);
  const pairs = texts
    .filter(isMostly('kept'))
    .flatMap((own) => denied.map((other) => keptOf(own) > other));
  return {
    number: 'Faithful summaries above those in which all is denied, pairs',
    cases: pairs.length,
    agree: pairs.filter(Boolean).length,
    wanted: 1,
  };
}

function rowsOf(cases: readonly FactCase[], rows: readonly Counting[]): readonly AgreementRow[] {
  return rows.map(({ number, of = () => true, agrees = isRight, wanted }) => {
    const own = cases.filter(of);
    const agree = own.filter(agrees).length;
    return { number, cases: own.length, agree, ...(wanted !== undefined && { wanted }) };
  });
}

/** Tests if the state is the label. */
export function isRight({ state, label }: FactCase): boolean {
  return state === label;
}

function isLabelled(label: FactLabel): (one: FactCase) => boolean {
  return (one) => one.label === label;
}

function isKept({ state }: FactCase): boolean {
  return state === 'kept';
}

function isNotKept({ state }: FactCase): boolean {
  return state !== 'kept';
}

function standsAnywhere({ text, fact: { value, aliases = [] } }: FactCase): boolean {
  const plain = plainText(text);
  return [value, ...aliases].some((spelling) => plain.includes(plainText(spelling)));
}

function summariesOf({ facts, summaries }: SessionFile): readonly LabelledText[] {
  const own = summaries[0]?.language;
  return summaries.map((summary) => ({
    ...summary,
    facts,
    isTranslated: summary.language !== own,
  }));
}

function toText({
  id,
  language,
  sentence,
  previous,
  label,
  doubtful,
  ...stated
}: LabelledSentence): LabelledText {
  const fact: PlantedFact = { ...PLANTED, ...stated, id };
  const { aliases: _, ...bare } = fact;
  const before = previous === undefined ? [] : [{ ...bare, id: 'previous', value: previous }];
  return {
    id,
    language,
    isTranslated: false,
    text: sentence,
    facts: [...before, { ...fact, ...(before.length > 0 && { supersedes: 'previous' }) }],
    labels: { [id]: label },
    doubtful: doubtful === true ? [id] : [],
  };
}

function toCases(source: LabelledText): readonly FactCase[] {
  const { id, text, facts, labels, doubtful, language, isTranslated } = source;
  const shared = { source, text, language, isTranslated };
  const states = factStates(text, facts);
  return factsAt(facts).live.flatMap((fact) => {
    const [label, state] = [labels[fact.id], states.get(fact.id)];
    if (label === undefined || state === undefined) return [];
    const name = fact.id === id ? id : `${id} ${fact.id}`;
    return [{ ...shared, id: name, fact, label, state, isDoubtful: doubtful.includes(fact.id) }];
  });
}
