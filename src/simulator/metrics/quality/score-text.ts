import { FACT_KINDS, type FactKind, factsAt, type PlantedFact } from '../../session/facts.ts';
import { countEach, groupBy } from '../../lib/collections.ts';
import { shareOf } from '../metric.ts';
import { FACT_STATES, type FactState, factStates } from './fact-states.ts';
import { neededValues, scoreStrings, type StringScore } from './used-strings.ts';

/** Options of scoring a text. */
export interface ScoreOptions {
  /** A summary, or all that a model still sees. */
  readonly text: string;
  readonly facts: readonly PlantedFact[];
  /** Facts that later steps say do not count; absent: all count. */
  readonly atStep?: number;
  /** Strings that later steps use; absent: the values of the facts that they use. */
  readonly strings?: readonly string[];
}

/** The state of one fact in a text. */
export interface FactScore {
  readonly id: string;
  readonly kind: FactKind;
  readonly criticality: PlantedFact['criticality'];
  readonly state: FactState;
}

/** How many of some facts are kept. */
export interface Retained {
  readonly facts: number;
  readonly kept: number;
  /** `null` without any facts. */
  readonly share: number | null;
}

/** The states of a session's facts in a text. */
export interface QualityScore {
  readonly version: number;
  /** Facts that hold, in their order. */
  readonly facts: readonly FactScore[];
  /** How many facts are in each state. */
  readonly states: Readonly<Record<FactState, number>>;
  readonly retained: Retained;
  readonly kinds: Readonly<Partial<Record<FactKind, Retained>>>;
  readonly must: Retained;
  /** Strings that later steps use and that still stand in the text. */
  readonly strings: StringScore;
}

/** Which rules scores follow; those of different rules are not compared. */
export const SCORER_VERSION = 9;

/** Scores a text. Pure. */
export function scoreText(options: ScoreOptions): QualityScore {
  const { text, facts, atStep } = options;
  const { said, live } = factsAt(facts, atStep);
  const states = factStates(text, facts, atStep);
  const scored = live.map(({ id, kind, criticality }) => ({
    id,
    kind,
    criticality,
    state: states.get(id) ?? 'lost',
  }));
  const strings = options.strings ?? neededValues(said, atStep);
  return toScore(scored, scoreStrings(text, strings));
}

/** The same score with other states of some facts, by id. */
export function withStates(
  { facts, strings }: QualityScore,
  states: ReadonlyMap<string, FactState>,
): QualityScore {
  const changed = facts.map((fact) => ({ ...fact, state: states.get(fact.id) ?? fact.state }));
  return toScore(changed, strings);
}

function toScore(facts: readonly FactScore[], strings: StringScore): QualityScore {
  const byKind = groupBy(facts, ({ kind }) => kind);
  const counts = countEach(facts.map(({ state }) => state));
  return {
    version: SCORER_VERSION,
    facts,
    states: Object.fromEntries(
      FACT_STATES.map((state) => [state, counts.get(state) ?? 0]),
    ) as QualityScore['states'],
    retained: retain(facts),
    kinds: Object.fromEntries(
      FACT_KINDS.flatMap((kind) => {
        const own = byKind.get(kind);
        return own === undefined ? [] : [[kind, retain(own)]];
      }),
    ),
    must: retain(facts.filter(({ criticality }) => criticality === 'must')),
    strings,
  };
}

function retain(facts: readonly FactScore[]): Retained {
  const kept = facts.filter(({ state }) => state === 'kept').length;
  return { facts: facts.length, kept, share: shareOf(kept, facts.length) };
}
