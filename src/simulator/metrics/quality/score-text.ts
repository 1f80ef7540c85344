import { countEach, groupBy, keepIn } from '../../lib/collections.ts';
import { FACT_KINDS, type FactKind, factsAt, type PlantedFact } from '../../session/facts.ts';
import { shareOf } from '../metric-rows.ts';
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

interface QualityMetric {
  readonly label: string;
  readonly unit: 'ratio';
  /** Absent where neither direction is better by itself. */
  readonly better?: 'higher' | 'lower';
  readonly describes: string;
  /** `null` where there is nothing that it could be about. */
  of(score: QualityScore): number | null;
}

/** Numbers about a summary or a view; `null` where there is nothing that they could be about. */
export type QualityValues = Readonly<Record<keyof typeof qualityMetrics, number | null>>;

const HIGHER = { unit: 'ratio', better: 'higher' } as const;
const LOWER = { unit: 'ratio', better: 'lower' } as const;

/** All numbers about a summary or a view by name, in the order of reports. */
export const qualityMetrics = {
  retention: {
    label: 'Facts kept',
    ...HIGHER,
    describes:
      'Share of the facts that hold whose value is stated with its subject and as it holds.',
    of: ({ retained }) => retained.share,
  },
  mustRetention: {
    label: 'Must-facts kept',
    ...HIGHER,
    describes: 'The same of the facts that must be kept.',
    of: ({ must }) => must.share,
  },
  contradictedRate: {
    label: 'Contradicted',
    ...LOWER,
    describes: 'Share of the facts of which the text plainly says the opposite.',
    of: shareIn('contradicted'),
  },
  wrongValueRate: {
    label: 'Wrong value',
    ...LOWER,
    describes:
      'Share of the facts whose subject has another value, or whose value another subject.',
    of: shareIn('wrong-value'),
  },
  staleRate: {
    label: 'Stale',
    ...LOWER,
    describes: 'Share of the facts of which what held before is stated as what holds.',
    of: shareIn('stale'),
  },
  unknownRate: {
    label: 'In doubt',
    unit: 'ratio',
    describes: 'Share of the facts of which rules cannot say what the text means.',
    of: shareIn('unknown'),
  },
  todoStates: {
    label: 'Task states',
    ...HIGHER,
    describes: 'Share of the tasks that are stated in the state that they are in.',
    of: ({ kinds }) => kinds.todo?.share ?? null,
  },
  stringsKept: {
    label: 'Strings kept',
    unit: 'ratio',
    describes:
      'Share of the strings that later steps use and that still stand in the text; it says nothing of quality.',
    of: ({ strings }) => strings.share,
  },
} as const satisfies Record<string, QualityMetric>;

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

/** The numbers of a score. */
export function qualityValues(score: QualityScore): QualityValues {
  const entries = Object.entries<QualityMetric>(qualityMetrics).map(
    ([name, metric]) => [name, metric.of(score)] as const,
  );
  return Object.fromEntries(entries) as QualityValues;
}

/** Facts at risk and lost at pivots, by the number that they went through; one that is replaced, or still there at the end, leaves without being lost. */
export function lossesOf(scores: readonly QualityScore[]) {
  // A fact that is lost once stays lost.
  const lives = new Map<string, { pivots: number; isLost: boolean }>();
  for (const { id, state } of scores.flatMap(({ facts }) => facts)) {
    const life = keepIn(lives, id, () => ({ pivots: 0, isLost: false }));
    if (life.isLost) continue;
    life.pivots += 1;
    life.isLost = state !== 'kept';
  }
  const all = [...lives.values()];
  const longest = all.reduce((most, { pivots }) => Math.max(most, pivots), 0);
  return Array.from({ length: longest }, (_, index) => {
    const atRisk = all.filter(({ pivots }) => pivots > index);
    const lost = atRisk.filter(({ pivots, isLost }) => pivots === index + 1 && isLost);
    return { atRisk: atRisk.length, lost: lost.length };
  });
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

function shareIn(state: FactState): QualityMetric['of'] {
  return ({ states, facts }) => shareOf(states[state], facts.length);
}
