import { shareOf, solveRising } from '../../src/simulator/scenario/workload/draw.ts';
import type {
  Spread,
  ToolShape,
  Workload,
} from '../../src/simulator/scenario/workload/workload.ts';
import { rounded } from './spreads.ts';
import { meanOf, MOST_BEND } from '../../src/simulator/scenario/workload/fit.ts';

/** Shares of all outputs that are to be met. */
const SHARES = [0.25, 0.5, 0.75, 0.9];
/** How far a point that is added stays away from those that are known. */
const MIN_DISTANCE = 0.02;

/**
 * Between the known quantiles of a tool, nobody knows how its outputs lie; where the outputs of all tools are
 * known to lie tells more. The tool with the most calls is given points so that all together lie there.
 */
export function meetTotal(tools: Workload['tools'], total: Spread): Workload['tools'] {
  const [most] = Object.entries(tools).toSorted(([, a], [, b]) => b.share - a.share);
  if (most === undefined) return tools;
  const [name, shape] = most;
  const others = Object.entries(tools).filter(([other]) => other !== name);
  const points = SHARES.flatMap((share) => {
    const value = total.points.find(([known]) => known === share)?.[1];
    return value === undefined ? [] : [[restOf(share, { value, others, shape }), value] as const];
  });
  return { ...tools, [name]: { ...shape, outputTokens: withPoints(shape.outputTokens, points) } };
}

/** Of arguments two quantiles are known for each tool, and how large all are on average: they are bent alike until that is met. */
export function meetMeanArguments(tools: Workload['tools'], mean: number): Workload['tools'] {
  const bentBy = (bend: number) =>
    Object.entries(tools).map(
      ([name, tool]) =>
        [
          name,
          { ...tool, argumentTokens: { ...tool.argumentTokens, bend: rounded(Math.exp(bend)) } },
        ] as const,
    );
  const meanAt = (bend: number) =>
    -bentBy(bend).reduce((sum, [, tool]) => sum + tool.share * meanOf(tool.argumentTokens), 0);
  const bend = solveRising(meanAt, -mean, { least: -MOST_BEND, most: MOST_BEND });
  return Object.fromEntries(bentBy(bend));
}

interface Rest {
  readonly value: number;
  readonly others: readonly (readonly [string, ToolShape])[];
  readonly shape: ToolShape;
}

/** The share of a tool's outputs not above a value at which all outputs together have that share. */
function restOf(share: number, { value, others, shape }: Rest): number {
  const taken = others.reduce(
    (sum, [, other]) => sum + other.share * shareOf(other.outputTokens, value),
    0,
  );
  return rounded((share - taken) / shape.share);
}

function withPoints(spread: Spread, added: Spread['points']): Spread {
  const fitting = added.filter(([share, value]) =>
    spread.points.every(
      ([known, knownValue]) =>
        (known + MIN_DISTANCE < share && knownValue < value) ||
        (known - MIN_DISTANCE > share && knownValue > value),
    ),
  );
  const points = [...spread.points, ...fitting].toSorted(([a], [b]) => a - b);
  return { ...spread, points };
}
