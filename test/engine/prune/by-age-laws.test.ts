import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyPrune,
  type ByAgeOptions,
  estimateTokens,
  type EstimatorOptions,
  isSummary,
  type Message,
  planByAge,
  type PrunePlan,
  type ToolPart,
} from '../../../src/engine/index.ts';
import { frozen } from '../../../src/engine/values.ts';
import { byAgeOptions, toolHistories } from '../../support/arbitraries.ts';

const ESTIMATOR: EstimatorOptions = { charsPerToken: 4, rounding: 'round' };
const NOTHING: PrunePlan = { state: 'nothing', partIds: [], estimatedTokens: 0 };
const plan = (history: readonly Message[], options: ByAgeOptions) =>
  planByAge(frozen(history), options, ESTIMATOR);

describe('laws of a prune by age', () => {
  interface Run {
    readonly history: readonly Message[];
    readonly options: ByAgeOptions;
    readonly plan: PrunePlan;
  }
  const runs: fc.Arbitrary<Run> = fc
    .record({ history: toolHistories, options: byAgeOptions })
    .map(({ history, options }) => ({
      history: frozen(history),
      options,
      plan: plan(history, options),
    }));
  const holds = (law: (run: Run) => void) => fc.assert(fc.property(runs, law));
  const holdsWhenFired = (law: (run: Run) => void) => {
    fc.assert(
      fc.property(runs, (run) => {
        fc.pre(run.plan.state === 'fire');
        law(run);
      }),
    );
  };

  it('are checked on histories most of which fire', () => {
    const sample = fc.sample(runs, { numRuns: 200, seed: 1 });
    const firing = sample.filter((run) => run.plan.state === 'fire');
    expect(firing.length / sample.length).toBeGreaterThan(0.5);
    expect(sample.some((run) => run.plan.state === 'below-minimum')).toBe(true);
  });

  it('never touches the guarded turns', () => {
    holdsWhenFired(({ history, options, plan: { partIds } }) => {
      const guarded = idsOf(guardedMessages(history, options).flatMap(toolParts));
      expect(partIds.filter((id) => guarded.includes(id))).toEqual([]);
    });
  });

  it('clears completed, unprotected, uncleared outputs only', () => {
    holdsWhenFired(({ history, options, plan: { partIds } }) => {
      const clearable = history.flatMap(toolParts).filter((part) => isClearable(part, options));
      expect(partIds.filter((id) => !idsOf(clearable).includes(id))).toEqual([]);
    });
  });

  it('never crosses a summary or a cleared output that lies outside of the guarded turns', () => {
    holdsWhenFired(({ history, options, plan: { partIds } }) => {
      const reachable = idsOf(reachableParts(history, options));
      expect(partIds.filter((id) => !reachable.includes(id))).toEqual([]);
    });
  });

  it('saves nothing, or more than the minimum', () => {
    holds(({ history, options, plan: planned }) => {
      const savedTokens = weigh(history.flatMap(toolParts).filter(isSent));
      const leftTokens = weigh(prune(history, planned).flatMap(toolParts).filter(isSent));
      const saved = savedTokens - leftTokens;
      expect(saved === 0 || saved > options.minimumTokens).toBe(true);
      expect(saved).toBe(planned.state === 'fire' ? planned.estimatedTokens : 0);
    });
  });

  it('a second pass changes nothing', () => {
    holdsWhenFired(({ history, options, plan: planned }) => {
      expect(plan(prune(history, planned), options)).toEqual(NOTHING);
    });
  });

  it('a pass that did not fire would not fire a second time', () => {
    holds(({ history, options, plan: planned }) => {
      fc.pre(planned.state !== 'fire');
      expect(prune(history, planned)).toBe(history);
      expect(plan(history, options)).toEqual(planned);
    });
  });

  it('once it fired, no more than the protected tokens are left within its reach', () => {
    holdsWhenFired(({ history, options, plan: planned }) => {
      const left = reachableParts(prune(history, planned), options);
      expect(weigh(left)).toBeLessThanOrEqual(options.protectTokens);
    });
  });

  it('after any pass, no more than protected tokens and minimum are left within its reach', () => {
    holds(({ history, options, plan: planned }) => {
      const left = reachableParts(prune(history, planned), options);
      const allowedTokens = options.protectTokens + options.minimumTokens;
      expect(weigh(left)).toBeLessThanOrEqual(allowedTokens);
    });
  });

  it('clears no less for fewer protected tokens', () => {
    holdsWhenFired(({ history, options, plan: { partIds } }) => {
      const protectTokens = Math.floor(options.protectTokens / 2);
      const wider = plan(history, { ...options, protectTokens });
      expect(wider.state).toBe('fire');
      expect(wider.partIds.slice(-partIds.length)).toEqual(partIds);
    });
  });

  it('clears the same for a smaller minimum', () => {
    holdsWhenFired(({ history, options, plan: planned }) => {
      const minimumTokens = Math.floor(options.minimumTokens / 2);
      expect(plan(history, { ...options, minimumTokens })).toEqual(planned);
    });
  });

  it('clears nothing for a minimum as large as the saving', () => {
    holdsWhenFired(({ history, options, plan: { estimatedTokens, partIds } }) => {
      const pass = plan(history, { ...options, minimumTokens: estimatedTokens });
      expect(pass).toEqual({ state: 'below-minimum', partIds, estimatedTokens });
    });
  });

  it('clears no more for more guarded turns', () => {
    holds(({ history, options, plan: { partIds } }) => {
      fc.pre(!history.some(isSummary) && !history.flatMap(toolParts).some(isCleared));
      const guarded = plan(history, { ...options, guardTurns: options.guardTurns + 1 });
      expect(guarded.partIds.filter((id) => !partIds.includes(id))).toEqual([]);
    });
  });

  it('chooses the newest first, without a gap', () => {
    holdsWhenFired(({ history, options, plan: { partIds } }) => {
      const newestFirst = idsOf(reachableParts(history, options)).toReversed();
      expect(newestFirst.slice(-partIds.length)).toEqual(partIds);
    });
  });
});

function prune(history: readonly Message[], planned: PrunePlan): readonly Message[] {
  return frozen(applyPrune(history, planned, 99));
}

function toolParts(message: Message): readonly ToolPart[] {
  return message.parts.filter((part) => part.type === 'tool');
}

/** From the user message that opens the guarded turns; all of them if there are not that many. */
function guardedMessages(history: readonly Message[], { guardTurns }: ByAgeOptions) {
  if (guardTurns === 0) return [];
  const userIndices = history.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  return history.slice(userIndices.at(-guardTurns) ?? 0);
}

/** What a pass may clear, oldest first: behind the last summary and cleared output, before the guard. */
function reachableParts(history: readonly Message[], options: ByAgeOptions): readonly ToolPart[] {
  const open = history.slice(0, history.length - guardedMessages(history, options).length);
  const behindSummary = open.slice(open.findLastIndex(isSummary) + 1);
  const parts = behindSummary.flatMap(toolParts).filter((part) => {
    return !options.protectedTools.includes(part.tool);
  });
  const behindCleared = parts.slice(parts.findLastIndex(isCleared) + 1);
  return behindCleared.filter((part) => isClearable(part, options));
}

function isClearable(part: ToolPart, { protectedTools }: ByAgeOptions): boolean {
  return isSent(part) && !protectedTools.includes(part.tool);
}

function isSent({ state }: ToolPart): boolean {
  return state.status === 'completed' && state.compactedAt === undefined;
}

function isCleared({ state }: ToolPart): boolean {
  return state.status === 'completed' && state.compactedAt !== undefined;
}

function weigh(parts: readonly ToolPart[]): number {
  return parts.reduce((total, { state }) => {
    const length = state.status === 'completed' ? state.output.length : 0;
    return total + estimateTokens(length, ESTIMATOR);
  }, 0);
}

function idsOf(parts: readonly ToolPart[]): readonly string[] {
  return parts.map(({ id }) => id);
}
