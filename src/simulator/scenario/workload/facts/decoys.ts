import type { FactKind } from '../../../session/facts.ts';
import { resemble, code } from './kinds.ts';
import {
  type Choice,
  nearestOf,
  place,
  placeOf,
  type Planting,
  type StatedFact,
  type Statement,
} from './planting.ts';
import type { Common } from './phrases/phrases.ts';
import { hasRoom } from './slots.ts';

/** How many texts that are no facts to be kept are planted. */
export interface DecoyCounts {
  readonly guessable: number;
  readonly distractors: number;
  readonly injections: number;
}

/** Kinds whose values differ enough to be taken for each other by whoever does not look. */
const RESEMBLED: readonly FactKind[] = ['path', 'symbol', 'error', 'id', 'number', 'command'];
const NICE = { polarity: 'do', criticality: 'nice', weight: 1 } as const;

/** Plants what is like facts and is none, all over the session. */
export function plantDecoys(planting: Planting, counts: DecoyCounts): void {
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
  const choice = nearestOf(planting.slots, {
    kind: known.kind,
    target,
    fits: (slot) => slot.source !== 'tool' && hasRoom(slot, sentence.length),
  });
  if (choice === undefined) return;
  const fact: StatedFact = { ...placeOf(planting, choice), ...NICE, ...known, role: 'guessable' };
  place(planting, choice, { fact, sentence });
}

/** Something that differs from a fact in one letter or digit, and is said of something else or by somebody who is wrong. */
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
  const choice = nearestOf(planting.slots, {
    kind: fact?.kind ?? 'id',
    target,
    fits: (slot) => slot.source === 'tool',
  });
  if (fact === undefined || choice === undefined) return;
  const statement = distract(planting, choice, fact);
  if (hasRoom(choice.slot, statement.sentence.length)) place(planting, choice, statement);
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
    sentence: phrases.kinds[kind].sentence(subject, value),
  };
}

/** An order in the output of a tool to leave out something that must be kept. */
function plantInjection(planting: Planting): void {
  const { draw, facts, phrases, slots } = planting;
  const attacked = new Set(facts.map(({ about }) => about));
  const about = draw.one(
    facts.filter(
      ({ id, role, criticality }) =>
        role === undefined && criticality === 'must' && !attacked.has(id),
    ),
  );
  const choice = nearestOf(slots, {
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
  place(planting, choice, { fact, sentence });
}
