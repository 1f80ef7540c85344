import { describe, expect, it } from 'vitest';
import { type Move, policies, resolvePolicy, viewOf } from '../../../src/engine/index.ts';
import { isAllBehindSummary } from '../../../src/simulator/metrics/explain.ts';
import { runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { fixed, modelOf, roomy, traceOf, work } from '../replay/lab.ts';

const model = modelOf({}, { limits: { contextTokens: 10_000, outputTokens: 1_000 } });

/** The moves of a turn of so many calls: under a guard of two turns a prune looks past the summary that the turn led to. */
function movesOf(calls: number, guardTurns: number): readonly Move[] {
  const policy = resolvePolicy(policies['opencode-1.2.16'], {
    prune: { enabled: true, byAge: { protectTokens: 1_500, minimumTokens: 0, guardTurns } },
  });
  const moves: Move[] = [];
  const onTransition = (move: Move) => moves.push(move);
  const options = { policy, model, summarizer: fixed, summaryModel: roomy, seed: 1, onTransition };
  expect([...runTrace(traceOf(work(calls, 1_000)), options)]).not.toEqual([]);
  return moves;
}

function firedOf(moves: readonly Move[]): Move {
  const fired = moves.find((move) => clearedOf(move).length > 0);
  if (fired === undefined) throw new Error('no prune fired');
  return fired;
}

function clearedOf({ next }: Move): readonly string[] {
  return next.events.flatMap((event) => (event.type === 'pruned' ? event.plan.partIds : []));
}

function shownOf({ before }: Move): readonly string[] {
  return viewOf(before).flatMap(({ parts }) => parts.map(({ id }) => id));
}

/** The same move, as if its prune had cleared something more. */
function clearing(more: string, move: Move): Move {
  const events = move.next.events.map((event) =>
    event.type === 'pruned'
      ? { ...event, plan: { ...event.plan, partIds: [...event.plan.partIds, more] } }
      : event,
  );
  return { ...move, next: { ...move.next, events } };
}

describe('isAllBehindSummary', () => {
  const behind = firedOf(movesOf(14, 2));

  it('is so where a summary stands in the place of all that was cleared', () => {
    expect(clearedOf(behind).filter((id) => shownOf(behind).includes(id))).toEqual([]);
    expect(isAllBehindSummary(behind)).toBe(true);
  });

  it('is not so where a request showed any of it', () => {
    const shown = firedOf(movesOf(8, 0));
    expect(shownOf(shown)).toEqual(expect.arrayContaining([...clearedOf(shown)]));
    expect(isAllBehindSummary(shown)).toBe(false);
    const one = shownOf(behind).at(-1) ?? '';
    expect(isAllBehindSummary(clearing(one, behind))).toBe(false);
  });

  it('is not so where something of it is nowhere', () => {
    expect(isAllBehindSummary(clearing('nowhere', behind))).toBe(false);
  });

  it('is not so of a move that cleared nothing', () => {
    const idle = movesOf(14, 2).filter((move) => clearedOf(move).length === 0);
    expect(idle.length).toBeGreaterThan(14);
    expect(idle.filter(isAllBehindSummary)).toEqual([]);
  });
});
