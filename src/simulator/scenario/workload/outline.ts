import { sum } from '../../sum.ts';
import { createDraw, createShares, evenShare, type SessionSeed } from './draw.ts';
import type { SessionShape } from './session-shape.ts';
import { solveRising } from './solve-rising.ts';
import { valueAt } from './spread.ts';
import type { Workload } from './workload.ts';

/** How long a session is, before anything in it has a size. */
export interface Outline {
  /** Calls of each turn. */
  readonly callsOfTurns: readonly number[];
  /** How often a step with calls has how many. */
  readonly callsPerStep: Workload['callsPerStep'];
  /** What it is to be like; absent where the workload knows no whole sessions. */
  readonly shape?: SessionShape;
}

/** No session has more, so that each stays small enough to be held at once. */
const MAX_CALLS = 3_000;
/** How far weights are tilted at most, as the logarithm of what each further call multiplies them by. */
const MOST_TILT = 12;

/** The outline of a session: that of one of the sessions of its workload, its turns in another order, or drawn figure by figure. */
export function outlineOf(workload: Workload, session: SessionSeed): Outline {
  const { sessions = [], callsPerStep } = workload;
  const shape = sessions[Math.floor(evenShare(session, 'session') * sessions.length)];
  if (shape === undefined) return { callsOfTurns: drawTurns(workload, session), callsPerStep };
  const callsOfTurns = capped(createDraw(session, 'turns').shuffled(shape.callsOfTurns));
  return {
    callsOfTurns,
    callsPerStep: tiltTo(callsPerStep, meanCallsPerStep(shape)),
    shape: shortened(shape, callsOfTurns),
  };
}

/** The shape with as little content and as few steps as belong to the calls that are kept of it. */
function shortened(shape: SessionShape, kept: readonly number[]): SessionShape {
  const calls = sum(shape.callsOfTurns);
  if (calls <= MAX_CALLS) return shape;
  const share = sum(kept) / calls;
  return {
    ...shape,
    steps: Math.max(1, Math.round(shape.steps * share)),
    ...(shape.contentTokens !== undefined && { contentTokens: shape.contentTokens * share }),
  };
}

function drawTurns(workload: Workload, session: SessionSeed): readonly number[] {
  const { turnsPerSession, callsPerTurn } = workload;
  const turns = valueAt(turnsPerSession, createShares(session, 'turns')());
  const count = Math.max(1, Math.round(turns));
  const nextShare = createShares(session, 'calls');
  return capped(
    Array.from({ length: count }, () => Math.round(valueAt(callsPerTurn, nextShare()))),
  );
}

/** Turns up to the one with which there are too many calls. */
function capped(callsOfTurns: readonly number[]): readonly number[] {
  const kept: number[] = [];
  let rest = MAX_CALLS;
  for (const calls of callsOfTurns) {
    if (rest <= 0) break;
    kept.push(Math.min(calls, rest));
    rest -= calls;
  }
  return kept;
}

/** Each turn ends with a step without calls. */
function meanCallsPerStep({ callsOfTurns, steps }: SessionShape): number {
  return sum(callsOfTurns) / Math.max(1, steps - callsOfTurns.length);
}

/** Weights of whole numbers, tilted until their mean is as given, or as near as they allow. */
function tiltTo(weights: Workload['callsPerStep'], mean: number): Workload['callsPerStep'] {
  const tilted = (tilt: number) =>
    Object.entries(weights).map(
      ([count, weight]) => [count, weight * Math.exp(tilt * (Number(count) - mean))] as const,
    );
  const meanAt = (tilt: number) => {
    const all = tilted(tilt);
    const total = sum(all.map(([, weight]) => weight));
    return sum(all.map(([count, weight]) => Number(count) * weight)) / total;
  };
  return Object.fromEntries(
    tilted(solveRising(meanAt, mean, { least: -MOST_TILT, most: MOST_TILT })),
  );
}
