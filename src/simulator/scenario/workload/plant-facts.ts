import { known, sum } from '../../lib/collections.ts';
import {
  FACT_KINDS,
  type FactKind,
  FILE_OPERATIONS,
  type PlantedFact,
  TODO_STATES,
} from '../../session/facts.ts';
import type { Draw } from './draw.ts';
import { type Choice, findSlots, type Slot } from './fact-slots.ts';
import { code, createPhrases, type Phrases, resemble } from './phrases.ts';
import { contentCharactersOf, type SessionPlan } from './plan.ts';
import type { Words } from './words.ts';
import type { Bank, PlantingShape } from './workload.ts';

type StatedFact = Omit<PlantedFact, 'neededAt'>;

interface Planting {
  readonly draw: Draw;
  readonly words: Words;
  readonly phrases: Phrases;
  readonly slots: readonly Slot[];
  kinds: FactKind[];
  readonly facts: StatedFact[];
}

interface Statement {
  readonly fact: StatedFact;
  readonly sentence: string;
}

type Decoy = Pick<StatedFact, 'kind' | 'subject' | 'value' | 'role' | 'about'> &
  Partial<Pick<StatedFact, 'polarity'>> & { readonly sentence: string };

interface PlantOptions {
  readonly draw: Draw;
  readonly words: Words;
  readonly shape?: PlantingShape | undefined;
  readonly bank?: Bank | undefined;
}

interface FactShape {
  readonly criticality: PlantedFact['criticality'];
  readonly sources: readonly PlantedFact['source'][];
  readonly polarity?: PlantedFact['polarity'];
  readonly canChange?: true;
  readonly alias?: (value: string) => string;
}

const CHARACTERS_PER_KILOTOKEN = 4_000;
const PERCENT = 100;
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
const MOST_WANTED_FACTS = 500;
/** Share of facts that change an earlier one. */
const CHANGE_RATE = 0.3;
/** Outputs of tools do not depend: they may be read again after a change. */
const DEPENDENCE_RATE = 0.3;
const LONGEST_CHAIN = 4;
const TRIES = 60;
const USES = { '0': 3, '1': 4, '2': 2, '3': 1 } as const;
const LONGEST_FRAME = 24;
const WEIGHTS = { must: 3, should: 2, nice: 1 } as const;
const OPERATION_WEIGHTS = { edit: 4, create: 3, read: 2, delete: 1, rename: 1 } as const;
const ENDED: readonly string[] = ['done', 'cancelled'];
const NEXT_STATES = {
  pending: { in_progress: 2, done: 2, cancelled: 1 },
  in_progress: { done: 3, cancelled: 1 },
} as const;
/** Kinds whose values are easily taken for each other. */
const RESEMBLED: readonly FactKind[] = ['path', 'symbol', 'error', 'id', 'number', 'command'];
const NICE = { polarity: 'do', criticality: 'nice', weight: 1 } as const;
const lastWord = (value: string): string => value.slice(value.lastIndexOf(' ') + 1);

export const FACT_SHAPES: Readonly<Record<FactKind, FactShape>> = {
  goal: { criticality: 'must', sources: ['user'], alias: lastWord },
  constraint: { criticality: 'must', sources: ['user'], polarity: 'dont' },
  preference: {
    criticality: 'nice',
    sources: ['user'],
    canChange: true,
    alias: (value) => value.slice(0, -1),
  },
  path: { criticality: 'should', sources: ['tool', 'assistant', 'user'] },
  symbol: { criticality: 'should', sources: ['tool', 'assistant'] },
  decision: { criticality: 'must', sources: ['assistant', 'user'], canChange: true },
  rationale: { criticality: 'nice', sources: ['assistant'], alias: lastWord },
  rejected: { criticality: 'should', sources: ['assistant', 'user'], polarity: 'dont' },
  error: { criticality: 'should', sources: ['tool'] },
  id: { criticality: 'should', sources: ['tool', 'user'] },
  number: { criticality: 'must', sources: ['user', 'tool', 'assistant'], canChange: true },
  command: { criticality: 'should', sources: ['user', 'tool'], alias: lastWord },
  todo: { criticality: 'should', sources: ['assistant'], canChange: true, alias: lastWord },
  state: { criticality: 'must', sources: ['assistant', 'tool'], canChange: true, alias: lastWord },
};

export function plantFacts(plan: SessionPlan, options: PlantOptions): readonly PlantedFact[] {
  const { draw, words, bank, shape = {} } = options;
  const { mentions, guessablesPerFact, distractorsPerFact, injections } = { ...USUAL, ...shape };
  const slots = findSlots(plan);
  const phrases = createPhrases(bank, plan.language, draw);
  const planting: Planting = {
    draw,
    words,
    phrases,
    slots: slots.filter(({ holds }) => holds === 'sentence'),
    kinds: draw.shuffled(FACT_KINDS),
    facts: [],
  };
  const spread = (count: number) =>
    Array.from({ length: count }, (_, number) => (number + draw.share()) / count);
  const count = countFacts(contentCharactersOf(plan), shape.factsPerKilotoken);
  for (let number = 0; number < count; number++)
    plantFact(planting, (number + draw.share()) / count, 1 / count);
  const guessables = Math.max(Math.ceil(guessablesPerFact), Math.round(guessablesPerFact * count));
  const common = draw.shuffled(phrases.bank.common).slice(0, guessables);
  const targets = spread(common.length);
  for (const [index, fact] of common.entries()) plantGuessable(planting, targets[index] ?? 0, fact);
  const distractors = spread(Math.round(distractorsPerFact * count));
  for (const target of distractors) plantDistractor(planting, target);
  for (let number = 0; number < injections; number++) plantInjection(planting);

  const facts = inOrder(planting.facts);
  if (mentions > 1) repeatFacts(facts, planting, mentions - 1);
  return facts.map((fact) => ({
    ...fact,
    neededAt: planUses(fact, facts, { ...planting, slots }),
  }));
}

function countFacts(characters: number, perKilotoken: number | undefined) {
  const kilotokens = characters / CHARACTERS_PER_KILOTOKEN;
  if (perKilotoken !== undefined)
    return Math.min(MOST_WANTED_FACTS, Math.ceil(perKilotoken * kilotokens));
  const usual = Math.min(USUAL_FACTS, Math.ceil(kilotokens));
  return Math.min(MOST_FACTS, Math.max(usual, Math.round(USUAL.factsPerKilotoken * kilotokens)));
}

function plantFact(planting: Planting, target: number, tolerance: number) {
  const { draw, kinds, facts } = planting;
  const changeable = () =>
    new Set(facts.filter((fact) => canChange(facts, fact, Infinity)).map(({ kind }) => kind));
  const changing = draw.isTrue(CHANGE_RATE) ? draw.shuffled([...changeable()]) : [];
  const choices = [...changing, ...kinds].flatMap((kind) => {
    const fits = ({ source }: Slot) => FACT_SHAPES[kind].sources.includes(source);
    const choice = placeNear(planting, target, fits);
    return choice === undefined ? [] : [{ kind, ...choice }];
  });
  const chosen =
    choices.find(({ distance }) => distance <= tolerance / 2) ??
    choices.toSorted((a, b) => a.distance - b.distance)[0];
  if (chosen === undefined) return;
  const { kind } = chosen;
  planting.kinds = [...kinds.filter((other) => other !== kind), kind];
  const statement = changing.includes(kind) ? changeFact(planting, chosen, kind) : undefined;
  put(planting, chosen, statement ?? stateFact(planting, chosen, kind));
}

function placeNear({ slots, phrases }: Planting, target: number, fits: (slot: Slot) => boolean) {
  const { longestSentence } = phrases.bank;
  return nearestSlot(slots, target, (slot) => fits(slot) && hasRoom(slot, longestSentence));
}

function put({ facts }: Planting, { slot, position }: Choice, { fact, sentence }: Statement) {
  const { start, end, piece } = slot;
  facts.push(fact);
  piece.holds.push({ text: sentence, from: (position - start) / (end - start) });
}

function placeOf({ facts }: Planting, { slot, position }: Choice) {
  return {
    id: `fact-${facts.length + 1}`,
    source: slot.source,
    step: slot.step,
    posPct: Math.round(PERCENT * PERCENT * position) / PERCENT,
  };
}

function traitsOf(kind: FactKind, value: string) {
  const { criticality, alias, polarity = 'do' } = FACT_SHAPES[kind];
  const form = alias?.(value) ?? value;
  const weight = WEIGHTS[criticality];
  return { kind, polarity, criticality, weight, ...(form !== value && { aliases: [form] }) };
}

function stateFact(planting: Planting, choice: Choice, kind: FactKind) {
  const { draw, words, facts, phrases } = planting;
  const { slot } = choice;
  const { kinds, files, dependent } = phrases.bank;
  const subject = freshSubject(facts, () => phrases.name(kinds[kind].subjects, words));
  const value = phrases.name(kinds[kind].values, words);
  const drawn = kind === 'path' ? draw.weighted(OPERATION_WEIGHTS) : undefined;
  const operation = FILE_OPERATIONS.find((one) => one === drawn);
  const fact: StatedFact = {
    ...placeOf(planting, choice),
    ...traitsOf(kind, value),
    subject,
    value,
    ...(kind === 'todo' && { todoState: 'pending' }),
    ...known({ operation }),
  };
  const said = operation === undefined ? kinds[kind].sentences : files[operation];
  const sentence = phrases.say(said, { subject, value }, slot.source);
  const mayRest = slot.source !== 'tool' && fact.polarity === 'do';
  if (!mayRest || !draw.isTrue(DEPENDENCE_RATE)) return { fact, sentence };
  const basis = draw.one(
    facts.filter(
      (other) => other.kind !== 'todo' && other.step < slot.step && isOpen(facts, other),
    ),
  );
  if (basis === undefined) return { fact, sentence };
  const about = { subject: basis.subject, value: basis.value, sentence };
  const resting = phrases.say(dependent, about);
  return hasRoom(slot, resting.length)
    ? { fact: { ...fact, dependsOn: [basis.id] }, sentence: resting }
    : { fact, sentence };
}

/** A task goes on, anything else gets another value. */
function changeFact(planting: Planting, choice: Choice, kind: FactKind) {
  const { draw, words, phrases, facts } = planting;
  const { slot } = choice;
  const { kinds, todos, correction } = phrases.bank;
  const old = draw.one(
    facts.filter((fact) => fact.kind === kind && canChange(facts, fact, slot.step)),
  );
  if (old === undefined) return undefined;
  const { subject } = old;
  const isTask = kind === 'todo';
  const value = isTask ? old.value : phrases.name(kinds[kind].values, words);
  const next = NEXT_STATES[old.todoState === 'in_progress' ? 'in_progress' : 'pending'];
  const drawn = isTask ? draw.weighted(next) : undefined;
  const todoState = TODO_STATES.find((one) => one === drawn);
  const fact: StatedFact = {
    ...placeOf(planting, choice),
    ...traitsOf(kind, value),
    subject,
    value,
    supersedes: old.id,
    ...known({ todoState }),
  };
  if (todoState !== undefined)
    return { fact, sentence: phrases.say(todos[todoState], { subject, value }) };
  const sentence = phrases.say(kinds[kind].sentences, { subject, value }, slot.source);
  const correcting = { sentence, subject, old: old.value, value };
  return { fact, sentence: phrases.say(correction, correcting) };
}

/** Outputs of tools may be read again unchanged. */
function isOpen(facts: readonly StatedFact[], { id, kind, role, source }: StatedFact) {
  const mayChange = FACT_SHAPES[kind].canChange === true && role === undefined && source !== 'tool';
  return mayChange && facts.every(({ supersedes }) => supersedes !== id);
}

function canChange(facts: readonly StatedFact[], fact: StatedFact, step: number) {
  return (
    isOpen(facts, fact) &&
    !ENDED.includes(fact.todoState ?? '') &&
    fact.step < step &&
    lengthOfChain(facts, fact) < LONGEST_CHAIN &&
    facts.every((other) => !other.dependsOn?.includes(fact.id) || other.step < step)
  );
}

function lengthOfChain(facts: readonly StatedFact[], fact: StatedFact): number {
  const before = facts.find(({ id }) => id === fact.supersedes);
  return before === undefined ? 1 : 1 + lengthOfChain(facts, before);
}

function freshSubject(facts: readonly StatedFact[], next: () => string) {
  const taken = new Set(facts.map(({ subject }) => subject));
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const subject = next();
    if (!taken.has(subject)) return subject;
  }
  return `${next()} ${facts.length + 1}`;
}

function plantGuessable(
  planting: Planting,
  target: number,
  common: Pick<StatedFact, 'kind' | 'subject' | 'value'>,
) {
  const { say, bank } = planting.phrases;
  const { subject, value } = common;
  const sentence = say(bank.plain, { subject, value });
  const fits = (slot: Slot) => slot.source !== 'tool' && hasRoom(slot, sentence.length);
  const choice = placeNear(planting, target, fits);
  if (choice !== undefined)
    plantDecoy(planting, choice, { ...common, role: 'guessable', sentence });
}

function plantDistractor(planting: Planting, target: number) {
  const { draw, facts, phrases } = planting;
  const abouts = new Set(facts.map(({ about }) => about));
  const resembled = new Set(facts.flatMap(({ id, subject }) => (abouts.has(id) ? [subject] : [])));
  const fact = draw.one(
    facts.filter(
      ({ subject, kind, role }) =>
        role === undefined && RESEMBLED.includes(kind) && !resembled.has(subject),
    ),
  );
  const choice = placeNear(planting, target, ({ source }) => source === 'tool');
  if (fact === undefined || choice === undefined) return;
  const { kind, polarity } = fact;
  const subject = phrases.say(draw.word(phrases.bank.decoys), { subject: fact.subject });
  const value = resemble(fact.value, draw);
  const sentence = phrases.say(phrases.bank.kinds[kind].sentences, { subject, value }, 'tool');
  const own = { kind, polarity, subject, value, role: 'distractor', about: fact.id } as const;
  plantDecoy(planting, choice, { ...own, sentence });
}

function plantInjection(planting: Planting) {
  const { draw, facts, phrases } = planting;
  const attacked = new Set(facts.map(({ about }) => about));
  const fact = draw.one(
    facts.filter(
      ({ id, role, criticality }) =>
        role === undefined && criticality === 'must' && !attacked.has(id),
    ),
  );
  const target = (draw.share() + 1) / 2;
  const fits = ({ source, step }: Slot) => source === 'tool' && step > (fact?.step ?? 0);
  const choice = placeNear(planting, target, fits);
  if (fact === undefined || choice === undefined) return;
  const { kind, subject, id: about } = fact;
  const value = `ord-${code(draw)}`;
  const sentence = phrases.say(phrases.bank.injection, { subject, value });
  plantDecoy(planting, choice, { kind, subject, value, role: 'injection', about, sentence });
}

function plantDecoy(planting: Planting, choice: Choice, { sentence, ...own }: Decoy) {
  if (!hasRoom(choice.slot, sentence.length)) return;
  put(planting, choice, { fact: { ...placeOf(planting, choice), ...NICE, ...own }, sentence });
}

function inOrder(facts: readonly StatedFact[]) {
  const sorted = facts.toSorted((a, b) => a.posPct - b.posPct || a.step - b.step);
  const ids = new Map(sorted.map(({ id }, index) => [id, `fact-${index + 1}`]));
  const renamed = (id: string | undefined) => ids.get(id ?? '');
  return sorted.map(({ supersedes, about, dependsOn, ...fact }, index) => ({
    ...fact,
    id: `fact-${index + 1}`,
    serial: index + 1,
    ...known({ supersedes: renamed(supersedes), about: renamed(about) }),
    ...(dependsOn && { dependsOn: dependsOn.flatMap((id) => renamed(id) ?? []) }),
  }));
}

/** The step that replaces a fact; none replaces most of them. */
function endOf(facts: readonly StatedFact[], { id }: StatedFact) {
  return facts.findLast(({ supersedes }) => supersedes === id)?.step ?? Infinity;
}

function repeatFacts(
  facts: readonly StatedFact[],
  { slots, phrases, draw }: Planting,
  times: number,
) {
  const { kinds, again } = phrases.bank;
  for (const fact of facts) {
    if (fact.role !== undefined || fact.supersedes !== undefined) continue;
    const { kind, subject, value, source } = fact;
    const first = phrases.say(kinds[kind].sentences, { subject, value }, source);
    const sentence = phrases.say(again, { sentence: first });
    const end = endOf(facts, fact);
    const places = slots.filter(
      (slot) => slot.step > fact.step && slot.step < end && hasRoom(slot, sentence.length),
    );
    for (const { piece } of draw.shuffled(places).slice(0, times))
      piece.holds.push({ text: sentence, from: draw.share() });
  }
}

/** Steps that use a fact before anything replaces it; decoys, deleted files and ended tasks have none. */
function planUses(
  fact: StatedFact,
  facts: readonly StatedFact[],
  { slots, draw, phrases }: Planting,
) {
  const { value, polarity, role, operation, todoState = '' } = fact;
  const end = endOf(facts, fact);
  const places = slots.filter(
    (slot) => slot.source === 'assistant' && slot.step > fact.step && slot.step < end,
  );
  const isOver = role !== undefined || operation === 'delete' || ENDED.includes(todoState);
  const wanted = isOver ? 0 : Number(draw.weighted(USES));
  const steps = draw
    .shuffled(places)
    .filter((slot) => hasRoom(slot, value.length + LONGEST_FRAME))
    .slice(0, wanted)
    .map((slot) => {
      const sentence = phrases.say(phrases.bank.uses[polarity], { value });
      const text = slot.holds === 'value' ? value : sentence;
      slot.piece.holds.push({ text, from: draw.share() });
      return slot.step;
    });
  return [...new Set(steps)].toSorted((a, b) => a - b);
}

/** True if that many characters fit beside the present content. */
function hasRoom({ piece, margin }: Slot, characters: number) {
  const taken = sum(piece.holds.map(({ text }) => text.length + margin));
  return taken + characters + margin <= piece.characters;
}

/** The place nearest to a share of the session, of those that fit. */
function nearestSlot(
  slots: readonly Slot[],
  target: number,
  fits: (slot: Slot) => boolean,
): Choice | undefined {
  let nearest: Choice | undefined;
  for (const slot of slots) {
    const position = Math.min(Math.max(target, slot.start), slot.end);
    const distance = Math.abs(position - target);
    const isNearer = nearest === undefined || distance < nearest.distance;
    if (isNearer && fits(slot)) nearest = { slot, position, distance };
  }
  return nearest;
}
