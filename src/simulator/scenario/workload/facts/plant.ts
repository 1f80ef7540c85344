import { FACT_KINDS, type PlantedFact } from '../../../session/facts.ts';
import type { Draw } from '../draw.ts';
import { charactersOf, type SessionPlan } from '../plan.ts';
import type { Words } from '../text/words.ts';
import type { PlantingShape } from '../workload.ts';
import { plantDecoys } from './decoys.ts';
import { phrasesOf } from './phrases/phrases.ts';
import { nearestSlot, place, type Planting, type StatedFact } from './planting.ts';
import { findSlots } from './slots.ts';
import { changeableKinds, restateFact, stateFact } from './state-fact.ts';
import { planUses, repeatFacts } from './uses.ts';

/** What facts are planted with. */
export interface PlantOptions {
  readonly draw: Draw;
  readonly words: Words;
  /** How many, and of what sort; absent: as usual. */
  readonly shape?: PlantingShape | undefined;
}

const CHARACTERS_PER_KILOTOKEN = 4_000;
/** How often an earlier fact changes instead of a new one being said. */
const CHANGE_RATE = 0.3;
/** What is planted where a workload does not say. */
const USUAL = {
  factsPerKilotoken: 0.2,
  mentions: 1,
  guessablesPerFact: 0.05,
  distractorsPerFact: 0.15,
  injections: 0,
} as const;
/** One for each tenth of a session, where there is room. */
const USUAL_FACTS = 10;
const MOST_FACTS = 60;
/** Where the density is given. */
const MOST_WANTED_FACTS = 500;

/** Plants facts all over a session, with later steps that use them; the pieces of the plan then hold them. */
export function plantFacts(plan: SessionPlan, options: PlantOptions): readonly PlantedFact[] {
  const { draw, words, shape = {} } = options;
  const { mentions, guessablesPerFact, distractorsPerFact, injections } = { ...USUAL, ...shape };
  const slots = findSlots(plan);
  const planting: Planting = {
    draw,
    words,
    phrases: phrasesOf(plan.language),
    slots: slots.filter(({ holds }) => holds === 'sentence'),
    kinds: draw.shuffled(FACT_KINDS),
    facts: [],
  };
  const count = countFacts(plan, shape);
  for (let number = 0; number < count; number++) {
    plantFact(planting, (number + draw.share()) / count, 1 / count);
  }
  plantDecoys(planting, {
    guessable: Math.max(Math.ceil(guessablesPerFact), Math.round(guessablesPerFact * count)),
    distractors: Math.round(distractorsPerFact * count),
    injections,
  });
  const facts = inOrder(planting.facts);
  if (mentions > 1) repeatFacts(facts, planting, mentions - 1);
  return planUses(facts, slots, planting);
}

/** Numbered as they stand. */
function inOrder(facts: readonly StatedFact[]): readonly StatedFact[] {
  const sorted = facts.toSorted((a, b) => a.posPct - b.posPct || a.step - b.step);
  const ids = new Map(sorted.map(({ id }, index) => [id, `fact-${index + 1}`]));
  const renamed = (id: string) => ids.get(id) ?? id;
  return sorted.map(({ supersedes, about, dependsOn, ...fact }, index) => ({
    ...fact,
    id: renamed(fact.id),
    serial: index + 1,
    ...(supersedes !== undefined && { supersedes: renamed(supersedes) }),
    ...(about !== undefined && { about: renamed(about) }),
    ...(dependsOn && { dependsOn: dependsOn.map(renamed) }),
  }));
}

function countFacts({ turns }: SessionPlan, { factsPerKilotoken }: PlantingShape): number {
  const kilotokens =
    turns.reduce((sum, turn) => sum + charactersOf(turn), 0) / CHARACTERS_PER_KILOTOKEN;
  if (factsPerKilotoken !== undefined) {
    return Math.min(MOST_WANTED_FACTS, Math.ceil(factsPerKilotoken * kilotokens));
  }
  const usual = Math.min(USUAL_FACTS, Math.ceil(kilotokens));
  return Math.min(MOST_FACTS, Math.max(usual, Math.round(USUAL.factsPerKilotoken * kilotokens)));
}

/** A change of an earlier fact, or one of the kind that was planted the longest ago, where there is a place near enough. */
function plantFact(planting: Planting, target: number, tolerance: number): void {
  const { draw, kinds } = planting;
  const changing = draw.isTrue(CHANGE_RATE) ? draw.shuffled(changeableKinds(planting)) : [];
  const wanted = [...changing, ...kinds];
  const choices = wanted.flatMap((kind) => nearestSlot(planting, kind, target) ?? []);
  const chosen =
    choices.find(({ distance }) => distance <= tolerance / 2) ??
    choices.toSorted((a, b) => a.distance - b.distance)[0];
  if (chosen === undefined) return;
  planting.kinds = [...kinds.filter((other) => other !== chosen.kind), chosen.kind];
  const isChange = changing.includes(chosen.kind);
  const statement = isChange ? restateFact(planting, chosen) : undefined;
  place(planting, chosen, statement ?? stateFact(planting, chosen));
}
