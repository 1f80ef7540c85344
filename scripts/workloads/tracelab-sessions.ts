import { sum } from '../../src/simulator/lib/collections.ts';
import { createDraw, solveRising, valueAt } from '../../src/simulator/scenario/workload/draw.ts';
import { type LengthFigures, middleShares, toOutlines } from './session-shapes.ts';
import { rounded } from './spreads.ts';
import type { SessionShape, Spread } from '../../src/simulator/scenario/workload/workload.ts';

/** The published figures of one agent. */
interface AgentFigures {
  readonly sessions: number;
  readonly steps: number;
  /** Full compactions of a session. */
  readonly compactions: Spread;
  /** Share of steps at which the context shrank without a compaction. */
  readonly shrinkingShare: number;
  /** The context of the first step. */
  readonly firstStepTokens: Spread;
  /** Where sessions compact, by what part of them. */
  readonly windows: readonly Window[];
}

interface Window {
  readonly share: number;
  readonly least: number;
  readonly most: number;
}

/** Whole sessions of both agents. */
export interface TraceLabFigures extends LengthFigures {
  readonly claudeCode: AgentFigures;
  readonly codex: AgentFigures;
}

/** Sessions that stand for all; with as many, the longest hundredth is four of them. */
const SHAPES = 400;
const SEED = { seed: 1, index: 0 };
const STEEPNESS = { least: 0, most: 5 };
const OFFSET = { least: -30, most: 10 };

type Length = Pick<SessionShape, 'callsOfTurns' | 'steps'>;

/**
 * Sessions that have the published lengths, each of one agent. Which lengths are whose was not published: the odds that a session is one of Codex
 * grow with a power of its steps, so that Codex has the published share of sessions and of steps. An agent's window is the
 * same throughout a session, and says nothing of its length.
 */
export function traceLabSessions(figures: TraceLabFigures): readonly SessionShape[] {
  const lengths = toOutlines(figures, SHAPES);
  const isCodex = drawOwners(lengths, figures);
  const mine = (own: boolean) => lengths.filter((_, index) => isCodex[index] === own);
  const shapes = [
    ...toShapes(mine(false), figures.claudeCode, 'windows of Claude Code'),
    ...toShapes(mine(true), figures.codex, 'windows of Codex'),
  ];
  return shapes.toSorted((a, b) => a.steps - b.steps);
}

/** True for each session that is one of Codex; of any few of a like length, as many as the odds say. */
function drawOwners(lengths: readonly Length[], figures: TraceLabFigures): readonly boolean[] {
  const odds = fitOdds(lengths, figures);
  let due = 0.5;
  return odds.map((share) => {
    due += share;
    if (due < 1) return false;
    due -= 1;
    return true;
  });
}

/** The chance of each session to be one of Codex. */
function fitOdds(
  lengths: readonly Length[],
  { claudeCode, codex }: TraceLabFigures,
): readonly number[] {
  const sessionShare = codex.sessions / (codex.sessions + claudeCode.sessions);
  const stepShare = codex.steps / (codex.steps + claudeCode.steps);
  const steps = lengths.map((length) => length.steps);
  const chances = (steepness: number) => {
    const at = (offset: number) =>
      steps.map((count) => 1 / (1 + Math.exp(-offset - steepness * Math.log(count))));
    const wanted = sessionShare * steps.length;
    return at(solveRising((offset) => sum(at(offset)), wanted, OFFSET));
  };
  const stepsAt = (steepness: number) =>
    sum(chances(steepness).map((chance, index) => chance * (steps[index] ?? 0)));
  return chances(solveRising(stepsAt, stepShare * sum(steps), STEEPNESS));
}

function toShapes(
  lengths: readonly Length[],
  agent: AgentFigures,
  purpose: string,
): readonly SessionShape[] {
  const draw = createDraw(SEED, purpose);
  const shares = middleShares(lengths.length);
  const limits = draw.shuffled(shares.map((share) => limitAt(agent.windows, share)));
  const firsts = draw.shuffled(shares.map((share) => valueAt(agent.firstStepTokens, share)));
  return lengths.map((length, index) => ({
    ...length,
    firstStepTokens: Math.round(firsts[index] ?? 0),
    compactAtTokens: limits[index] ?? 0,
    shrinkingShare: rounded(agent.shrinkingShare),
    compactions: Math.round(valueAt(agent.compactions, shares[index] ?? 0)),
  }));
}

function limitAt(windows: readonly Window[], share: number): number {
  let rest = share;
  for (const { share: part, least, most } of windows) {
    if (rest < part) return Math.round(least + (rest / part) * (most - least));
    rest -= part;
  }
  return windows.at(-1)?.most ?? 0;
}
