import { sum } from '../../src/simulator/lib/collections.ts';
import { createDraw, valueAt } from '../../src/simulator/scenario/workload/draw.ts';
import { rounded } from './spreads.ts';
import type { SessionShape, Spread } from '../../src/simulator/scenario/workload/workload.ts';

/** Figures of how long sessions are, each published by itself. */
export interface LengthFigures {
  readonly turns: Spread;
  readonly calls: Spread;
  readonly callsPerTurn: Spread;
  /** Calls of a step, over steps that do not end a turn. */
  readonly callsPerStep: number;
}

/** Figures of whole sessions, each published by itself. */
export interface SessionFigures extends LengthFigures {
  /** Sessions that they were observed on. */
  readonly sessions: number;
  readonly contentTokens: Spread;
  readonly firstStepTokens: Spread;
  /** Share of the content that prompts, texts, calls and outputs are. */
  readonly writtenShare: number;
  /** By how many tokens contexts grew for each token of content. */
  readonly growthPerContentToken: number;
  /** Compactions of a session. */
  readonly compactions: Spread;
  /** The largest context that the agent itself leaves behind a compaction. */
  readonly mostCompactedTokens: number;
}

/** Few sessions are told of by their quantiles, at as many shares. */
const FEWEST_SHAPES = 20;
/** How much of the order of turns is that of calls; the rest is chance. */
const TURNS_WITH_CALLS = 0.7;
const SEED = { seed: 1, index: 0 };

/**
 * Whole sessions that have the published figures. Which figure goes with which was not published; what is taken for granted:
 * sessions with more calls have more steps, more content and more compactions, and rather more turns; calls of turns are shared out so
 * that turns and sessions both have as many as they do; where a session starts says nothing of its length, but one whose
 * first request is larger than anything that is left behind a compaction goes on with another session, and ends soon.
 */
export function toShapes(figures: SessionFigures): readonly SessionShape[] {
  const count = Math.max(FEWEST_SHAPES, figures.sessions);
  const shares = middleShares(count);
  const firsts = firstSteps(figures, shares);
  return toOutlines(figures, count).map(({ callsOfTurns, steps }, index) => {
    const share = shares[index] ?? 0;
    const content = valueAt(figures.contentTokens, share);
    return {
      callsOfTurns,
      steps,
      contentTokens: Math.round(content * figures.writtenShare),
      firstStepTokens: Math.round(firsts[index] ?? 0),
      stepGrowthTokens: rounded((content * figures.growthPerContentToken) / Math.max(1, steps - 1)),
      compactions: Math.round(valueAt(figures.compactions, share)),
    };
  });
}

/** Calls and steps of as many sessions, the shortest first. */
export function toOutlines(
  figures: LengthFigures,
  count: number,
): readonly Pick<SessionShape, 'callsOfTurns' | 'steps'>[] {
  return shareOutCalls(figures, middleShares(count))
    .map((callsOfTurns) => ({ callsOfTurns, steps: stepsOf(callsOfTurns, figures) }))
    .toSorted((a, b) => a.steps - b.steps);
}

/** Shares in the middle of as many equal parts. */
export function middleShares(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => (index + 0.5) / count);
}

function stepsOf(callsOfTurns: readonly number[], { callsPerStep }: LengthFigures): number {
  return callsOfTurns.length + Math.ceil(sum(callsOfTurns) / callsPerStep);
}

interface Open {
  readonly turns: number;
  readonly callsOfTurns: number[];
  /** Calls that it still lacks. */
  lacking: number;
}

/**
 * Sessions of one turn take the turn that has most nearly their calls. Then the turns with the most calls first, each to the
 * session that lacks most calls and has a turn left.
 */
function shareOutCalls(
  figures: LengthFigures,
  shares: readonly number[],
): readonly (readonly number[])[] {
  const turns = turnsBesideCalls(figures, shares);
  const open: Open[] = shares.map((share, index) => ({
    turns: turns[index] ?? 1,
    callsOfTurns: [],
    lacking: valueAt(figures.calls, share),
  }));
  const rest = middleShares(sum(turns)).map((share) =>
    Math.round(valueAt(figures.callsPerTurn, share)),
  );
  for (const each of open.filter((session) => session.turns === 1)) {
    each.callsOfTurns.push(takeNearest(rest, each.lacking));
  }
  for (const calls of rest.toReversed()) {
    const unfilled = open.filter((each) => each.callsOfTurns.length < each.turns);
    const [most] = unfilled.toSorted((a, b) => b.lacking - a.lacking);
    most?.callsOfTurns.push(calls);
    if (most !== undefined) most.lacking -= calls;
  }
  return open.map(({ callsOfTurns }) => callsOfTurns);
}

/** Takes the number that is nearest to one out of some. */
function takeNearest(numbers: number[], wanted: number): number {
  let nearest = 0;
  for (const [index, number] of numbers.entries()) {
    const isNearer = Math.abs(number - wanted) < Math.abs((numbers[nearest] ?? 0) - wanted);
    if (isNearer) nearest = index;
  }
  return numbers.splice(nearest, 1)[0] ?? 0;
}

/** Turns of the sessions in the order of their calls. */
function turnsBesideCalls({ turns }: LengthFigures, shares: readonly number[]): readonly number[] {
  const draw = createDraw(SEED, 'turns beside calls');
  const keys = shares.map(
    (share) => TURNS_WITH_CALLS * share + (1 - TURNS_WITH_CALLS) * draw.share(),
  );
  const order = [...keys.keys()].toSorted((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
  const found: number[] = [];
  for (const [rank, index] of order.entries()) {
    found[index] = Math.max(1, Math.round(valueAt(turns, shares[rank] ?? 0)));
  }
  return found;
}

function firstSteps(
  { firstStepTokens, mostCompactedTokens }: SessionFigures,
  shares: readonly number[],
): readonly number[] {
  const all = shares.map((share) => valueAt(firstStepTokens, share));
  const continuing = all.filter((tokens) => tokens > mostCompactedTokens);
  const others = all.filter((tokens) => tokens <= mostCompactedTokens);
  return [...continuing, ...createDraw(SEED, 'first steps').shuffled(others)];
}
