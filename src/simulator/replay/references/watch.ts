import type { Message, Move } from '../../../engine/index.ts';
import { itemAt, type List, viewListOf } from '../../../engine/internal.ts';
import type { EvictionCause, RunEvent } from '../../events.ts';
import { holdersBefore } from './find-references.ts';
import {
  partOf,
  type Reference,
  type References,
  type Side,
  type StandingItem,
} from './reference.ts';
import { followView, missingOf, startVisible, type Visible } from './view.ts';

/** Watches what a run's view still shows of what its steps need. */
export interface Watch {
  /** The needs of a step that a view does not show; they count as missed from then on. */
  findMisses(messageId: string, view: List<Message>): readonly Reference[];
  /** Reports a step's needs and which of them its view misses; its request is about to be billed. */
  tellStep(messageId: string, view: List<Message>): readonly RunEvent[];
  tellMove(move: Move): readonly RunEvent[];
  tellEnd(view: List<Message>): readonly RunEvent[];
}

interface Watching {
  readonly references: References;
  readonly visible: Visible;
  /** The cause of content leaving the view between moves. */
  readonly between: EvictionCause;
  readonly missed: Map<Reference, Loss>;
  /** Documents that were lost and have not been read again. */
  readonly lost: Set<number>;
  readonly stale: Map<Side, number>;
  readonly passed: Set<string>;
  fileReads: number;
  fileRereads: number;
  callLoops: number;
  waiting: RunEvent[];
  toldStale: number;
}

interface Loss {
  readonly pieces: readonly number[];
  readonly sides: readonly Side[];
}

type StandingTime = (RunEvent & { readonly type: 'standing' })['at'];

/** Parts that an event names of one loss. */
const MOST_PARTS = 16;
const NOTHING: readonly RunEvent[] = [];
const NO_REFERENCES: readonly Reference[] = [];
const NO_LOSSES: ReadonlyMap<Reference, Loss> = new Map();

/** A watch that reports nothing: finding references takes longer than a run. */
export const NO_WATCH: Watch = {
  findMisses: () => [],
  tellStep: () => NOTHING,
  tellMove: () => NOTHING,
  tellEnd: () => NOTHING,
};

/** Creates a watch for a run. */
export function createWatch(references: References, between: EvictionCause = 'window'): Watch {
  const watching: Watching = {
    references,
    visible: startVisible(references),
    between,
    missed: new Map(),
    lost: new Set(),
    stale: new Map(),
    passed: new Set(),
    fileReads: 0,
    fileRereads: 0,
    callLoops: 0,
    waiting: [],
    toldStale: 0,
  };
  return {
    findMisses: (messageId, view) => {
      sync(watching, view);
      const losses = findLosses(watching, messageId);
      for (const [need, loss] of losses)
        if (!watching.missed.has(need)) watching.missed.set(need, loss);
      return [...losses.keys()];
    },
    tellStep: (messageId, view) => {
      sync(watching, view);
      return tellStep(watching, messageId);
    },
    tellMove: (move) => tellMove(watching, move),
    tellEnd: (view) => {
      sync(watching, view);
      return flush(watching, [tellStanding(watching, 'run-end')]);
    },
  };
}

function sync(watching: Watching, view: List<Message>, by = watching.between): void {
  const before = watching.visible.seen;
  const parts = followView(watching.visible, view, by);
  if (parts > 0) watching.waiting.push({ type: 'eviction', by, parts });
  // A view may change without losing anything, as where a memory recalls something else.
  if (before !== view) takeActivity(watching, view);
}

function takeActivity(watching: Watching, view: List<Message>): void {
  const { references, passed } = watching;
  for (let index = view.length - 1; index >= 0; index -= 1) {
    const message = itemAt(view, index);
    if (message === undefined || passed.has(message.id)) break;
    passed.add(message.id);
    const activity = references.activity.get(message.id);
    if (activity === undefined) continue;
    watching.fileReads += activity.fileReads;
    watching.fileRereads += activity.fileRereads;
    watching.callLoops += activity.loops;
    for (const { side, tokens } of activity.stale) watching.stale.set(side, tokens);
  }
}

/** Weaker signs of what a stronger one tells count no second time. */
function findLosses(
  { references, visible }: Watching,
  messageId: string,
): ReadonlyMap<Reference, Loss> {
  const needs = visible.hasLost
    ? (references.byMessage.get(messageId) ?? NO_REFERENCES)
    : NO_REFERENCES;
  if (needs.length === 0) return NO_LOSSES;
  const losses = new Map<Reference, Loss>();
  const told = new Set<number>();
  for (const need of needs) {
    const isTold = (side: Side) => side < need.before && told.has(partOf(side));
    const missing = missingOf(visible, need.pieces).filter(
      (piece) => isStrong(need) || !references.holders[piece]?.some(isTold),
    );
    if (!isMissed(need, missing)) continue;
    const sides = holdersBefore(references, missing, need.before).slice(0, MOST_PARTS);
    losses.set(need, { pieces: missing, sides });
    for (const side of sides) told.add(partOf(side));
  }
  return losses;
}

function isStrong({ kind }: Reference): boolean {
  return kind === 'declared' || kind === 'given-back' || kind === 'anchor';
}

/** Of phrases, as many have to be missing in a row. */
function isMissed({ kind, pieces, leastMissing }: Reference, missing: readonly number[]): boolean {
  if (missing.length < leastMissing) return false;
  if (kind !== 'phrase' || leastMissing === 1) return true;
  const gone = new Set(missing);
  let row = 0;
  return pieces.some((piece) => {
    row = gone.has(piece) ? row + 1 : 0;
    return row >= leastMissing;
  });
}

function tellStep(watching: Watching, messageId: string): readonly RunEvent[] {
  const { references, visible, missed, stale } = watching;
  const losses = findLosses(watching, messageId);
  const needs = references.byMessage.get(messageId) ?? NO_REFERENCES;
  const told = needs.map((need) =>
    tellNeed(watching, need, { now: losses.get(need), before: missed.get(need) }),
  );
  // A step that was added before has needs of its own.
  for (const need of needs) missed.delete(need);
  let staleTokens = 0;
  for (const [side, tokens] of stale) if ((visible.sides[side] ?? 0) > 0) staleTokens += tokens;
  if (staleTokens !== watching.toldStale) {
    watching.toldStale = staleTokens;
    watching.waiting.push({ type: 'stale-kept', tokens: staleTokens });
  }
  return flush(watching, told);
}

function tellNeed(
  { references, visible, lost, between }: Watching,
  need: Reference,
  { now, before }: { readonly now: Loss | undefined; readonly before: Loss | undefined },
): RunEvent {
  const loss = before ?? now;
  const { step, kind, document, isRecoverable } = need;
  const sides = loss?.sides ?? need.sources.slice(0, 1);
  const [side = 0] = sides;
  const source = references.parts[partOf(side)];
  const isAgain = loss !== undefined && isRecoverable && lost.has(document);
  if (loss !== undefined && isRecoverable) lost.add(document);
  // The step reads it again, or an added step has done so.
  if (kind === 'given-back' || (before !== undefined && now === undefined)) lost.delete(document);
  return {
    type: 'reference',
    step,
    kind,
    document,
    isRecoverable,
    messageId: source?.messageId ?? '',
    partId: source?.part.id ?? '',
    partIds: [...new Set(sides.map((each) => references.parts[partOf(each)]?.part.id ?? ''))],
    sinceStep: source?.step ?? 0,
    tokens: references.tokensOf(side),
    missedBy: loss && (visible.leftBy[side] ?? between),
    isAgain: isAgain || undefined,
    pieces: loss && !isRecoverable ? loss.pieces : undefined,
  };
}

function flush(watching: Watching, events: readonly RunEvent[]): readonly RunEvent[] {
  const { waiting } = watching;
  if (waiting.length === 0) return events;
  watching.waiting = [];
  return [...waiting, ...events];
}

function tellMove(watching: Watching, move: Move): readonly RunEvent[] {
  const leaving = leavingIn(move);
  if (leaving === undefined) return NOTHING;
  const { by, told } = leaving;
  sync(watching, viewListOf(move.before));
  sync(watching, viewListOf(move.next.state), by);
  return flush(watching, told ? [tellStanding(watching, told)] : NOTHING);
}

function leavingIn({
  before,
  input,
  next,
}: Move): { readonly by: EvictionCause; readonly told?: StandingTime } | undefined {
  for (const event of next.events) {
    if (event.type === 'pruned' && event.plan.state === 'fire') return { by: 'prune' };
    if (event.type === 'compacted') return { by: 'pivot', told: 'pivot' };
    if (event.type === 'moved-out') return { by: 'memory', told: 'moved-out' };
  }
  if (before.phase.state === 'summarising') return { by: 'failed-summary' };
  return input.type === 'compact' && input.revertTo !== undefined ? { by: 'window' } : undefined;
}

function tellStanding(watching: Watching, at: StandingTime): RunEvent {
  const { references, visible, fileReads, fileRereads, callLoops } = watching;
  const { items } = references.standing;
  const met = [...visible.metItems];
  const idsOf = (kind: StandingItem['kind'], isGone: boolean) =>
    met.flatMap((index) => {
      const item = items[index];
      if (item?.kind !== kind || (isGone && visible.items[index] !== 0)) return [];
      return [item.id];
    });
  return {
    type: 'standing',
    at,
    constraints: idsOf('constraint', false).length,
    paths: idsOf('path', false).length,
    goneConstraints: idsOf('constraint', true),
    gonePaths: idsOf('path', true),
    fileReads,
    fileRereads,
    callLoops,
  };
}
