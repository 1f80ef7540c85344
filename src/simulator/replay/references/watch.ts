import type { Message, Move } from '../../../engine/index.ts';
import { itemAt, type List, viewListOf } from '../../../engine/internal.ts';
import type { EvictionCause, RunEvent } from '../../events.ts';
import { perKey } from '../../lib/collections.ts';
import { holdersBefore } from './find-references.ts';
import {
  type Content,
  partOf,
  type Reference,
  type References,
  type Side,
  type StandingItem,
} from './reference.ts';
import { followView, recordingOf, startVisible, type Visible } from './view.ts';

/** Watches what a run's view still shows of what its steps need. */
export interface Watch {
  /** The needs of a step that a view does not show; they count as missed from then on. */
  findMisses(messageId: string, view: List<Message>): readonly Missed[];
  /** Tests if a step only reads again, for its own agent had lost it, what the view shows, and gives nothing that is needed later. */
  isNeedless(messageId: string, view: List<Message>): boolean;
  tellStep(messageId: string, view: List<Message>): readonly RunEvent[];
  tellMove(move: Move): readonly RunEvent[];
  tellEnd(view: List<Message>): readonly RunEvent[];
}

/** A need that a view does not show. */
export interface Missed {
  readonly need: Reference;
  /** How much of a loss it is: 0 where the run is not charged, between where a real summary might tell it. */
  readonly chance: number;
}

interface WatchOptions {
  readonly between?: EvictionCause;
  /** Summaries are filler in the place of real ones, which carry some of what they replace. */
  readonly hasFiller?: boolean;
}

type Watching = ReturnType<typeof startWatching>;

interface Loss {
  readonly pieces: readonly number[];
  readonly sides: readonly Side[];
  readonly by: EvictionCause;
}

type StandingTime = (RunEvent & { readonly type: 'standing' })['at'];

/** Shares of needed content that real summaries carry, by kind; in 32nds, whose sums are exact. Source: `sessions validate` on public recordings, docs/reference/losses.md. */
export const CARRIED_SHARE: Readonly<Record<Content, number>> = {
  file: 9 / 32,
  output: 20 / 32,
  said: 21 / 32,
};

const MOST_PARTS = 16;
const STRONG: ReadonlySet<Reference['kind']> = new Set(['declared', 'given-back', 'anchor']);
const NOTHING: readonly RunEvent[] = [];
const NO_REFERENCES: readonly Reference[] = [];
const NO_LOSSES: ReadonlyMap<Reference, Loss> = new Map();

const newestNeedsOf = perKey(({ all }: References) => {
  const newest: number[] = [];
  for (const { step, pieces } of all) for (const piece of pieces) newest[piece] = step;
  return newest;
});

/** A watch that reports nothing: finding references takes longer than a run. */
export const NO_WATCH: Watch = {
  findMisses: () => [],
  isNeedless: () => false,
  tellStep: () => NOTHING,
  tellMove: () => NOTHING,
  tellEnd: () => NOTHING,
};

/** Creates a watch for a run. */
export function createWatch(references: References, options: WatchOptions = {}): Watch {
  const watching = startWatching(references, options);
  return {
    findMisses: (messageId, view) => {
      sync(watching, view);
      const losses = findLosses(watching, messageId);
      for (const [need, loss] of losses)
        if (!watching.missed.has(need)) watching.missed.set(need, loss);
      return [...losses].map(([need, { by }]) => {
        const chance = chanceOf(watching, need, by);
        // One summary tells a document or does not, however often it is needed.
        return { need, chance: chance < 1 && watching.lost.has(need.document) ? 0 : chance };
      });
    },
    isNeedless: (messageId, view) => {
      const needs = references.byMessage.get(messageId) ?? NO_REFERENCES;
      if (!needs.some(({ use }) => use === 'caused')) return false;
      sync(watching, view);
      return isNeedless(watching, messageId);
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

function startWatching(
  references: References,
  { between = 'window', hasFiller = false }: WatchOptions,
) {
  return {
    references,
    visible: startVisible(references),
    between,
    hasFiller,
    missed: new Map<Reference, Loss>(),
    lost: new Set<number>(),
    stale: new Map<Side, number>(),
    passed: new Set<string>(),
    fileReads: 0,
    fileRereads: 0,
    callLoops: 0,
    waiting: [] as readonly RunEvent[],
    toldStale: 0,
  };
}

function sync(watching: Watching, view: List<Message>, by = watching.between): void {
  const before = watching.visible.seen;
  const parts = followView(watching.visible, view, by);
  if (parts > 0) watching.waiting = [...watching.waiting, { type: 'eviction', by, parts }];
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

/** How much of a loss a need is to a run whose view lost it. Source: the rule of losses, docs/reference/losses.md. */
function chanceOf({ hasFiller }: Watching, need: Reference, by: EvictionCause): number {
  if (need.use === 'caused') return 1;
  if (need.use === 'carried') return by === 'pivot' ? 0 : 1;
  if (need.use !== 'used') return 0;
  if (!hasFiller || by !== 'pivot') return 1;
  return 1 - CARRIED_SHARE[need.content];
}

/** Weaker signs of what a stronger one tells count no second time. */
function findLosses(
  { references, visible, between }: Watching,
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
      (piece) => STRONG.has(need.kind) || !references.holders[piece]?.some(isTold),
    );
    if (missing.length < need.leastMissing) continue;
    const sides = holdersBefore(references, missing, need.before).slice(0, MOST_PARTS);
    // A part of a step that was left out never was in the view.
    const known = sides.find((side) => visible.leftBy[side] !== undefined);
    const by = known === undefined ? between : (visible.leftBy[known] ?? between);
    losses.set(need, { pieces: missing, sides, by });
    for (const side of sides) told.add(partOf(side));
  }
  return losses;
}

function isNeedless({ references, visible }: Watching, messageId: string): boolean {
  const { parts = [], shown } = recordingOf(references).get(messageId) ?? {};
  const needs = references.byMessage.get(messageId) ?? NO_REFERENCES;
  const isHeld = ({ pieces, leastMissing }: Reference) =>
    missingOf(visible, pieces).length < leastMissing;
  const reads = needs.filter(({ kind, use }) => kind === 'given-back' && use === 'caused');
  const calls = parts.filter(({ type }) => type === 'tool');
  if (reads.length === 0 || reads.length < calls.length || !reads.every(isHeld)) return false;
  const step = reads[0]?.step ?? 0;
  const newest = newestNeedsOf(references);
  const pieces = shown?.sides.flatMap((side) => references.piecesOf[side] ?? []) ?? [];
  return missingOf(visible, pieces).every((piece) => (newest[piece] ?? 0) <= step);
}

function tellStep(watching: Watching, messageId: string): readonly RunEvent[] {
  const { references, visible, missed, stale } = watching;
  const losses = findLosses(watching, messageId);
  const needs = references.byMessage.get(messageId) ?? NO_REFERENCES;
  const told = needs.map((need) => tellNeed(watching, need, missed.get(need) ?? losses.get(need)));
  for (const need of needs) {
    // The step reads it again, or an added step has done so, which has needs of its own.
    const isReread = missed.has(need) && !losses.has(need);
    if (need.kind === 'given-back' || isReread) watching.lost.delete(need.document);
    missed.delete(need);
  }
  let staleTokens = 0;
  for (const [side, tokens] of stale) if ((visible.sides[side] ?? 0) > 0) staleTokens += tokens;
  if (staleTokens !== watching.toldStale) {
    watching.toldStale = staleTokens;
    watching.waiting = [...watching.waiting, { type: 'stale-kept', tokens: staleTokens }];
  }
  return flush(watching, told);
}

function tellNeed(watching: Watching, need: Reference, loss: Loss | undefined): RunEvent {
  const { references, lost } = watching;
  const { step, kind, document, isRecoverable, use } = need;
  const sides = loss?.sides ?? need.sources.slice(0, 1);
  const [side = 0] = sides;
  const source = references.parts[partOf(side)];
  const chance = loss === undefined ? 0 : chanceOf(watching, need, loss.by);
  const isCharged = chance > 0 && !(isRecoverable && lost.has(document));
  if (chance > 0 && isRecoverable) lost.add(document);
  return {
    type: 'reference',
    step,
    kind,
    use,
    document,
    isRecoverable,
    messageId: source?.messageId ?? '',
    partId: source?.part.id ?? '',
    partIds: [...new Set(sides.map((each) => references.parts[partOf(each)]?.part.id ?? ''))],
    sinceStep: source?.step ?? 0,
    tokens: references.tokensOf(side),
    missedBy: isCharged ? loss?.by : undefined,
    chance: isCharged && chance < 1 ? chance : undefined,
    goneBy: isCharged ? undefined : loss?.by,
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

/** Pieces of a text that the view shows nowhere. */
function missingOf({ pieces }: Visible, wanted: readonly number[]): readonly number[] {
  return wanted.filter((piece) => pieces[piece] === 0);
}
