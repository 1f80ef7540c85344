import { isStandIn, isWithout, type Message, type Part } from '../../../engine/index.ts';
import { perKey } from '../../lib/collections.ts';
import { outputOf } from '../../session/tool-calls.ts';
import {
  type Counted,
  findNeeds,
  hasNumber,
  type PartPlaces,
  type Places,
  placesOf,
  startCounted,
  type StepNeeds,
} from './needs.ts';
import { type References, saidTexts, type StaleOutput, type Standing } from './reference.ts';

/** The shown parts and items of a view, by their numbers. */
export interface Visible {
  readonly parts: Counted;
  /** Parts whose text or call is shown. */
  readonly said: Counted;
  /** Parts whose output is shown as the tool gave it. */
  readonly wholes: Counted;
  readonly items: Counted;
  /** Messages of the recording that came by. */
  passed: number;
  /** Those behind so many of them were shown as they were recorded ever since. */
  changedUntil: number;
}

/** The contents and needs of a session's messages, by their index. */
export interface Recording extends PartPlaces {
  readonly shown: readonly Shown[];
  /** Absent of messages that need nothing. */
  readonly needs: readonly (StepNeeds | undefined)[];
  readonly places: ReadonlyMap<string, number>;
  /** Where standing items stand. */
  readonly items: Places;
  /** Whole outputs by the numbers of their parts. */
  readonly outputs: readonly (string | undefined)[];
}

/** An output that is of no use any more, by the number of its part. */
export interface SpoiltOutput {
  readonly part: number;
  readonly tokens: number;
}

/** The watched content that a message shows. */
export interface Shown {
  readonly messageId: string;
  /** The same list in every run, although each run makes its messages anew. */
  readonly content: readonly Part[];
  /** Numbers of its parts. */
  readonly parts: readonly number[];
  /** Parts of it whose text or call is shown; others, such as thoughts and step marks, are never referenced. */
  readonly said: readonly number[];
  /** Those of them whose output it shows as the tool gave it. */
  readonly wholes: readonly number[];
  /** Those of these that messages before it in the recording showed too; all of a message that is not of it. */
  readonly again: readonly number[];
  /** Indices of standing items. */
  readonly items: readonly number[];
  /** Outputs that it makes useless. */
  readonly stales: readonly SpoiltOutput[];
  /** Calls that read files. */
  readonly reads: number;
  /** Rows of identical calls that end with it. */
  readonly loops: number;
}

interface Looking {
  readonly references: Pick<References, 'standing' | 'staleAfter' | 'reads' | 'loops'>;
  readonly known: KnownParts;
}

/** The parts of a run: those of its recording, and those that the recording does not have. */
export interface KnownParts {
  /** The recording's own numbers, and for other parts the next ones in order of their appearance. */
  numberOf(partId: string): number;
  /** The output of a part as the tool returned it; undefined where it is unknown. */
  outputOf(part: number): string | undefined;
}

const NONE: readonly number[] = [];

const NO_OUTPUTS: readonly SpoiltOutput[] = [];

/** Runs of a trace see the same messages, so that each is looked through once. */
export const recordingOf: (references: References) => Recording = perKey(createRecording);

/** The state of a view without messages. */
export function startVisible({ parts, wholes, items }: Recording): Visible {
  return {
    parts: startCounted(parts),
    said: startCounted(parts),
    wholes: startCounted(wholes),
    items: startCounted(items),
    passed: 0,
    changedUntil: 0,
  };
}

/** Tests if anything of a part is shown. */
export function hasPart({ parts, passed }: Visible, part: number): boolean {
  return hasNumber(parts, part, passed);
}

/** Tests if the text or call of a part is shown. */
export function hasSaid({ said, passed }: Visible, part: number): boolean {
  return hasNumber(said, part, passed);
}

/** Tests if the output of a part is shown unchanged. */
export function hasWhole({ wholes, passed }: Visible, part: number): boolean {
  return hasNumber(wholes, part, passed);
}

/** Tests if a standing item is shown. */
export function hasItem({ items, passed }: Visible, item: number): boolean {
  return hasNumber(items, item, passed);
}

/** Tests if all recorded messages of a range are shown unchanged. */
export function hasRecorded({ passed, changedUntil }: Visible, from: number, to: number): boolean {
  return changedUntil <= from && to < passed;
}

/** The place of a message; a place that holds it need not be looked up. */
export function placeOf(
  { shown, places }: Recording,
  messageId: string,
  guess: number,
): number | undefined {
  return shown[guess]?.messageId === messageId ? guess : places.get(messageId);
}

/** Finds the content that a message shows; for a changed recorded one, the recorded content is known. */
export function findShown(
  message: Message,
  { references, known }: Looking,
  recorded?: Shown,
): Shown {
  const parts = message.parts.map(({ id }, index) => {
    const isSame = recorded?.content[index]?.id === id;
    return (isSame ? recorded.parts[index] : undefined) ?? known.numberOf(id);
  });
  const wholes = parts.filter((part, index) => isWhole(message.parts[index], known.outputOf(part)));
  const hasStandIns = message.parts.some(isStandIn);
  const isSaidAll = message.parts.every(isSaid);
  const { standing, staleAfter, reads, loops } = references;
  const isNamedAsRecorded = !hasStandIns && !standing.isInOutputs;
  return {
    messageId: message.id,
    content: message.parts,
    parts,
    said: isSaidAll ? parts : parts.filter((_, index) => isSaid(message.parts[index])),
    wholes,
    again: wholes,
    items:
      (isNamedAsRecorded ? recorded?.items : undefined) ??
      orNone(itemsIn(message, standing, known)),
    stales: recorded?.stales ?? spoiltBy(staleAfter.get(message.id), known),
    reads: recorded?.reads ?? reads.get(message.id) ?? 0,
    loops: recorded?.loops ?? loops.get(message.id) ?? 0,
  };
}

/** The parts of a recording alone. */
export function createKnownParts(
  numbers: ReadonlyMap<string, number>,
  outputs: readonly (string | undefined)[],
): KnownParts {
  let ownNumbers: Map<string, number> | undefined;
  const numberOf = (partId: string) => {
    const known = numbers.get(partId) ?? ownNumbers?.get(partId);
    if (known !== undefined) return known;
    ownNumbers ??= new Map();
    const number = numbers.size + ownNumbers.size;
    ownNumbers.set(partId, number);
    return number;
  };
  return {
    numberOf,
    outputOf: (part) => outputs[part],
  };
}

/** Tests if an output is neither cleared nor overwritten; an unknown output counts as another one. */
function isWhole(part: Part | undefined, output: string | undefined): boolean {
  if (part?.type !== 'tool') return false;
  const { state } = part;
  if (state.status === 'error') return true;
  if (state.status !== 'completed' || state.compactedAt !== undefined) return false;
  if (isWithout(part, 'media')) return false;
  return output === undefined || state.output === output;
}

function isSaid(part: Part | undefined): boolean {
  if (part?.type === 'tool') return !isWithout(part, 'input');
  return part !== undefined && !isStandIn(part) && saidTexts(part).some((text) => text !== '');
}

function orNone(numbers: readonly number[]): readonly number[] {
  return numbers.length === 0 ? NONE : numbers;
}

/** Standing items that a message names or that its whole outputs declare. */
function itemsIn(message: Message, standing: Standing, known: KnownParts): readonly number[] {
  const declared = message.parts.flatMap((part) => {
    const output = part.type === 'tool' ? outputOf(part) : undefined;
    const items = output === undefined ? NONE : standing.itemsOfOutput(output);
    return items.length > 0 && isWhole(part, known.outputOf(known.numberOf(part.id)))
      ? items
      : NONE;
  });
  const named = standing.itemsOf(message);
  return declared.length === 0 ? named : [...new Set([...named, ...declared])];
}

function spoiltBy(
  outputs: readonly StaleOutput[] | undefined,
  known: KnownParts,
): readonly SpoiltOutput[] {
  if (outputs === undefined) return NO_OUTPUTS;
  return outputs.map(({ partId, tokens }) => ({ part: known.numberOf(partId), tokens }));
}

function createRecording(references: References): Recording {
  const { messages, byMessage, partNumbers, standing } = references;
  const outputs = [...partNumbers.keys()].map((id) => references.outputs.get(id));
  const known = createKnownParts(partNumbers, outputs);
  const before = new Set<number>();
  const shown = messages.map((message) => {
    const found = findShown(message, { references, known });
    const again = found.wholes.filter((part) => before.has(part));
    for (const part of found.parts) before.add(part);
    return { ...found, again: again.length === 0 ? NONE : again };
  });
  const listPlaces = (of: 'parts' | 'wholes' | 'items', size: number) =>
    placesOf(
      shown.map((each) => each[of]),
      size,
    );
  const places = new Map(messages.map(({ id }, place) => [id, place]));
  const lookUp = {
    partNumbers,
    numbersOf: perKey((same: readonly Part[]) =>
      same.flatMap(({ id }) => partNumbers.get(id) ?? []),
    ),
    messageOf: (id: string) => messages[places.get(id) ?? -1],
  };
  const parts = listPlaces('parts', partNumbers.size);
  const wholes = listPlaces('wholes', partNumbers.size);
  return {
    shown,
    needs: messages.map(({ id }) => {
      const needed = byMessage.get(id);
      return needed && findNeeds(needed, lookUp, { parts, wholes });
    }),
    places,
    parts,
    wholes,
    items: listPlaces('items', standing.items.length),
    outputs,
  };
}
