import { isWithout, type Message, type Part } from '../../../engine/index.ts';
import { grownItems, type List, partingOf } from '../../../engine/internal.ts';
import type { EvictionCause } from '../../events.ts';
import { perKey } from '../../lib/collections.ts';
import { outputOf } from '../../session/tool-calls.ts';
import { saidTexts } from './calls.ts';
import { isOutput, partOf, type References, type Side, sideOf } from './reference.ts';

/** The content that a view shows of a session, and by what the rest left it. */
export type Visible = ReturnType<typeof startVisible>;

interface Shown {
  readonly sides: readonly Side[];
  readonly pieces: readonly number[];
  readonly items: readonly number[];
}

const NONE: readonly number[] = [];
const NO_MESSAGES: readonly Message[] = [];

/** Recorded messages by id. Runs of a trace see the same ones, so that each is looked through once. */
export const recordingOf = perKey(
  (references: References) =>
    new Map(
      references.messages.map(({ id, parts }) => [
        id,
        { parts, shown: findShown(references, parts) },
      ]),
    ),
);

/** A view without messages. */
export function startVisible(references: References) {
  const { parts, holders, standing } = references;
  return {
    references,
    sides: new Int32Array(2 * parts.length),
    pieces: new Int32Array(holders.length),
    items: new Int32Array(standing.items.length),
    /** By side, the cause by which it left last; absent where it never was shown or is still. */
    leftBy: [] as (EvictionCause | undefined)[],
    metItems: new Set<number>(),
    changed: new Map<Message, Shown>(),
    hasLost: false,
    seen: NO_MESSAGES as List<Message>,
  };
}

/** Replaces the view; returns how many parts lost a text, call or output that they had whole. */
export function followView(visible: Visible, view: List<Message>, by: EvictionCause): number {
  const older = visible.seen;
  if (view === older) return 0;
  visible.seen = view;
  const grown = grownItems(view, older);
  const { before, after } =
    grown.length > 0 ? { before: NO_MESSAGES, after: grown } : partingOf(older, view);
  const staying = new Set(before.length > 0 ? after : NO_MESSAGES);
  const left = before.filter((message) => !staying.delete(message));
  for (const message of before.length > 0 ? staying : after) takeIn(visible, message);
  return left.length === 0 ? 0 : takeOut(visible, left, by);
}

function takeIn(visible: Visible, message: Message): void {
  const { references, sides, metItems } = visible;
  const shown = shownIn(visible, message);
  for (const side of shown.sides) {
    sides[side] = (sides[side] ?? 0) + 1;
    if (sides[side] === 1) addSide(visible, side, 1);
    for (const item of references.standing.itemsOf[side] ?? NONE) metItems.add(item);
  }
  addTo(visible.pieces, shown.pieces, 1);
  addTo(visible.items, shown.items, 1);
}

function takeOut(visible: Visible, left: readonly Message[], by: EvictionCause): number {
  const gone = new Set<Side>();
  for (const message of left) {
    const shown = shownIn(visible, message);
    visible.changed.delete(message);
    for (const side of shown.sides) {
      visible.sides[side] = (visible.sides[side] ?? 0) - 1;
      if (visible.sides[side] !== 0) continue;
      addSide(visible, side, -1);
      visible.leftBy[side] = by;
      gone.add(side);
    }
    addTo(visible.pieces, shown.pieces, -1);
    addTo(visible.items, shown.items, -1);
  }
  if (gone.size > 0) visible.hasLost = true;
  return countParts(visible, gone);
}

function countParts({ references, sides }: Visible, gone: ReadonlySet<Side>): number {
  const parts = new Set<number>();
  for (const side of gone) {
    const other = otherSide(side);
    const isOtherThere = gone.has(other) || (sides[other] ?? 0) > 0;
    if (isOtherThere || !hasSide(references, other)) parts.add(partOf(side));
  }
  return parts.size;
}

function hasSide({ parts }: References, side: Side): boolean {
  const part = parts[partOf(side)]?.part;
  if (part === undefined) return false;
  if (!isOutput(side)) return saidOf(part).some((text) => text !== '');
  return part.type === 'tool' && outputOf(part) !== undefined;
}

function addSide({ references, pieces, items }: Visible, side: Side, by: number): void {
  addTo(pieces, references.piecesOf[side] ?? NONE, by);
  addTo(items, references.standing.itemsOf[side] ?? NONE, by);
}

function addTo(counts: Int32Array, numbers: readonly number[], by: number): void {
  for (const number of numbers) counts[number] = (counts[number] ?? 0) + by;
}

function shownIn(visible: Visible, message: Message): Shown {
  const recorded = recordingOf(visible.references).get(message.id);
  if (recorded !== undefined && recorded.parts === message.parts) return recorded.shown;
  const known = visible.changed.get(message);
  if (known !== undefined) return known;
  const shown = findShown(visible.references, message.parts);
  visible.changed.set(message, shown);
  return shown;
}

function findShown(references: References, parts: readonly Part[]): Shown {
  const sides: Side[] = [];
  const others: string[] = [];
  for (const part of parts) {
    const number = references.partNumbers.get(part.id);
    const recorded = number === undefined ? undefined : references.parts[number]?.part;
    const said = saidOf(part);
    if (number !== undefined && recorded !== undefined && isSame(said, saidOf(recorded))) {
      if (said.length > 0) sides.push(sideOf(number, 'said'));
    } else others.push(...said);
    const output = shownOutput(part);
    if (output === undefined) continue;
    if (number !== undefined && recorded?.type === 'tool' && output === outputOf(recorded)) {
      sides.push(sideOf(number, 'output'));
    } else others.push(output);
  }
  const text = others.join('\n');
  if (text === '') return { sides, pieces: NONE, items: NONE };
  return { sides, pieces: references.piecesIn(text), items: references.standing.itemsIn(text) };
}

function saidOf(part: Part): readonly string[] {
  if (part.type === 'tool' && isWithout(part, 'input')) return [];
  return saidTexts(part);
}

function shownOutput(part: Part): string | undefined {
  if (part.type !== 'tool' || isWithout(part, 'media')) return undefined;
  const { state } = part;
  if (state.status === 'completed' && state.compactedAt !== undefined) return undefined;
  return outputOf(part);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** The other side of the same part. */
function otherSide(side: Side): Side {
  return side ^ 1;
}
