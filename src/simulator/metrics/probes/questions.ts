import type { FactKind, PlantedFact } from '../../session/facts.ts';
import {
  describeLaterCalls,
  findChoices,
  findGaps,
  findNextStep,
  type ProbedMoment,
} from './later-steps.ts';
import {
  type Permission,
  type Probe,
  type ProbeKind,
  PROBE_KINDS,
  READER_SYSTEM,
} from './probe.ts';
import { holds, normalise } from './score-answer.ts';
import { transcriptOf } from './transcript.ts';

interface QuestionSource extends ProbedMoment {
  /** Facts that the session is known to hold: planted ones, or those of a user's file. */
  readonly facts: readonly PlantedFact[];
  /** The last step of the head. */
  readonly atStep: number;
}

const MOST_OF_KIND = 3;

const NOUNS: Readonly<Partial<Record<FactKind, string>>> = {
  preference: 'preferred way',
  error: 'error code',
  id: 'id',
  number: 'number',
  symbol: 'symbol',
  command: 'command',
  state: 'state',
};
const DECIDED: readonly FactKind[] = ['decision', 'rationale', 'rejected'];

/** All that readers are told besides the session; answers to other questions are not comparable. */
export const QUESTION_TEXTS = { version: 5, reader: READER_SYSTEM } as const;

/** Questions on what later steps need and only the head says; the same for the same session. */
export function buildProbes(source: QuestionSource): readonly Probe[] {
  const facts = factsInHead(source);
  const all = [
    ...facts.flatMap((fact) => askFact(fact, source.facts)),
    ...askPermissions(facts, source),
    ...findChoices(source.head),
    ...findGaps(source),
    ...findNextStep(source),
  ];
  return PROBE_KINDS.flatMap((kind) => limit(all, kind));
}

/** Facts that hold and that only the head says; those that a later step uses come first. */
function factsInHead({ facts, atStep, head, tail }: QuestionSource): readonly PlantedFact[] {
  const [headText, tailText] = [head, tail].map((own) => normalise(transcriptOf(own)));
  const said = facts.filter(({ step, role }) => role === undefined && step <= atStep);
  const replaced = new Set(said.map(({ supersedes }) => supersedes));
  const isNeeded = ({ neededAt }: PlantedFact) => neededAt.some((step) => step > atStep);
  return said
    .filter(({ id, subject }) => !replaced.has(id) && subject !== '')
    .filter(({ dependsOn = [] }) => !dependsOn.some((id) => replaced.has(id)))
    .filter(({ value }) => holds(headText ?? '', normalise(value)))
    .filter(({ value }) => !holds(tailText ?? '', normalise(value)))
    .toReversed()
    .toSorted((a, b) => Number(isNeeded(b)) - Number(isNeeded(a)));
}

/** The question about a fact; absent where its kind has none, or where another fact has the same subject. */
function askFact(fact: PlantedFact, all: readonly PlantedFact[]): readonly Probe[] {
  const { id, kind, subject, value, aliases = [], polarity } = fact;
  if (polarity === 'dont') return [];
  const old = earlierOf(fact, all);
  const rivals = all.filter((other) => other.subject === subject && other.kind === kind);
  if (rivals.some((other) => other.value !== value && !old.includes(other))) return [];
  const refused = old.map((earlier) => earlier.value).filter((one) => one !== value);
  const expected = { type: 'text', accepted: [value, ...aliases], refused } as const;
  const of = (own: ProbeKind, question: string): readonly Probe[] => [
    { id: `${own} ${id}`, kind: own, question, expected },
  ];
  if (DECIDED.includes(kind)) return of('decision', `What was settled about "${subject}"?`);
  if (kind === 'path') return of('file', `Which file has to do with "${subject}"? Give its path.`);
  const noun = NOUNS[kind];
  const now = refused.length === 0 ? 'was given' : 'holds by now';
  return noun === undefined ? [] : of('value', `Which ${noun} ${now} for "${subject}"?`);
}

function earlierOf({ supersedes }: PlantedFact, all: readonly PlantedFact[]) {
  const earlier: PlantedFact[] = [];
  let next = all.find(({ id }) => id === supersedes);
  while (next !== undefined && !earlier.includes(next)) {
    earlier.push(next);
    const { supersedes: before } = next;
    next = all.find(({ id }) => id === before);
  }
  return earlier;
}

/** Forbidden actions, and as many calls that the agent did make later: who forbids all knows nothing. */
function askPermissions(
  facts: readonly PlantedFact[],
  { later }: QuestionSource,
): readonly Probe[] {
  const bans = facts.filter(({ polarity }) => polarity === 'dont').slice(0, MOST_OF_KIND);
  const calls = describeLaterCalls(later, bans.length);
  return bans.flatMap(({ subject, value }, index) => {
    const call = calls[index];
    const ban = `to use "${value}" for "${subject}"`;
    return [
      askPermission(`ban ${index}`, ban, 'FORBIDDEN'),
      ...(call === undefined ? [] : [askPermission(`call ${index}`, `to call ${call}`, 'ALLOWED')]),
    ];
  });
}

function askPermission(id: string, deed: string, answer: Permission): Probe {
  return {
    id: `forbidden ${id}`,
    kind: 'forbidden',
    question: `The agent is about ${deed}. May it, by what the user said? Answer ALLOWED or FORBIDDEN.`,
    expected: { type: 'permission', answer },
  };
}

/** The first questions of a kind, each once; permissions come in pairs. */
function limit(all: readonly Probe[], kind: ProbeKind): readonly Probe[] {
  const own = new Map(all.filter((probe) => probe.kind === kind).map((one) => [one.question, one]));
  return [...own.values()].slice(0, kind === 'forbidden' ? 2 * MOST_OF_KIND : MOST_OF_KIND);
}
