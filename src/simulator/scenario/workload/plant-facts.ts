import {
  FACT_KINDS,
  type FactKind,
  FILE_OPERATIONS,
  type PlantedFact,
  TODO_STATES,
} from '../../session/facts.ts';
import type { Draw } from './draw.ts';
import { type Choice, findSlots, hasRoom, nearestSlot, type Slot } from './fact-slots.ts';
import { createPhrases, code, type Phrases, resemble } from './phrases.ts';
import { charactersOf, type SessionPlan } from './plan.ts';
import type { Words } from './words.ts';
import type { Bank, PlantingShape } from './workload.ts';

/** A fact without the steps that need it. */
type StatedFact = Omit<PlantedFact, 'neededAt'>;

/** Facts while they are planted. */
interface Planting {
  readonly draw: Draw;
  readonly words: Words;
  readonly phrases: Phrases;
  /** Where sentences can stand. */
  readonly slots: readonly Slot[];
  /** Kinds by how long ago one was planted. */
  kinds: FactKind[];
  readonly facts: StatedFact[];
}

/** A fact, and the sentence that says it. */
interface Statement {
  readonly fact: StatedFact;
  readonly sentence: string;
}

/** Options of planting. */
interface PlantOptions {
  readonly draw: Draw;
  readonly words: Words;
  /** Numbers of facts and decoys; absent: the defaults. */
  readonly shape?: PlantingShape | undefined;
  /** Where the sentences come from; development by default. */
  readonly bank?: Bank | undefined;
}

/** A kind of fact, independent of language. */
interface FactShape {
  readonly criticality: PlantedFact['criticality'];
  readonly sources: readonly PlantedFact['source'][];
  readonly polarity?: 'dont';
  /** A later fact may take its place. */
  readonly canChange?: true;
  /** Another way to write the value. */
  readonly alias?: (value: string) => string;
}

const CHARACTERS_PER_KILOTOKEN = 4_000;
const PERCENT = 100;
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
/** Share of facts that change an earlier one. */
const CHANGE_RATE = 0.3;
/** Share of facts that depend on another. Facts in tool outputs do not: outputs may be read again after a change. */
const DEPENDENCE_RATE = 0.3;
/** Facts about the same, one after another. */
const LONGEST_CHAIN = 4;
/** Tries to find a subject that nothing else has. */
const TRIES = 60;
/** Weights of the number of uses of a fact. */
const USES = { '0': 3, '1': 4, '2': 2, '3': 1 } as const;
const LONGEST_FRAME = 24;
const WEIGHTS = { must: 3, should: 2, nice: 1 } as const;
const OPERATION_WEIGHTS = { edit: 4, create: 3, read: 2, delete: 1, rename: 1 } as const;
const ENDED: readonly string[] = ['done', 'cancelled'];
/** Weights of the next state of a task, by its state. */
const NEXT_STATES = {
  pending: { in_progress: 2, done: 2, cancelled: 1 },
  in_progress: { done: 3, cancelled: 1 },
} as const;
/** Kinds whose values differ enough to be taken for each other by whoever does not look. */
const RESEMBLED: readonly FactKind[] = ['path', 'symbol', 'error', 'id', 'number', 'command'];
const NICE = { polarity: 'do', criticality: 'nice', weight: 1 } as const;

const lastWord = (value: string): string => value.slice(value.lastIndexOf(' ') + 1);

/** Kinds of planted facts. */
export const FACT_SHAPES: Readonly<Record<FactKind, FactShape>> = {
  goal: { criticality: 'must', sources: ['user'], alias: lastWord },
  constraint: { criticality: 'must', sources: ['user', 'tool'], polarity: 'dont' },
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

/** Plants facts all over a session, with later steps that use them; the pieces of the plan then hold them. */
export function plantFacts(plan: SessionPlan, options: PlantOptions): readonly PlantedFact[] {
  const { draw, words, bank, shape = {} } = options;
  const { mentions, guessablesPerFact, distractorsPerFact, injections } = { ...USUAL, ...shape };
  const slots = findSlots(plan);
  const planting: Planting = {
    draw,
    words,
    phrases: createPhrases(bank, plan.language, draw),
    slots: slots.filter(({ holds }) => holds === 'sentence'),
    kinds: draw.shuffled(FACT_KINDS),
    facts: [],
  };
  const count = countFacts(plan, shape);
  for (let number = 0; number < count; number++) {
    plantFact(planting, (number + draw.share()) / count, 1 / count);
  }

  const common = draw.shuffled(planting.phrases.bank.common);
  const guessables = Math.max(Math.ceil(guessablesPerFact), Math.round(guessablesPerFact * count));
  const known = common.slice(0, guessables);
  for (const [index, target] of spread(known.length, draw).entries()) {
    plantGuessable(planting, target, known[index]);
  }
  const distractors = Math.round(distractorsPerFact * count);
  for (const target of spread(distractors, draw)) plantDistractor(planting, target);
  for (let number = 0; number < injections; number++) plantInjection(planting);

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

function spread(count: number, draw: Draw): readonly number[] {
  return Array.from({ length: count }, (_, number) => (number + draw.share()) / count);
}

/** A change of an earlier fact, or one of the kind that was planted the longest ago, where there is a place near enough. */
function plantFact(planting: Planting, target: number, tolerance: number): void {
  const { draw, kinds } = planting;
  const changing = draw.isTrue(CHANGE_RATE) ? draw.shuffled(changeableKinds(planting)) : [];
  const choices = [...changing, ...kinds].flatMap((kind) => {
    const { sources } = FACT_SHAPES[kind];
    return placeNear(planting, { kind, target, fits: ({ source }) => sources.includes(source) });
  });
  const chosen =
    choices.find(({ distance }) => distance <= tolerance / 2) ??
    choices.toSorted((a, b) => a.distance - b.distance)[0];
  if (chosen === undefined) return;
  planting.kinds = [...kinds.filter((other) => other !== chosen.kind), chosen.kind];
  const statement = changing.includes(chosen.kind) ? changeFact(planting, chosen) : undefined;
  put(planting, chosen, statement ?? stateFact(planting, chosen));
}

/** The place nearest to a share of the session that fits, with room for any sentence; none where there is none. */
function placeNear(
  { slots, phrases }: Planting,
  wanted: Parameters<typeof nearestSlot>[1],
): readonly Choice[] {
  const { longestSentence } = phrases.bank;
  const fits = (slot: Slot) => wanted.fits(slot) && hasRoom(slot, longestSentence);
  const found = nearestSlot(slots, { ...wanted, fits });
  return found === undefined ? [] : [found];
}

function put({ facts }: Planting, { slot, position }: Choice, { fact, sentence }: Statement): void {
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

/** Traits that follow from kind and value. */
function traitsOf(kind: FactKind, value: string) {
  const { criticality, alias } = FACT_SHAPES[kind];
  const polarity: PlantedFact['polarity'] = FACT_SHAPES[kind].polarity ?? 'do';
  const form = alias?.(value) ?? value;
  const weight = WEIGHTS[criticality];
  return { kind, polarity, criticality, weight, ...(form !== value && { aliases: [form] }) };
}

/** A new fact for a place, which depends on another at times. */
function stateFact(planting: Planting, choice: Choice): Statement {
  const { draw, words, facts, phrases } = planting;
  const { kind, slot } = choice;
  const { kinds, files, dependent } = phrases.bank;
  const subject = freshSubject(planting, () => phrases.name(kinds[kind].subjects, words));
  const value = phrases.name(kinds[kind].values, words);
  const drawn = kind === 'path' ? draw.weighted(OPERATION_WEIGHTS) : undefined;
  const operation = FILE_OPERATIONS.find((known) => known === drawn);
  const fact: StatedFact = {
    ...placeOf(planting, choice),
    ...traitsOf(kind, value),
    subject,
    value,
    ...(kind === 'todo' && { todoState: 'pending' }),
    ...(operation && { operation }),
  };
  const said = operation === undefined ? kinds[kind].sentences : files[operation];
  const sentence = phrases.say(said, { subject, value }, slot.source);

  const mayRest = slot.source !== 'tool' && draw.isTrue(DEPENDENCE_RATE);
  const basis = mayRest
    ? draw.one(facts.filter((other) => canRestOn(planting, other, choice)))
    : undefined;
  if (basis === undefined) return { fact, sentence };
  const about = { subject: basis.subject, value: basis.value, sentence };
  const resting = phrases.say(dependent, about);
  return hasRoom(slot, resting.length)
    ? { fact: { ...fact, dependsOn: [basis.id] }, sentence: resting }
    : { fact, sentence };
}

/** A fact that takes the place of an earlier one of the kind: a task goes on, anything else gets another value. */
function changeFact(planting: Planting, choice: Choice): Statement | undefined {
  const { draw, words, phrases, facts } = planting;
  const { kind, slot } = choice;
  const { kinds, todos, correction } = phrases.bank;
  const old = draw.one(
    facts.filter((fact) => fact.kind === kind && canChange(planting, fact, slot.step)),
  );
  if (old === undefined) return undefined;
  const { subject } = old;
  const isTask = kind === 'todo';
  const value = isTask ? old.value : phrases.name(kinds[kind].values, words);
  const next = NEXT_STATES[old.todoState === 'in_progress' ? 'in_progress' : 'pending'];
  const drawn = isTask ? draw.weighted(next) : undefined;
  const todoState = TODO_STATES.find((known) => known === drawn);
  const fact: StatedFact = {
    ...placeOf(planting, choice),
    ...traitsOf(kind, value),
    subject,
    value,
    supersedes: old.id,
    ...(todoState && { todoState }),
  };
  if (todoState !== undefined) {
    return { fact, sentence: phrases.say(todos[todoState], { subject, value }) };
  }
  const sentence = phrases.say(kinds[kind].sentences, { subject, value }, slot.source);
  return {
    fact,
    sentence: phrases.say(correction, { sentence, subject, old: old.value, value }),
  };
}

function changeableKinds(planting: Planting): readonly FactKind[] {
  const own = planting.facts.filter((fact) => canChange(planting, fact, Infinity));
  return [...new Set(own.map(({ kind }) => kind))];
}

/** Only what people say changes: outputs of tools may be read again as they were. */
function canChange(planting: Planting, fact: StatedFact, step: number): boolean {
  const { facts } = planting;
  const { kind, role, source, todoState = '' } = fact;
  return (
    FACT_SHAPES[kind].canChange === true &&
    role === undefined &&
    source !== 'tool' &&
    !ENDED.includes(todoState) &&
    fact.step < step &&
    holds(planting, fact) &&
    lengthOfChain(facts, fact) < LONGEST_CHAIN &&
    facts.every((other) => !other.dependsOn?.includes(fact.id) || other.step < step)
  );
}

/** True if a new fact can depend on that one: it can change and has not. */
function canRestOn(planting: Planting, fact: StatedFact, { slot }: Choice): boolean {
  const { kind, role, source, step } = fact;
  const mayChange = FACT_SHAPES[kind].canChange && kind !== 'todo' && source !== 'tool';
  return mayChange === true && role === undefined && step < slot.step && holds(planting, fact);
}

function holds({ facts }: Planting, { id }: StatedFact): boolean {
  return facts.every(({ supersedes }) => supersedes !== id);
}

function lengthOfChain(facts: readonly StatedFact[], fact: StatedFact): number {
  const before = facts.find(({ id }) => id === fact.supersedes);
  return before === undefined ? 1 : 1 + lengthOfChain(facts, before);
}

/** Two facts do not share a subject by chance. */
function freshSubject({ facts }: Planting, next: () => string): string {
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
  known: Pick<StatedFact, 'kind' | 'subject' | 'value'> | undefined,
): void {
  if (known === undefined) return;
  const { kind, subject, value } = known;
  const { say, bank } = planting.phrases;
  const sentence = say(bank.plain, { subject, value });
  const fits = (slot: Slot) => slot.source !== 'tool' && hasRoom(slot, sentence.length);
  for (const choice of placeNear(planting, { kind, target, fits })) {
    const place = placeOf(planting, choice);
    put(planting, choice, { fact: { ...place, ...NICE, ...known, role: 'guessable' }, sentence });
  }
}

/** Plants a value one letter or digit away from a fact, said of something else or by mistake. */
function plantDistractor(planting: Planting, target: number): void {
  const { draw, facts, phrases } = planting;
  const abouts = new Set(facts.map(({ about }) => about));
  const resembled = new Set(facts.flatMap(({ id, subject }) => (abouts.has(id) ? [subject] : [])));
  const fact = draw.one(
    facts.filter(
      ({ subject, kind, role }) =>
        role === undefined && RESEMBLED.includes(kind) && !resembled.has(subject),
    ),
  );
  const kindWanted = fact?.kind ?? 'id';
  const [choice] = placeNear(planting, { kind: kindWanted, target, fits: isOutput });
  if (fact === undefined || choice === undefined) return;
  const { kind, polarity } = fact;
  const subject = phrases.say(draw.word(phrases.bank.decoys), { subject: fact.subject });
  const value = resemble(fact.value, draw);
  const sentence = phrases.say(phrases.bank.kinds[kind].sentences, { subject, value }, 'tool');
  plantDecoy(planting, choice, {
    fact: {
      ...placeOf(planting, choice),
      ...NICE,
      kind,
      polarity,
      subject,
      value,
      role: 'distractor',
      about: fact.id,
    },
    sentence,
  });
}

function isOutput({ source }: Slot): boolean {
  return source === 'tool';
}

/** An order in the output of a tool to leave out something that must be kept. */
function plantInjection(planting: Planting): void {
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
  const [choice] = placeNear(planting, { kind: fact?.kind ?? 'id', target, fits });
  if (fact === undefined || choice === undefined) return;
  const { kind, subject, id: about } = fact;
  const value = `ord-${code(draw)}`;
  const sentence = phrases.say(phrases.bank.injection, { subject, value });
  const place = placeOf(planting, choice);
  plantDecoy(planting, choice, {
    fact: { ...place, ...NICE, kind, subject, value, role: 'injection', about },
    sentence,
  });
}

function plantDecoy(planting: Planting, choice: Choice, statement: Statement): void {
  if (hasRoom(choice.slot, statement.sentence.length)) put(planting, choice, statement);
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

/** The step that replaces a fact; none replaces most of them. */
function endOf(facts: readonly StatedFact[], { id }: StatedFact): number {
  return facts.findLast(({ supersedes }) => supersedes === id)?.step ?? Infinity;
}

/** Says each fact again some times, before anything takes its place. */
function repeatFacts(
  facts: readonly StatedFact[],
  { slots, phrases, draw }: Planting,
  times: number,
): void {
  for (const fact of facts) {
    if (fact.role !== undefined || fact.supersedes !== undefined) continue;
    const { kind, subject, value, source } = fact;
    const { kinds, again } = phrases.bank;
    const first = phrases.say(kinds[kind].sentences, { subject, value }, source);
    const sentence = phrases.say(again, { sentence: first });
    const end = endOf(facts, fact);
    const places = slots.filter(
      (slot) => slot.step > fact.step && slot.step < end && hasRoom(slot, sentence.length),
    );
    for (const { piece } of draw.shuffled(places).slice(0, times)) {
      piece.holds.push({ text: sentence, from: draw.share() });
    }
  }
}

/** The facts with later steps that use them, none of them behind what replaces the fact; decoys and ended tasks have none. */
function planUses(
  facts: readonly StatedFact[],
  slots: readonly Slot[],
  { draw, phrases }: Planting,
): readonly PlantedFact[] {
  return facts.map((fact) => {
    const { value, polarity, role, todoState = '' } = fact;
    const end = endOf(facts, fact);
    const places = slots.filter(
      (slot) => slot.source === 'assistant' && slot.step > fact.step && slot.step < end,
    );
    const isOver = role !== undefined || ENDED.includes(todoState);
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
    return { ...fact, neededAt: [...new Set(steps)].toSorted((a, b) => a - b) };
  });
}
