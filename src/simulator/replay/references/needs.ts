import {
  entriesOf,
  flattenMessage,
  isCleared,
  isCompleted,
  type Message,
  type Part,
  type ToolPart,
} from '../../../engine/index.ts';
import { perKey, keepIn } from '../../lib/collections.ts';
import type { EvictionCause, RunEvent } from '../../events.ts';
import {
  callKey,
  givesSame,
  type Reference,
  type References,
  type Side,
  type Source,
} from './reference.ts';

/** How a part was lost, and the newest step that was sent with it in the view; absent where none was. */
export interface Loss {
  readonly by: EvictionCause;
  readonly after: number | undefined;
}

/** A reference with the number of the part that it needs. */
export interface Need {
  readonly reference: Reference;
  readonly part: number;
  /** Numbers of all parts whose output holds the same; none where it is not an output that is needed. */
  readonly alike: readonly number[];
  /** The content at this position, for a search elsewhere. */
  readonly sought: Sought | undefined;
}

/** Needs of one step. */
export interface StepNeeds {
  readonly needs: readonly Need[];
  /** The oldest and newest place where it first occurs; the newest is last where part of it was not recorded. */
  readonly from: number;
  readonly to: number;
  /** Events to report if none of the needs is missed. */
  readonly told: readonly RunEvent[];
}

interface LookUp {
  readonly partNumbers: References['partNumbers'];
  /** The numbers of some parts; the same list for the same parts. */
  readonly numbersOf: (parts: readonly Part[]) => readonly number[];
  readonly messageOf: (id: string) => Message | undefined;
}

/** Where the parts of a session stand, and their outputs as the tool gave them. */
export interface PartPlaces {
  readonly parts: Places;
  readonly wholes: Places;
}

/** A side of a part to search for, and its message. */
interface Sought {
  readonly message: Message;
  readonly part: Part;
  readonly side: Side;
}

/** Where numbers from 0 on stand in a recording, by the places of its messages. */
export interface Places {
  /** Of each number the first place; one behind all others where it has none. */
  readonly first: Int32Array;
  /** Of each number how many places it has. */
  readonly times: Int32Array;
  /** Of each number all places, in order. */
  readonly all: readonly (readonly number[])[];
}

/** How often numbers stand in a view: as often as in the first messages of a recording, but for the changes. */
export interface Counted {
  readonly places: Places;
  /** By number. They have to lie close together. */
  readonly changes: number[];
}

const NONE: readonly number[] = [];

/** Carried texts of each part, shared by runs of one recording. */
const knownOf = perKey<Part, Map<Side, readonly string[]>>(() => new Map());

/** A place behind all others. */
const NOWHERE = 2 ** 31 - 1;

/** The needs of a step, from its references. */
export function findNeeds(
  references: readonly Reference[],
  lookUp: LookUp,
  places: PartPlaces,
): StepNeeds {
  const needs = references.flatMap((reference) => toNeed(reference, lookUp) ?? []);
  const standing = needs.map((need) => firstPlaceOf(need, places));
  return {
    needs,
    from: Math.min(...standing),
    to: Math.max(...standing),
    told: needs.map(({ reference }) => describeReference(reference, undefined)),
  };
}

/** Describes a reference, and the cause by which it was missed. */
export function describeReference(
  { step, kind, source, calls }: Reference,
  loss: Loss | undefined,
): RunEvent {
  return {
    type: 'reference',
    step,
    kind,
    document: source.document,
    messageId: source.messageId,
    partId: source.partId,
    sinceStep: source.step,
    tokens: source.tokens,
    callTokens: source.callTokens,
    isFileRead: source.isFileRead,
    calls,
    missedBy: loss?.by,
    goneAfter: loss?.after,
  };
}

/** Tests if any of the messages shows a part whole: as an equal part, or as lines of a text. */
export function isCarried(messages: Iterable<Message>, sought: Sought): boolean {
  let lines: readonly string[] | undefined;
  for (const { parts } of messages) {
    for (const part of parts) {
      lines ??= linesOf(sought);
      if (shows(part, sought, lines)) return true;
    }
  }
  return false;
}

/** Places of each number, from the numbers at each place. */
export function placesOf(standing: readonly (readonly number[])[], size: number): Places {
  const all: number[][] = Array.from({ length: size }, () => []);
  for (const [place, numbers] of standing.entries()) {
    for (const number of numbers) all[number]?.push(place);
  }
  return {
    first: Int32Array.from(all, ([place = NOWHERE]) => place),
    times: Int32Array.from(all, ({ length }) => length),
    all,
  };
}

/** The numbers of a view that shows its recording as it is. */
export function startCounted(places: Places): Counted {
  return { places, changes: [] };
}

/** Tests if a number is in a view that has had the given count of recorded messages. */
export function hasNumber(
  { places: { first, all }, changes }: Counted,
  number: number,
  recordedMessages: number,
): boolean {
  const change = changes[number] ?? 0;
  if (change > 0) return true;
  if (change === 0) return (first[number] ?? NOWHERE) < recordedMessages;
  // One more place than were taken off has to lie among these messages.
  return (all[number]?.[-change] ?? NOWHERE) < recordedMessages;
}

/** Some numbers stand there more or less often than in these messages. */
export function changeNumbers({ changes }: Counted, numbers: readonly number[], by: number): void {
  for (const number of numbers) {
    while (changes.length <= number) changes.push(0);
    changes[number] = (changes[number] ?? 0) + by;
  }
}

function toNeed(
  reference: Reference,
  { partNumbers, numbersOf, messageOf }: LookUp,
): Need | undefined {
  const { source } = reference;
  const part = partNumbers.get(source.partId);
  if (part === undefined) return undefined;
  return {
    reference,
    part,
    alike: source.side === 'output' ? numbersOf(source.parts) : NONE,
    sought: soughtOf(source, messageOf(source.messageId)),
  };
}

function soughtOf({ partId, side }: Source, message: Message | undefined): Sought | undefined {
  const part = message?.parts.find(({ id }) => id === partId);
  return message && part && { message, part, side };
}

function firstPlaceOf({ reference, part }: Need, { parts, wholes }: PartPlaces): number {
  const { first } = reference.source.side === 'said' ? parts : wholes;
  return first[part] ?? NOWHERE;
}

function linesOf(sought: Sought): readonly string[] {
  return keepIn(knownOf(sought.part), sought.side, () => findLines(sought));
}

/** A part as a memory gives it back and as a checkpoint keeps it; an output with the call that it belongs to. */
function findLines({ message, part, side }: Sought): readonly string[] {
  if (side === 'output' && hasAttachments(part)) return [];
  const alone: Message = { ...message, parts: [side === 'said' ? withoutOutput(part) : part] };
  const options = { clearedOutput: '', toolOutputChars: Number.POSITIVE_INFINITY };
  return [...entriesOf(alone).map(({ text }) => text), flattenMessage(alone, options)];
}

function hasAttachments(part: Part): boolean {
  return isCompleted(part) && (part.state.attachments ?? []).length > 0;
}

function withoutOutput(part: Part): Part {
  if (part.type !== 'tool') return part;
  return { ...part, state: { status: 'pending', input: part.state.input } };
}

function shows(part: Part, { part: sought, side }: Sought, lines: readonly string[]): boolean {
  if (part.type === 'tool') return sought.type === 'tool' && isSameCall(part, sought, side);
  if (part.type !== 'text' || part.ignored === true) return false;
  return lines.some((each) => hasLines(part.text, each));
}

function isSameCall(part: ToolPart, sought: ToolPart, side: Side): boolean {
  if (part.tool !== sought.tool) return false;
  const isOutput = side === 'output';
  if (isOutput && (isCleared(part) || !givesSame(part, sought))) return false;
  return callKey(part) === callKey(sought);
}

/** A word or two might stand in any text, a line of them hardly. */
function hasLines(text: string, lines: string): boolean {
  if (lines === '') return false;
  let at = text.indexOf(lines);
  while (at >= 0) {
    if (isBreak(text, at - 1) && isBreak(text, at + lines.length)) return true;
    // They begin at no other place of this line; a long row of one character would have them at each.
    const next = text.indexOf('\n', at) + 1;
    at = next === 0 ? -1 : text.indexOf(lines, next);
  }
  return false;
}

/** Tests if a line ends at a position of a text: a line break, or the end of the text. */
function isBreak(text: string, index: number): boolean {
  return index < 0 || index >= text.length || text[index] === '\n';
}
