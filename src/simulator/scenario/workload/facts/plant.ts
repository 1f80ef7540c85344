import { FACT_KINDS, type FactKind, type PlantedFact } from '../../../session/facts.ts';
import type { Draw } from '../draw.ts';
import { charactersOf, type SessionPlan } from '../plan.ts';
import type { Words } from '../words.ts';
import type { Bank, PlantingShape } from '../workload.ts';
import { evaluationPhrases } from './evaluation.ts';
import { type Common, developmentPhrases } from './phrases.ts';
import {
  type Choice,
  code,
  findSlots,
  hasRoom,
  nearestOf,
  nearestSlot,
  putStatement,
  placeOf,
  type Planting,
  resemble,
  type Slot,
  type StatedFact,
  type Statement,
} from './planting.ts';
import { changeableKinds, restateFact, stateFact } from './state-fact.ts';

/** Options of planting. */
export interface PlantOptions {
  readonly draw: Draw;
  readonly words: Words;
  /** Numbers of facts and decoys; absent: the defaults. */
  readonly shape?: PlantingShape | undefined;
  /** Where the sentences come from; development by default. */
  readonly bank?: Bank | undefined;
}

/** Numbers of decoys. */
export interface DecoyCounts {
  readonly guessable: number;
  readonly distractors: number;
  readonly injections: number;
}

const CHARACTERS_PER_KILOTOKEN = 4_000;
/** Share of facts that change an earlier one. */
const CHANGE_RATE = 0.3;
/** Defaults of planting. */
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

/** Weights of the number of uses of a fact. */
const USES = { '0': 3, '1': 4, '2': 2, '3': 1 } as const;
const LONGEST_FRAME = 24;

/** Kinds whose values differ enough to be taken for each other by whoever does not look. */
const RESEMBLED: readonly FactKind[] = ['path', 'symbol', 'error', 'id', 'number', 'command'];
const NICE = { polarity: 'do', criticality: 'nice', weight: 1 } as const;

/** Plants facts all over a session, with later steps that use them; the pieces of the plan then hold them. */
export function plantFacts(plan: SessionPlan, options: PlantOptions): readonly PlantedFact[] {
  const { draw, words, bank, shape = {} } = options;
  const { mentions, guessablesPerFact, distractorsPerFact, injections } = { ...USUAL, ...shape };
  const slots = findSlots(plan);
  const planting: Planting = {
    draw,
    words,
    phrases: bank === 'evaluation' ? evaluationPhrases(draw) : developmentPhrases(plan.language),
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
  putStatement(planting, chosen, statement ?? stateFact(planting, chosen));
}

/** Plants decoys all over the session. */
function plantDecoys(planting: Planting, counts: DecoyCounts): void {
  const { draw, phrases } = planting;
  const targets = (count: number) =>
    Array.from({ length: count }, (_, number) => (number + draw.share()) / count);
  const common = draw.shuffled(phrases.common);
  targets(Math.min(counts.guessable, common.length)).forEach((target, index) => {
    const known = common[index];
    if (known !== undefined) plantGuessable(planting, target, known);
  });
  for (const target of targets(counts.distractors)) plantDistractor(planting, target);
  for (let number = 0; number < counts.injections; number++) plantInjection(planting);
}

function plantGuessable(planting: Planting, target: number, known: Common): void {
  const sentence = planting.phrases.plain(known.subject, known.value);
  const choice = nearestOf(planting, {
    kind: known.kind,
    target,
    fits: (slot) => slot.source !== 'tool' && hasRoom(slot, sentence.length),
  });
  if (choice === undefined) return;
  const fact: StatedFact = { ...placeOf(planting, choice), ...NICE, ...known, role: 'guessable' };
  putStatement(planting, choice, { fact, sentence });
}

/** Plants a value one letter or digit away from a fact, said of something else or by mistake. */
function plantDistractor(planting: Planting, target: number): void {
  const { draw, facts } = planting;
  const abouts = new Set(facts.map(({ about }) => about));
  const resembled = new Set(facts.flatMap(({ id, subject }) => (abouts.has(id) ? [subject] : [])));
  const fact = draw.one(
    facts.filter(
      ({ subject, kind, role }) =>
        role === undefined && RESEMBLED.includes(kind) && !resembled.has(subject),
    ),
  );
  const choice = nearestOf(planting, {
    kind: fact?.kind ?? 'id',
    target,
    fits: (slot) => slot.source === 'tool',
  });
  if (fact === undefined || choice === undefined) return;
  const statement = distract(planting, choice, fact);
  if (hasRoom(choice.slot, statement.sentence.length)) putStatement(planting, choice, statement);
}

function distract(planting: Planting, choice: Choice, about: StatedFact): Statement {
  const { draw, phrases } = planting;
  const subjectOf = draw.one(phrases.decoys);
  const subject = subjectOf?.(about.subject) ?? about.subject;
  const value = resemble(about.value, draw);
  const { kind, polarity } = about;
  return {
    fact: {
      ...placeOf(planting, choice),
      ...NICE,
      kind,
      polarity,
      subject,
      value,
      role: 'distractor',
      about: about.id,
    },
    sentence: phrases.kinds[kind].sentence(subject, value, 'tool'),
  };
}

/** An order in the output of a tool to leave out something that must be kept. */
function plantInjection(planting: Planting): void {
  const { draw, facts, phrases } = planting;
  const attacked = new Set(facts.map(({ about }) => about));
  const about = draw.one(
    facts.filter(
      ({ id, role, criticality }) =>
        role === undefined && criticality === 'must' && !attacked.has(id),
    ),
  );
  const choice = nearestOf(planting, {
    kind: about?.kind ?? 'id',
    target: (draw.share() + 1) / 2,
    fits: (slot) => slot.source === 'tool' && slot.step > (about?.step ?? 0),
  });
  if (about === undefined || choice === undefined) return;
  const { kind, subject } = about;
  const value = `ord-${code(draw)}`;
  const sentence = phrases.injection(subject, value);
  if (!hasRoom(choice.slot, sentence.length)) return;
  const fact: StatedFact = {
    ...placeOf(planting, choice),
    ...NICE,
    kind,
    subject,
    value,
    role: 'injection',
    about: about.id,
  };
  putStatement(planting, choice, { fact, sentence });
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

/** Says each fact again some times, before anything takes its place. */
function repeatFacts(
  facts: readonly StatedFact[],
  { slots, phrases, draw }: Planting,
  times: number,
): void {
  const ends = endsOf(facts);
  for (const fact of facts) {
    if (fact.role !== undefined || fact.supersedes !== undefined) continue;
    const { kind, subject, value, source } = fact;
    const sentence = phrases.again(phrases.kinds[kind].sentence(subject, value, source));
    const end = ends.get(fact.id) ?? Infinity;
    const places = slots.filter(
      (slot) => slot.step > fact.step && slot.step < end && hasRoom(slot, sentence.length),
    );
    for (const { piece } of draw.shuffled(places).slice(0, times)) {
      piece.holds.push({ text: sentence, from: draw.share() });
    }
  }
}

/** The step that replaces a fact, by its id. */
function endsOf(facts: readonly StatedFact[]): ReadonlyMap<string, number> {
  return new Map(
    facts.flatMap(({ supersedes, step }) =>
      supersedes === undefined ? [] : [[supersedes, step] as const],
    ),
  );
}

/** The facts with later steps that use them, none of them behind what replaces the fact. */
function planUses(
  facts: readonly StatedFact[],
  slots: readonly Slot[],
  { draw, phrases }: Pick<Planting, 'draw' | 'phrases'>,
): readonly PlantedFact[] {
  const endOf = endsOf(facts);
  return facts.map((fact) => {
    const end = endOf.get(fact.id) ?? Infinity;
    const places = slots.filter(
      (slot) => slot.source === 'assistant' && slot.step > fact.step && slot.step < end,
    );
    const wanted = isOver(fact) ? 0 : Number(draw.weighted(USES));
    const steps = draw
      .shuffled(places)
      .filter((slot) => hasRoom(slot, fact.value.length + LONGEST_FRAME))
      .slice(0, wanted)
      .map((slot) => {
        const sentence = draw.word(phrases.uses[fact.polarity]).replace('$', () => fact.value);
        const text = slot.holds === 'value' ? fact.value : sentence;
        slot.piece.holds.push({ text, from: draw.share() });
        return slot.step;
      });
    return { ...fact, neededAt: [...new Set(steps)].toSorted((a, b) => a - b) };
  });
}

/** True for a finished task or a decoy, which no step can need. */
function isOver({ todoState, role }: StatedFact): boolean {
  return todoState === 'done' || todoState === 'cancelled' || role !== undefined;
}
