import { estimateText, type Policy } from '../../engine/index.ts';
import type { RunEvent } from '../events.ts';
import { firstAtLeast, keepIn, sum } from '../lib/collections.ts';
import {
  isOutput,
  partOf,
  type Reference,
  type References,
  type Side,
} from '../replay/references/reference.ts';
import type { Trace } from '../replay/trace.ts';

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
  /** Missed under any protection: a pivot had hidden the part, and nothing in the view had its content; with expected values. */
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

interface Pruning {
  readonly references: References;
  readonly outputs: ReadonlyMap<string, { readonly turn: number; readonly tokensBefore: number }>;
  readonly atTurnEnd: readonly number[];
  readonly turnOf: readonly number[];
  readonly guardTurns: number;
  readonly pivotsAfter: readonly number[];
  readonly missed: ReadonlyMap<string, number>;
}

/**
 * The miss curve of a trace under a prune by age at the end of turns, whose pivots keep nothing; nothing under another
 * policy, for which no such curve holds. A larger window keeps whatever a smaller one keeps, so that one pass is
 * enough. Source: evaluation design, section 9.3.
 */
export function missCurve(trace: Trace, options: MissCurveOptions): MissCurve | undefined {
  const { policy, events = [] } = options;
  const { cut, view, memory } = policy;
  const isCutWhole = cut.keep === 'nothing' || !events.some(({ type }) => type === 'pivot');
  const movesOtherwise = view === 'rolling-window' || memory !== undefined;
  if (!isByAge(policy.prune) || movesOtherwise || !isCutWhole) return undefined;
  const references = trace.references();
  const all = references.all.filter(({ isRecoverable }) => isRecoverable);
  const losses = lossesOf(all, {
    references,
    ...layOut(trace, policy),
    guardTurns: policy.prune.byAge.guardTurns,
    pivotsAfter: findPivots(events),
    missed: findMissed(events),
  });
  return {
    references: all.length,
    lostToPivots: sum(losses.map(({ distance, weight }) => (distance === Infinity ? weight : 0))),
    distances: losses
      .map(({ distance }) => distance)
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
  const missesBeyond = (tokens: number) =>
    lostToPivots + distances.length - firstAtLeast(distances, tokens + 1);
  return {
    protectTokens,
    fewest: missesBeyond(protectTokens + minimumTokens),
    most: missesBeyond(protectTokens),
  };
}

/** Tests for a prune by age alone; clean-ups clear outputs under any window. */
function isByAge({ pass, when, enabled, evicts, byAge, cleanups = [] }: Policy['prune']): boolean {
  const hasPass = enabled && pass === 'by-age' && when === 'turn-end';
  return hasPass && evicts === undefined && cleanups.length === 0 && !byAge.skipNewestMessages;
}

function layOut({ turns }: Trace, { prune, estimator }: MissCurveOptions['policy']) {
  const outputs = new Map<string, { readonly turn: number; readonly tokensBefore: number }>();
  const atTurnEnd = [0];
  const turnOf = [0];
  let tokens = 0;
  for (const [index, { steps }] of turns.entries()) {
    turnOf.push(...steps.map(() => index + 1));
    for (const part of steps.flatMap(({ message }) => message.parts)) {
      if (part.type !== 'tool' || part.state.status !== 'completed') continue;
      if (prune.byAge.protectedTools.includes(part.tool)) continue;
      outputs.set(part.id, { turn: index + 1, tokensBefore: tokens });
      tokens += estimateText(part.state.output, { estimator });
    }
    atTurnEnd.push(tokens);
  }
  return { outputs, atTurnEnd, turnOf };
}

/** A loss counts once until it is read again, and by the need that is missed most easily. */
function lossesOf(all: readonly Reference[], pruning: Pruning) {
  const losses = new Set<{ distance: number; weight: number }>();
  const open = new Map<number, { distance: number; weight: number }>();
  for (const reference of all) {
    const { document, kind, use } = reference;
    if (use !== 'habit' && use !== 'unknown') {
      const loss = keepIn(open, document, () => ({ distance: 0, weight: 0 }));
      losses.add(loss);
      loss.distance = Math.max(loss.distance, distanceOf(reference, pruning));
      loss.weight ||= pruning.missed.get(keyOf(reference)) ?? 0;
    }
    if (kind === 'given-back') open.delete(document);
  }
  return [...losses];
}

function findPivots(events: readonly RunEvent[]): readonly number[] {
  let newest = 0;
  return events.flatMap((event) => {
    if (event.type === 'step-end') newest = event.step;
    return event.type === 'pivot' ? [newest] : [];
  });
}

function findMissed(events: readonly RunEvent[]): ReadonlyMap<string, number> {
  return new Map(
    events.flatMap((event) =>
      event.type === 'reference' && event.missedBy !== undefined
        ? [[keyOf(event), event.chance ?? 1] as const]
        : [],
    ),
  );
}

function keyOf({ step, kind, document }: Pick<Reference, 'step' | 'kind' | 'document'>): string {
  return `${step} ${kind} ${document}`;
}

/** A need is missed at the distance of the piece that makes it count; what a pivot has hidden at any, unless the run says that the summary tells it. */
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
  const { references, guardTurns, outputs, atTurnEnd, turnOf } = pruning;
  const lastTurn = (turnOf[step] ?? 0) - 1 - guardTurns;
  const id = references.parts[partOf(side)]?.part.id;
  const placed = isOutput(side) && id !== undefined ? outputs.get(id) : undefined;
  if (placed === undefined || placed.turn > lastTurn) return 0;
  return (atTurnEnd[lastTurn] ?? 0) - placed.tokensBefore;
}
