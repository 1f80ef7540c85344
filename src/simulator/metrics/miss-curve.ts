import { type ByAgeOptions, estimateText, type Policy } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { firstAtLeast } from '../lib/collections.ts';
import {
  isOutput,
  partOf,
  type Reference,
  type References,
  type Side,
} from '../replay/references/reference.ts';
import type { Trace, TraceStep } from '../replay/trace.ts';

/** The sums by which distances are measured. */
interface Pruning {
  readonly references: References;
  readonly layout: Layout;
  readonly guardTurns: number;
  /** The newest step before each pivot, in order. */
  readonly pivotsAfter: readonly number[];
  /** Keys of the references that the run missed. */
  readonly missed: ReadonlySet<string>;
}

/** Options of a miss curve besides the trace. */
export interface MissCurveOptions {
  /** Its prune; `protectTokens` and `minimumTokens` do not matter. */
  readonly policy: Pick<Policy, 'prune' | 'estimator' | 'cut' | 'view' | 'memory'>;
  /** Of a whole run under the policy, whose pivots hold; without any, there is no pivot. */
  readonly events?: readonly RunEvent[];
}

/** How many references a session misses, for every protect window at once. */
export interface MissCurve {
  readonly references: number;
  /** Missed under any protection: a pivot had hidden the part, and nothing in the view had its content. */
  readonly lostToPivots: number;
  /**
   * Tokens of output, as the policy believes them, from each output on that would be lost, up to where the newest prune before
   * its reference began to look; ascending, without those that no prune had reached.
   */
  readonly distances: readonly number[];
}

/** Between which numbers the misses of a window lie. */
export interface MissBounds {
  readonly protectTokens: number;
  readonly fewest: number;
  readonly most: number;
}

/** The position of an output. */
interface Placed {
  readonly turn: number;
  /** Tokens of output before it. */
  readonly tokensBefore: number;
}

interface Layout {
  readonly byPart: ReadonlyMap<string, Placed>;
  /** Tokens of output up to the end of each turn; nothing before the first. */
  readonly atTurnEnd: readonly number[];
  /** Turn of each step. */
  readonly turnOf: readonly number[];
}

/**
 * The miss curve of a trace under a prune by age at the end of turns, whose pivots keep nothing; nothing under another
 * policy, for which no such curve holds. A larger window keeps whatever a smaller one keeps, so that one pass is enough. Source: evaluation
 * design, section 9.3.
 */
export function missCurve(trace: Trace, options: MissCurveOptions): MissCurve | undefined {
  const { policy, events = [] } = options;
  const { prune, cut } = policy;
  const isCutWhole = cut.keep === 'nothing' || !events.some(({ type }) => type === 'pivot');
  if (!isByAge(prune) || movesOtherwise(policy) || !isCutWhole) return undefined;
  const references = trace.references();
  const all = references.all.filter(({ isRecoverable }) => isRecoverable);
  const pruning: Pruning = {
    references,
    layout: layOut(trace, policy),
    guardTurns: prune.byAge.guardTurns,
    pivotsAfter: findPivots(events),
    missed: findMissed(events),
  };
  const distances = lossDistances(all, pruning);
  return {
    references: all.length,
    lostToPivots: distances.filter((distance) => distance === Infinity).length,
    distances: distances
      .filter((distance) => distance > 0 && distance < Infinity)
      .toSorted((one, other) => one - other),
  };
}

/**
 * The misses of a window: what lies within it is never missed, and what lies beyond it by more than the minimum always
 * is. In between it depends on what the prunes before had left.
 */
export function missesAt(
  { distances, lostToPivots }: MissCurve,
  {
    protectTokens,
    minimumTokens,
  }: Pick<Policy['prune']['byAge'], 'protectTokens' | 'minimumTokens'>,
): MissBounds {
  return {
    protectTokens,
    fewest: lostToPivots + countAbove(distances, protectTokens + minimumTokens),
    most: lostToPivots + countAbove(distances, protectTokens),
  };
}

/** Tests for a prune by age; clean-ups clear outputs under any window. */
function isByAge({ pass, when, enabled, evicts, byAge, cleanups = [] }: Policy['prune']): boolean {
  const hasPass = enabled && pass === 'by-age' && when === 'turn-end';
  const isAlone = evicts === undefined && cleanups.length === 0;
  return hasPass && isAlone && !byAge.skipNewestMessages;
}

/** Tests if messages leave the view, or return, without a prune or a pivot. */
function movesOtherwise({ view, memory }: MissCurveOptions['policy']): boolean {
  return view === 'rolling-window' || memory !== undefined;
}

function layOut({ turns }: Trace, { prune, estimator }: MissCurveOptions['policy']): Layout {
  const byPart = new Map<string, Placed>();
  const atTurnEnd = [0];
  const turnOf = [0];
  let tokens = 0;
  for (const [index, { steps }] of turns.entries()) {
    for (const { message } of steps) {
      turnOf.push(index + 1);
      for (const { id, output } of outputsOf(message, prune.byAge)) {
        byPart.set(id, { turn: index + 1, tokensBefore: tokens });
        tokens += estimateText(output, { estimator });
      }
    }
    atTurnEnd.push(tokens);
  }
  return { byPart, atTurnEnd, turnOf };
}

function outputsOf({ parts }: TraceStep['message'], { protectedTools }: ByAgeOptions) {
  return parts.flatMap((part) => {
    if (part.type !== 'tool' || part.state.status !== 'completed') return [];
    if (protectedTools.includes(part.tool)) return [];
    return [{ id: part.id, output: part.state.output }];
  });
}

/**
 * A loss counts once until it is read again: of the needs of a document up to its next reading, the one that is
 * missed most easily counts.
 */
function lossDistances(all: readonly Reference[], pruning: Pruning): readonly number[] {
  const distances: number[] = [];
  const open = new Map<number, number>();
  for (const reference of all) {
    const { document, kind } = reference;
    const index = open.get(document) ?? distances.push(0) - 1;
    distances[index] = Math.max(distances[index] ?? 0, distanceOf(reference, pruning));
    if (kind === 'given-back') open.delete(document);
    else open.set(document, index);
  }
  return distances;
}

/** The newest step before each pivot, in order. */
function findPivots(events: readonly RunEvent[]): readonly number[] {
  let newest = 0;
  return events.flatMap((event) => {
    if (event.type === 'step-end') newest = event.step;
    return event.type === 'pivot' ? [newest] : [];
  });
}

function findMissed(events: readonly RunEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) =>
      event.type === 'reference' && event.missedBy !== undefined ? [keyOf(event)] : [],
    ),
  );
}

function keyOf({ step, kind, document }: Pick<Reference, 'step' | 'kind' | 'document'>): string {
  return `${step} ${kind} ${document}`;
}

/**
 * A need is missed as soon as so many of its pieces are that it counts: at the distance of that one. What a pivot has
 * hidden is lost at any distance, unless the run says that the summary tells it.
 */
function distanceOf(reference: Reference, pruning: Pruning): number {
  const { step, pieces, before, leastMissing } = reference;
  const { references, pivotsAfter, missed } = pruning;
  const pivot = pivotsAfter.findLast((after) => after < step) ?? 0;
  const atPivot = missed.has(keyOf(reference)) ? Infinity : 0;
  const distances = pieces.map((piece) => {
    const holders = references.holders[piece] ?? [];
    const visible = holders.filter(
      (side) => side < before && (references.parts[partOf(side)]?.step ?? 0) > pivot,
    );
    if (visible.length === 0) return atPivot;
    return Math.min(...visible.map((side) => sideDistance(side, step, pruning)));
  });
  return distances.toSorted((one, other) => (one < other ? 1 : -1))[leastMissing - 1] ?? 0;
}

/** The newest prune before a step is at the end of the turn before, and leaves the guarded turns alone. */
function sideDistance(side: Side, step: number, pruning: Pruning): number {
  const { references, guardTurns } = pruning;
  const { byPart, atTurnEnd, turnOf } = pruning.layout;
  const lastTurn = (turnOf[step] ?? 0) - 1 - guardTurns;
  const id = references.parts[partOf(side)]?.part.id;
  const placed = isOutput(side) && id !== undefined ? byPart.get(id) : undefined;
  if (placed === undefined || placed.turn > lastTurn) return 0;
  return (atTurnEnd[lastTurn] ?? 0) - placed.tokensBefore;
}

function countAbove(ascending: readonly number[], bound: number): number {
  return ascending.length - firstAtLeast(ascending, bound + 1);
}
