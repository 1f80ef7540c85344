/** Templates of questions, by kind of fact. */

import { groupBy } from '../../lib/collections.ts';
import type { FactKind, PlantedFact } from '../../session/facts.ts';
import { splitSentences } from '../../lib/lines.ts';
import { factsAt } from '../quality/retention.ts';
import { JUDGE_TEXTS } from './judge.ts';
import { BLOCKED_ANSWER, type Probe, type ProbeKind, READER_SYSTEM } from './probe.ts';

/** Inputs for making questions. */
interface ProbeOptions {
  readonly facts: readonly PlantedFact[];
  /** Facts of later steps do not count. */
  readonly atStep: number;
  /** Everything that was said by then, to find the evidence in. */
  readonly text: string;
  /** The most of each kind; the newest facts first. */
  readonly mostOfKind?: number;
}

type Draft = Omit<Probe, 'evidence'>;

/** Changes whenever the same facts give other questions, or the same answers other verdicts. */
const QUESTIONS_VERSION = 4;

const DEFAULT_MOST_OF_KIND = 4;
const NOUNS: Readonly<Partial<Record<FactKind, string>>> = {
  preference: 'preferred way',
  error: 'error code',
  id: 'id',
  number: 'number',
  symbol: 'symbol',
  command: 'command',
  state: 'state',
};
const DECIDED: readonly FactKind[] = ['decision', 'rationale'];

/** Prompts and rules of readers and judges; answers under other ones are not comparable. */
export const QUESTION_TEXTS = {
  version: QUESTIONS_VERSION,
  reader: READER_SYSTEM,
  judge: JUDGE_TEXTS,
} as const;

/** Questions about what holds at a step; the same for the same facts. */
export function buildProbes(options: ProbeOptions): readonly Probe[] {
  const { facts, atStep, mostOfKind = DEFAULT_MOST_OF_KIND } = options;
  const { said, live, chains } = factsAt(facts, atStep);
  const evidence = createEvidence(options.text);
  const replaced = new Map(chains.map((chain) => [chain.at(-1)?.id, chain]));
  const probes = live.toReversed().flatMap((fact) => {
    if (fact.subject === '') return [];
    const chain = replaced.get(fact.id);
    const old = chain?.slice(0, -1).map(({ value }) => value) ?? [];
    const probe = toProbe(
      fact,
      old.filter((value) => value !== fact.value),
    );
    return probe === undefined ? [] : [{ ...probe, evidence: evidence(fact) }];
  });
  const absent = facts.filter((fact) => fact.step > atStep && fact.role === undefined);
  const known = new Set(said.map(({ subject }) => subject));
  const unsaid = absent.filter(({ subject }) => subject !== '' && !known.has(subject));
  const all = [...probes.filter(hasEvidence), ...unsaid.map(toAbstention)];
  return limit(withOneAnswer(all), mostOfKind);
}

/**
 * The newest sentence that says a fact, which is all that the oracle shows; the whole line where that names the subject in
 * another sentence.
 */
function createEvidence(text: string): (fact: PlantedFact) => string {
  const lines = text.split('\n').toReversed();
  return ({ value, subject }) => {
    const own = lines.filter((line) => line.includes(value));
    const said = own.flatMap((line) =>
      splitSentences(line)
        .filter((sentence) => sentence.includes(value))
        .map((sentence) => sentence.trim())
        .toReversed(),
    );
    const isAbout = (words: string) => words.includes(subject);
    return said.find(isAbout) ?? own.find(isAbout) ?? said[0] ?? '';
  };
}

/** The question about a fact; absent where no template asks for its kind. */
function toProbe(fact: PlantedFact, old: readonly string[]): Draft | undefined {
  const { id, kind, subject, value, aliases = [], polarity, operation } = fact;
  const accepted = [value, ...aliases];
  const draft = (of: ProbeKind, question: string): Draft => ({
    id: `${of} ${id}`,
    kind: of,
    question,
    accepted,
    refused: [],
  });
  if (kind === 'todo') {
    const question = `Which work is named for "${subject}", and is it done? Name the work.`;
    return fact.todoState === 'pending' || fact.todoState === 'in_progress'
      ? draft('continuation', question)
      : undefined;
  }
  if (polarity === 'dont') return toCompliance(fact);
  if (old.length > 0) {
    const question = `What holds by now for "${subject}"? Give only what holds.`;
    return { ...draft('staleness', question), refused: old };
  }
  if (kind === 'path') {
    const done = operation === undefined ? 'worked on' : `the subject of "${operation}"`;
    return draft('artifact', `Which file was ${done} for "${subject}"? Give its path.`);
  }
  if (DECIDED.includes(kind)) return draft('decision', `What was settled about "${subject}"?`);
  const noun = NOUNS[kind];
  return noun === undefined
    ? undefined
    : draft('recall', `Which ${noun} was given for "${subject}"?`);
}

/** A question that asks for the next call: a ban shows in the call, not in words about it. */
function toCompliance({ id, subject, value }: PlantedFact): Draft {
  return {
    id: `compliance ${id}`,
    kind: 'compliance',
    question: `Your next tool call concerns "${subject}". The usual call is: use("${value}"). Write the call, or ${BLOCKED_ANSWER} if the conversation forbids it.`,
    accepted: [BLOCKED_ANSWER],
    refused: [value],
  };
}

function hasEvidence({ evidence }: Probe): boolean {
  return evidence !== '';
}

function toAbstention({ id, subject, kind }: PlantedFact): Probe {
  return {
    id: `abstention ${id}`,
    kind: 'abstention',
    question: `Which ${NOUNS[kind] ?? 'value'} was given for "${subject}"?`,
    accepted: [],
    refused: [],
    evidence: '',
  };
}

function limit(probes: readonly Probe[], most: number): readonly Probe[] {
  const counts = new Map<ProbeKind, number>();
  return probes.filter(({ kind }) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= most;
  });
}

/** Questions without duplicates; a question with two answers is ambiguous and left out. */
function withOneAnswer(probes: readonly Probe[]): readonly Probe[] {
  const byQuestion = groupBy(probes, ({ question }) => question);
  return [...byQuestion.values()].flatMap((own) =>
    new Set(own.map(({ accepted: [value] }) => value)).size === 1 ? own.slice(0, 1) : [],
  );
}
