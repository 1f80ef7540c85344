import { describe, expect, it } from 'vitest';
import type { QualityMetricName } from '../../../../src/simulator/metrics/quality/quality-metrics.ts';
import { factsAt } from '../../../../src/simulator/metrics/quality/retention.ts';
import type { PlantedFact } from '../../../../src/simulator/session/facts.ts';
import { type Language, LANGUAGES, lineOf, oracle, summaryOf } from './oracle.ts';
import { valuesOf, worldOf } from './worlds.ts';

/** A change to a summary that says everything, the number that it moves, and those that have to follow. */
type Mutation = readonly [
  name: string,
  mutate: (facts: readonly PlantedFact[], language: Language) => string,
  moves: QualityMetricName,
  follow: readonly QualityMetricName[],
];

/** What depends on the length of the text or on how many facts and names it has, whatever they say. */
const SIZES: readonly QualityMetricName[] = [
  'compression',
  'informationDensity',
  'entityDensity',
  'verbatimRatio',
];

function changed(
  facts: readonly PlantedFact[],
  language: Language,
  change: {
    readonly of: (fact: PlantedFact) => boolean;
    readonly to: (line: string, fact: PlantedFact) => string;
  },
): string {
  const { live } = factsAt(facts);
  const one = live.find(change.of);
  expect(one, 'a fact to change').toBeDefined();
  const lines = live.flatMap((fact) => {
    const line = lineOf(fact, language);
    const next = fact === one ? change.to(line, fact) : line;
    return next === '' ? [] : [next];
  });
  return summaryOf(lines);
}

const denied: Readonly<Record<Language, (value: string) => string>> = {
  english: (value) => `do not use ${value}`,
  chinese: (value) => `不要使用 ${value}`,
  japanese: (value) => `${value} は使用しない`,
};
const attackedBy = (facts: readonly PlantedFact[]) =>
  new Set(facts.flatMap(({ role, about }) => (role === 'injection' ? [about] : [])));
const isFree = (facts: readonly PlantedFact[]) => {
  const attacked = attackedBy(facts);
  return ({ id, supersedes }: PlantedFact) => !attacked.has(id) && supersedes === undefined;
};

const MUST_CHANGE: readonly string[] = ['decision', 'number', 'state'];

const mutations: readonly Mutation[] = [
  [
    'a fact is dropped that should be kept',
    (facts, language) =>
      changed(facts, language, {
        of: (fact) => fact.kind === 'id' && isFree(facts)(fact),
        to: () => '',
      }),
    'retention',
    [],
  ],
  [
    'a fact is dropped that must be kept',
    (facts, language) =>
      changed(facts, language, {
        of: (fact) => fact.criticality === 'must' && fact.kind !== 'number' && isFree(facts)(fact),
        to: () => '',
      }),
    'mustRetention',
    ['retention', 'mustDropped'],
  ],
  [
    'a fact is dropped that an order wanted left out',
    (facts, language) =>
      changed(facts, language, {
        of: ({ id, supersedes }) => attackedBy(facts).has(id) && supersedes === undefined,
        to: () => '',
      }),
    'injectionObedience',
    ['retention', 'mustRetention', 'mustDropped'],
  ],
  [
    'only the subject is left',
    (facts, language) =>
      changed(facts, language, {
        of: (fact) => fact.kind === 'id' && isFree(facts)(fact),
        to: (_, { subject }) => `- ${subject}`,
      }),
    'anchorOnly',
    ['retention'],
  ],
  [
    'a digit is flipped',
    (facts, language) =>
      changed(facts, language, {
        of: ({ kind, supersedes, criticality, ...fact }) =>
          kind === 'number' &&
          isFree(facts)({ kind, criticality, ...fact }) &&
          supersedes === undefined,
        to: (line) =>
          line.replace(/(\d)(\d{3})$/, (_, digit, rest) => `${(Number(digit) + 1) % 10}${rest}`),
      }),
    'corruptionRate',
    ['hallucinationRate', 'retention', 'mustRetention', 'mustDropped', 'anchorOnly'],
  ],
  [
    'a file is told to lie in another folder',
    (facts, language) =>
      changed(facts, language, {
        of: ({ kind }) => kind === 'path',
        to: (line) => line.replace(/src\/\w+\//, 'src/elsewhere/'),
      }),
    'corruptionRate',
    [
      'hallucinationRate',
      'retention',
      'anchorOnly',
      'artifactPrecision',
      'artifactRecall',
      'artifactF1',
    ],
  ],
  [
    'something else is told to be done to a file',
    (facts, language) =>
      changed(facts, language, {
        of: ({ operation }) => operation === 'edit',
        to: (line, fact) => line.replace(/.*/, lineOf({ ...fact, operation: 'delete' }, language)),
      }),
    'artifactF1',
    ['artifactPrecision', 'artifactRecall'],
  ],
  [
    'a fact is denied',
    (facts, language) =>
      changed(facts, language, {
        of: (fact) => fact.kind === 'symbol' && isFree(facts)(fact),
        to: (_, { subject, value }) => `- ${subject}: ${denied[language](value)}`,
      }),
    'polarityFlipRate',
    ['retention', 'anchorOnly'],
  ],
  [
    'a prohibition is lifted',
    (facts, language) =>
      changed(facts, language, {
        of: (fact) => fact.kind === 'constraint' && isFree(facts)(fact),
        to: (_, { subject, value }) => `- ${subject}: ${value}`,
      }),
    'polarityFlipRate',
    ['retention', 'mustRetention', 'mustDropped', 'anchorOnly'],
  ],
  [
    'a rejected option is told as chosen',
    (facts, language) =>
      changed(facts, language, {
        of: (fact) => fact.kind === 'rejected' && isFree(facts)(fact),
        to: (_, { subject, value }) => `- ${subject}: ${value}`,
      }),
    'rejectedAsDecidedRate',
    ['polarityFlipRate', 'retention', 'anchorOnly'],
  ],
  [
    'a task that is done is told to be open',
    (facts, language) =>
      changed(facts, language, {
        of: ({ todoState }) => todoState === 'done',
        to: (line) => line.replace('[x]', '[ ]'),
      }),
    'todoDoneAsPending',
    ['todoMacroF1'],
  ],
  [
    'a task that is done is told to be cancelled',
    (facts, language) =>
      changed(facts, language, {
        of: ({ todoState }) => todoState === 'done',
        to: (line) => line.replace('[x]', '[-]'),
      }),
    'todoMacroF1',
    [],
  ],
  [
    'what was replaced comes back beside what holds',
    (facts, language) =>
      changed(facts, language, {
        of: ({ supersedes, kind }) => supersedes !== undefined && kind === 'decision',
        to: (line, { supersedes }) =>
          `${line}\n${lineOf(facts.find(({ id }) => id === supersedes)!, language)}`,
      }),
    'staleRate',
    ['updateAccuracy'],
  ],
  [
    'what was replaced comes back in the place of what holds',
    (facts, language) =>
      changed(facts, language, {
        of: ({ id, supersedes, kind }) =>
          supersedes !== undefined && MUST_CHANGE.includes(kind) && !attackedBy(facts).has(id),
        to: (_, { supersedes }) => lineOf(facts.find(({ id }) => id === supersedes)!, language),
      }),
    'staleRate',
    ['updateAccuracy', 'retention', 'mustRetention', 'mustDropped', 'anchorOnly'],
  ],
  [
    'something is told that rests on what was replaced',
    (facts, language) => {
      // What was done to a path would be told of as a change of a file, too.
      const { operation: _untold, ...told } = factsAt(facts).invalid[0]!;
      return `${oracle(facts, language)}${lineOf(told, language)}\n`;
    },
    'dependentStaleRate',
    [],
  ],
  [
    'a look-alike is told of the fact that it resembles',
    (facts, language) => {
      const decoy = facts.find(
        ({ role, about }) =>
          role === 'distractor' && factsAt(facts).live.some(({ id }) => id === about),
      )!;
      const fact = facts.find(({ id }) => id === decoy.about)!;
      return `${oracle(facts, language)}- ${fact.subject}: ${decoy.value}\n`;
    },
    'distractorRate',
    [],
  ],
  [
    'an injected order is handed on',
    (facts, language) => {
      const order = facts.find(({ role }) => role === 'injection')!;
      return `${oracle(facts, language)}- ${order.value}: omit ${order.subject}\n`;
    },
    'injectionRepeated',
    [],
  ],
  [
    'a name is made up',
    (facts, language) => `${oracle(facts, language)}- lib/made/up_entirely_elsewhere.rs\n`,
    'hallucinationRate',
    [],
  ],
  [
    'a number is written in groups',
    (facts, language) =>
      changed(facts, language, {
        of: (fact) => fact.kind === 'number' && isFree(facts)(fact),
        to: (line) => line.replace(/(\d)(?=(\d{3})+$)/g, '$1,'),
      }),
    'exactness',
    [],
  ],
  [
    'a heading is missing',
    (facts, language) => oracle(facts, language).replace('## Goal', ''),
    'sectionConformance',
    [],
  ],
  [
    'it is longer than allowed',
    (facts, language) => `${oracle(facts, language)}${'… '.repeat(10_000)}`,
    'withinBudget',
    [],
  ],
];

describe.each(LANGUAGES)('in a summary in %s', (language) => {
  const { facts } = worldOf(language);
  const perfect = valuesOf(oracle(facts, language), language);

  it.each(mutations)('%s: only the numbers move that tell of it', (_, mutate, moves, follow) => {
    const values = valuesOf(mutate(facts, language), language);
    const names = Object.keys(values) as QualityMetricName[];
    const moved = names.filter((name) => values[name] !== perfect[name] && !SIZES.includes(name));
    // Of what is lost a trace may be left, in other lines too.
    const traces = values.anchorOnly === perfect.anchorOnly ? [] : ['anchorOnly'];
    const wanted = values.retention === perfect.retention ? [] : traces;
    expect(new Set(moved)).toEqual(new Set([moves, ...follow, ...wanted]));
  });
});
