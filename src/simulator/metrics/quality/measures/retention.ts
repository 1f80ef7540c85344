import { groupBy, sum } from '../../../lib/collections.ts';
import { FACT_KINDS, type FactKind, type PlantedFact } from '../../../session/facts.ts';
import { shareOf } from '../../metric.ts';
import type { FactMatch, MatchLevel } from '../match/match-fact.ts';
import { weightOf } from './live-facts.ts';

/** What a text holds of one fact. */
export interface FactScore {
  readonly id: string;
  readonly kind: FactKind;
  readonly criticality: PlantedFact['criticality'];
  readonly source: PlantedFact['source'];
  readonly weight: number;
  readonly level: MatchLevel;
  readonly isKept: boolean;
  readonly isFlipped: boolean;
  /** Tenth of the session that says it, from 0. */
  readonly positionDecile: number;
  /** Tenth of the way back from the point of scoring to the start, from 0, the newest; absent where no point is given. */
  readonly ageDecile?: number;
}

/** How much of some facts is kept. */
export interface Retained {
  readonly facts: number;
  readonly kept: number;
  /** By weight; `null` where there are no facts. */
  readonly share: number | null;
}

/** What is kept of which facts, by what they are. */
export interface RetentionGroups {
  readonly kind: Readonly<Partial<Record<FactKind, Retained>>>;
  readonly criticality: Readonly<Partial<Record<PlantedFact['criticality'], Retained>>>;
  readonly source: Readonly<Partial<Record<PlantedFact['source'], Retained>>>;
  readonly positionDecile: Readonly<Partial<Record<number, Retained>>>;
  readonly ageDecile: Readonly<Partial<Record<number, Retained>>>;
}

const DECILES = 10;
const PERCENT = 100;

/** What a text holds of a fact, beside what the fact is. */
export function toFactScore(
  { fact, level, isKept, isFlipped }: FactMatch,
  atStep: number | undefined,
): FactScore {
  const { id, kind, criticality, source, posPct, step } = fact;
  return {
    id,
    kind,
    criticality,
    source,
    weight: weightOf(fact),
    level,
    isKept,
    isFlipped,
    positionDecile: decileOf(posPct / PERCENT),
    ...(atStep !== undefined && { ageDecile: decileOf((atStep - step) / Math.max(1, atStep)) }),
  };
}

/** How much of some facts is kept. */
export function retain(facts: readonly FactScore[]): Retained {
  const kept = facts.filter(({ isKept }) => isKept);
  const weigh = (some: readonly FactScore[]) => sum(some.map(({ weight }) => weight));
  return {
    facts: facts.length,
    kept: kept.length,
    share: shareOf(weigh(kept), weigh(facts)),
  };
}

/** What is kept of which facts; groups without facts are absent. */
export function groupRetention(facts: readonly FactScore[]): RetentionGroups {
  const deciles = Array.from({ length: DECILES }, (_, decile) => decile);
  return {
    kind: retainBy(facts, FACT_KINDS, ({ kind }) => kind),
    criticality: retainBy(facts, ['must', 'should', 'nice'], ({ criticality }) => criticality),
    source: retainBy(facts, ['user', 'assistant', 'tool'], ({ source }) => source),
    positionDecile: retainBy(facts, deciles, ({ positionDecile }) => positionDecile),
    ageDecile: retainBy(facts, deciles, ({ ageDecile }) => ageDecile),
  };
}

function retainBy<Key extends string | number>(
  facts: readonly FactScore[],
  keys: readonly Key[],
  keyOf: (fact: FactScore) => Key | undefined,
): Readonly<Partial<Record<Key, Retained>>> {
  const byKey = groupBy(facts, keyOf);
  const groups = keys.flatMap((key) => {
    const own = byKey.get(key);
    return own === undefined ? [] : [[key, retain(own)] as const];
  });
  return Object.fromEntries(groups) as Partial<Record<Key, Retained>>;
}

function decileOf(share: number): number {
  return Math.min(DECILES - 1, Math.max(0, Math.floor(share * DECILES)));
}
