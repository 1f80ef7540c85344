import type { FactKind, FileOperation, TodoState } from '../../../session/facts.ts';
import {
  type Choice,
  hasRoom,
  placeOf,
  type Planting,
  shapeOf,
  type StatedFact,
  type Statement,
} from './planting.ts';

/** Share of facts that depend on another. Facts in tool outputs do not: outputs may be read again after a change. */
const DEPENDENCE_RATE = 0.3;
/** Facts about the same, one after another. */
const LONGEST_CHAIN = 4;
/** Tries to find a subject that nothing else has. */
const TRIES = 60;
const WEIGHTS = { must: 3, should: 2, nice: 1 } as const;
const OPERATION_WEIGHTS = { edit: 4, create: 3, read: 2, delete: 1, rename: 1 } as const;
const ENDED: readonly string[] = ['done', 'cancelled'];
/** Weights of the next state of a task, by its state. */
const NEXT_STATES = {
  pending: { in_progress: 2, done: 2, cancelled: 1 },
  in_progress: { done: 3, cancelled: 1 },
} as const;

/** A new fact for a place. */
export function stateFact(planting: Planting, choice: Choice): Statement {
  const { draw, facts, phrases } = planting;
  const fresh = freshFact(planting, choice);
  const mayRest = choice.slot.source !== 'tool' && draw.isTrue(DEPENDENCE_RATE);
  const basis = mayRest
    ? draw.one(facts.filter((fact) => canRestOn(planting, fact, choice)))
    : undefined;
  if (basis === undefined) return fresh;
  const sentence = phrases.dependent(basis, fresh.sentence);
  const fits = hasRoom(choice.slot, sentence.length);
  return fits ? { fact: { ...fresh.fact, dependsOn: [basis.id] }, sentence } : fresh;
}

/** A fact for a place that takes the place of an earlier one of the kind; absent where none can change there. */
export function restateFact(planting: Planting, choice: Choice): Statement | undefined {
  const { draw, facts } = planting;
  const { kind, slot } = choice;
  const old = draw.one(
    facts.filter((fact) => fact.kind === kind && canChange(planting, fact, slot.step)),
  );
  return old === undefined ? undefined : changeFact(planting, choice, old);
}

/** Kinds of which some fact can change. */
export function changeableKinds(planting: Planting): readonly FactKind[] {
  const own = planting.facts.filter((fact) => canChange(planting, fact, Infinity));
  return [...new Set(own.map(({ kind }) => kind))];
}

function freshFact(planting: Planting, choice: Choice): Statement {
  const { draw, words, phrases } = planting;
  const { kind } = choice;
  const phrase = phrases.kinds[kind];
  const subject = freshSubject(planting, () => phrase.subject(words));
  const value = valueFor(planting, kind);
  const operation =
    kind === 'path' ? (draw.weighted(OPERATION_WEIGHTS) as FileOperation) : undefined;
  const say = operation === undefined ? phrase.sentence : phrases.files[operation];
  const fact: StatedFact = {
    ...placeOf(planting, choice),
    ...traitsOf(kind, value),
    subject,
    value,
    ...(kind === 'todo' && { todoState: 'pending' }),
    ...(operation && { operation }),
  };
  return { fact, sentence: say(subject, value, fact.source) };
}

/** A task keeps its value and goes on; anything else gets another value. */
function changeFact(planting: Planting, choice: Choice, old: StatedFact): Statement {
  const { phrases } = planting;
  const { kind } = choice;
  const { subject } = old;
  const isTask = kind === 'todo';
  const value = isTask ? old.value : valueFor(planting, kind);
  const todoState = isTask ? nextState(planting, old) : undefined;
  const fact: StatedFact = {
    ...placeOf(planting, choice),
    ...traitsOf(kind, value),
    subject,
    value,
    supersedes: old.id,
    ...(todoState && { todoState }),
  };
  const sentence =
    todoState === undefined
      ? phrases.correction(phrases.kinds[kind].sentence(subject, value, fact.source), {
          subject,
          old: old.value,
          value,
        })
      : phrases.todos[todoState](subject, value, fact.source);
  return { fact, sentence };
}

function valueFor({ draw, words, phrases }: Planting, kind: FactKind): string {
  return phrases.value?.(kind, words) ?? shapeOf(kind).value(draw, words);
}

/** Traits that follow from kind and value. */
function traitsOf(kind: FactKind, value: string) {
  const { criticality, polarity, aliases } = shapeOf(kind);
  const forms = (aliases?.(value) ?? []).filter((form) => form !== value);
  const weight = WEIGHTS[criticality];
  return { kind, polarity, criticality, weight, ...(forms.length > 0 && { aliases: forms }) };
}

function nextState({ draw }: Planting, { todoState }: StatedFact): TodoState {
  const weights = NEXT_STATES[todoState === 'in_progress' ? 'in_progress' : 'pending'];
  return draw.weighted(weights) as TodoState;
}

/** Only what people say changes: outputs of tools may be read again as they were. */
function canChange(planting: Planting, fact: StatedFact, step: number): boolean {
  const { facts } = planting;
  const { kind, role, source, todoState = '' } = fact;
  return (
    shapeOf(kind).canChange &&
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
  const mayChange = shapeOf(kind).canChange && kind !== 'todo' && source !== 'tool';
  return mayChange && role === undefined && step < slot.step && holds(planting, fact);
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
