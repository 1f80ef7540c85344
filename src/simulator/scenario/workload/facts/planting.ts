import type { FactKind, PlantedFact } from '../../../session/facts.ts';
import type { Draw } from '../draw.ts';
import {
  charactersOf,
  type Piece,
  type SessionPlan,
  type StepPlan,
  type TurnPlan,
} from '../plan.ts';
import { kindOf } from '../tools.ts';
import { heldCharacters, type Words } from '../words.ts';
import type { Phrases } from './phrases.ts';

/** A fact without the steps that need it. */
export type StatedFact = Omit<PlantedFact, 'neededAt'>;

/** Facts while they are planted. */
export interface Planting {
  readonly draw: Draw;
  readonly words: Words;
  readonly phrases: Phrases;
  /** Where sentences can stand. */
  readonly slots: readonly Slot[];
  /** Kinds by how long ago one was planted. */
  kinds: FactKind[];
  readonly facts: StatedFact[];
}

/** A kind with a place that it can stand in. */
export interface Choice {
  readonly kind: FactKind;
  readonly slot: Slot;
  /** Where in the session it comes to stand, as a share. */
  readonly position: number;
  readonly distance: number;
}

/** A fact, and the sentence that says it. */
export interface Statement {
  readonly fact: StatedFact;
  readonly sentence: string;
}

/** Criteria for a place. */
export interface PlaceWanted {
  readonly kind: FactKind;
  /** As a share of the session. */
  readonly target: number;
  readonly fits: (slot: Slot) => boolean;
}

/** A place in a session for a sentence, or only for a value. */
export interface Slot {
  readonly source: PlantedFact['source'];
  readonly holds: 'sentence' | 'value';
  readonly step: number;
  /** Where its text begins and ends, as shares of all content. */
  readonly start: number;
  readonly end: number;
  readonly piece: Piece;
  /** Characters around a sentence in this place. */
  readonly margin: number;
}

type PlaceOf = (piece: Piece) => Pick<Slot, 'piece' | 'start' | 'end'>;

/** A kind of fact, independent of language. */
interface FactShape {
  readonly sources: readonly PlantedFact['source'][];
  readonly criticality: PlantedFact['criticality'];
  readonly polarity: PlantedFact['polarity'];
  /** A later fact may take its place. */
  readonly canChange: boolean;
  readonly value: (draw: Draw, words: Words) => string;
  /** Other ways to write the value. */
  readonly aliases?: (value: string) => readonly string[];
}

const PERCENT = 100;

/** A space and a full stop. */
const PROSE_MARGIN = 2;
const LINE_MARGIN = heldCharacters('');
/** Characters of arguments besides their values. */
const ARGUMENT_MARGIN = 60;

const DO = { polarity: 'do', canChange: false } as const;
const MUST = { ...DO, criticality: 'must' } as const;
const SHOULD = { ...DO, criticality: 'should' } as const;
const NICE = { ...DO, criticality: 'nice' } as const;

/** Letters and digits that cannot be taken for each other. */
const CODE_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'.split('');
const DIGITS = '0123456789'.split('');
const CODE_LENGTH = 8;
const NUMBER_LENGTH = 10;

/** Kinds of planted facts. */
const factShapes = {
  goal: {
    ...MUST,
    sources: ['user'],
    value: (draw, w) => `ship ${w.noun()}-${code(draw)}`,
    aliases: lastWord,
  },
  constraint: {
    ...MUST,
    polarity: 'dont',
    sources: ['user', 'tool'],
    value: (draw, w) => `${w.noun()}_${code(draw)}`,
  },
  preference: {
    ...NICE,
    canChange: true,
    sources: ['user'],
    value: (draw) => `${code(draw)}_`,
    aliases: (value) => [value.slice(0, -1)],
  },
  path: {
    ...SHOULD,
    sources: ['tool', 'assistant', 'user'],
    value: (draw, w) => `src/${w.noun()}/${code(draw)}_${w.noun()}.ts`,
  },
  symbol: {
    ...SHOULD,
    sources: ['tool', 'assistant'],
    value: (draw, w) => `${w.verb()}_${code(draw)}`,
  },
  decision: {
    ...MUST,
    canChange: true,
    sources: ['assistant', 'user'],
    value: (draw, w) => `${w.noun()}-${code(draw)}`,
  },
  rationale: {
    ...NICE,
    sources: ['assistant'],
    value: (draw) => `incident ${code(draw)}`,
    aliases: lastWord,
  },
  rejected: {
    ...SHOULD,
    polarity: 'dont',
    sources: ['assistant', 'user'],
    value: (draw, w) => `${w.noun()}kit-${code(draw)}`,
  },
  error: {
    ...SHOULD,
    sources: ['tool'],
    value: (draw) => `E_${code(draw).toUpperCase()}`,
  },
  id: {
    ...SHOULD,
    sources: ['tool', 'user'],
    value: (draw) => `cfg-${code(draw)}`,
  },
  number: {
    ...MUST,
    canChange: true,
    sources: ['user', 'tool', 'assistant'],
    value: (draw) => `${draw.whole(1, DIGITS.length - 1)}${letters(draw, DIGITS, NUMBER_LENGTH)}`,
  },
  command: {
    ...SHOULD,
    sources: ['user', 'tool'],
    value: (draw, w) => `make ${w.verb()}-${code(draw)}`,
    aliases: lastWord,
  },
  todo: {
    ...SHOULD,
    canChange: true,
    sources: ['assistant'],
    value: (draw, w) => `${w.verb()} ${w.noun()} ${code(draw)}`,
    aliases: lastWord,
  },
  state: {
    ...MUST,
    canChange: true,
    sources: ['assistant', 'tool'],
    value: (draw) => `checkpoint ${code(draw)}`,
    aliases: lastWord,
  },
} satisfies Record<FactKind, FactShape>;

const CODE_PART = /[a-zA-Z0-9]{8,}/g;

/** The place for a fact of a kind that is nearest to a share of the session. */
export function nearestSlot(
  planting: Planting,
  kind: FactKind,
  target: number,
): Choice | undefined {
  const { sources } = shapeOf(kind);
  return nearestOf(planting, { kind, target, fits: ({ source }) => sources.includes(source) });
}

/** Puts a statement in its place. */
export function putStatement(
  { facts }: Planting,
  choice: Choice,
  { fact, sentence }: Statement,
): void {
  const { start, end, piece } = choice.slot;
  facts.push(fact);
  piece.holds.push({ text: sentence, from: (choice.position - start) / (end - start) });
}

/** Ids of a fact by place and number. */
export function placeOf(
  { facts }: Planting,
  { slot, position }: Choice,
): Pick<StatedFact, 'id' | 'source' | 'step' | 'posPct'> {
  return {
    id: `fact-${facts.length + 1}`,
    source: slot.source,
    step: slot.step,
    posPct: Math.round(PERCENT * PERCENT * position) / PERCENT,
  };
}

/** The place nearest to a share of the session, of those that fit. */
export function nearestOf(
  { slots, phrases }: Pick<Planting, 'slots' | 'phrases'>,
  { kind, target, fits }: PlaceWanted,
): Choice | undefined {
  let nearest: Choice | undefined;
  for (const slot of slots) {
    const position = Math.min(Math.max(target, slot.start), slot.end);
    const distance = Math.abs(position - target);
    const isNearer = nearest === undefined || distance < nearest.distance;
    if (!isNearer || !fits(slot) || !hasRoom(slot, phrases.longestSentence)) continue;
    nearest = { kind, slot, position, distance };
  }
  return nearest;
}

/** Every place of a session, in its order. */
export function findSlots({ turns }: SessionPlan): readonly Slot[] {
  const total = turns.reduce((sum, turn) => sum + charactersOf(turn), 0);
  let before = 0;
  const at = (piece: Piece) => {
    const start = before / total;
    before += piece.characters;
    return { piece, start, end: before / total };
  };
  return turns.flatMap((turn) => [
    promptSlot(turn, at),
    ...turn.steps.flatMap((step) => stepSlots(step, at)),
  ]);
}

/** True if that many characters fit beside the present content of the place. */
export function hasRoom({ piece, margin }: Slot, characters: number): boolean {
  const taken = piece.holds.reduce((sum, { text }) => sum + text.length + margin, 0);
  return taken + characters + margin <= piece.characters;
}

/** The shape of a kind. */
export function shapeOf(kind: FactKind): FactShape {
  return factShapes[kind];
}

/** Letters and digits that nobody can guess. */
export function code(draw: Draw): string {
  return letters(draw, CODE_LETTERS, CODE_LENGTH);
}

/** A value with one other letter or digit in its unguessable part. */
export function resemble(value: string, draw: Draw): string {
  const places = [...value.matchAll(CODE_PART)].flatMap(({ index, 0: part }) =>
    Array.from(part, (_, offset) => index + offset),
  );
  const place = draw.one(places) ?? value.length - 1;
  const old = value.charAt(place);
  const others = /\d/.test(old) ? DIGITS : CODE_LETTERS;
  const other = draw.word(others.filter((letter) => letter !== old.toLowerCase()));
  const isCapital = old !== old.toLowerCase();
  return value.slice(0, place) + (isCapital ? other.toUpperCase() : other) + value.slice(place + 1);
}

function promptSlot({ prompt, steps }: TurnPlan, at: PlaceOf): Slot {
  return {
    ...at(prompt),
    source: 'user',
    holds: 'sentence',
    step: steps[0]?.number ?? 1,
    margin: PROSE_MARGIN,
  };
}

function stepSlots(step: StepPlan, at: PlaceOf): readonly Slot[] {
  const { number, text, reasoning, calls } = step;
  if (reasoning !== undefined) at(reasoning);
  const slots: Slot[] = [];
  const add = (piece: Piece, facts: Pick<Slot, 'source' | 'holds' | 'margin'> | undefined) => {
    const place = at(piece);
    if (facts !== undefined) slots.push({ ...place, ...facts, step: number });
  };
  if (text !== undefined) {
    add(text, { source: 'assistant', holds: 'sentence', margin: PROSE_MARGIN });
  }
  for (const call of calls) {
    const { tellsFacts, takesValues } = kindOf(call.tool);
    const isOwn = !call.isError && !call.isRepeat;
    add(
      call.arguments,
      isOwn && takesValues
        ? { source: 'assistant', holds: 'value', margin: ARGUMENT_MARGIN }
        : undefined,
    );
    add(
      call.output,
      isOwn && tellsFacts ? { source: 'tool', holds: 'sentence', margin: LINE_MARGIN } : undefined,
    );
  }
  return slots;
}

function letters(draw: Draw, alphabet: readonly string[], length: number): string {
  return Array.from({ length }, () => draw.word(alphabet)).join('');
}

function lastWord(value: string): readonly string[] {
  return value.split(' ').slice(-1);
}
