import { keepIn, known, sum } from '../../lib/collections.ts';
import {
  createDraw,
  createShares,
  type Draw,
  evenShare,
  type SessionSeed,
  solveRising,
  valueAt,
} from './draw.ts';
import type { Language, SessionShape, Spread, Workload } from './workload.ts';

/** A text before it is written: its size, and what it has to hold. */
export interface Piece {
  readonly characters: number;
  /** Sentences or values; `from` is the earliest place, as a share of the text. */
  readonly holds: { readonly text: string; readonly from: number }[];
}

export interface CallPlan {
  readonly tool: string;
  readonly arguments: Piece;
  readonly output: Piece;
  readonly isError: boolean;
  readonly isRepeat: boolean;
}

/** A step before it is written; absent texts are none. */
export interface StepPlan {
  readonly number: number;
  readonly gapSeconds: number;
  readonly text?: Piece;
  readonly reasoning?: Piece;
  readonly calls: readonly CallPlan[];
}

export interface TurnPlan {
  readonly gapSeconds: number;
  readonly prompt: Piece;
  readonly steps: readonly StepPlan[];
}

export interface SessionPlan {
  readonly language: Language;
  readonly turns: readonly TurnPlan[];
  /** Absent where the workload has no whole sessions. */
  readonly shape?: SessionShape;
}

interface Planning {
  readonly workload: Workload;
  readonly draw: Draw;
  /** The next value of a spread, by a name that keeps it apart from others. */
  readonly next: (name: string, spread: Spread) => number;
  readonly nextPiece: (name: string, spread: Spread, leastTokens?: number) => Piece;
  lastTool?: string;
  lastStep: number;
}

interface Outline {
  readonly callsOfTurns: readonly number[];
  readonly callsPerStep: Workload['callsPerStep'];
  readonly shape?: SessionShape;
}

export const CHARACTERS_PER_TOKEN = 4;
/** A text of nothing is none. */
const MIN_TOKENS = 1 / CHARACTERS_PER_TOKEN;
const MOST_SHIFT = 6;
/** More would not be held at once. */
const MAX_CALLS = 3_000;
/** Most tilt of weights, as the logarithm of the factor per further call. */
const MOST_TILT = 12;

/** The sizes and times of a session, scaled to the content of the imitated one. */
export function planSession(workload: Workload, session: SessionSeed): SessionPlan {
  const { callsOfTurns, callsPerStep, shape } = outlineOf(workload, session);
  const planWith = (shift: number): SessionPlan => {
    const planning = startPlanning({ ...workload, callsPerStep }, session, shift);
    const turns = callsOfTurns.map((calls) => planTurn(planning, calls));
    const language = planning.draw.weighted(workload.languages) as Language;
    return { language, turns, ...known({ shape }) };
  };
  if (shape?.contentTokens === undefined) return planWith(0);
  const contentAt = (shift: number) => contentCharactersOf(planWith(shift));
  const wanted = shape.contentTokens * CHARACTERS_PER_TOKEN;
  return planWith(solveRising(contentAt, wanted, { least: -MOST_SHIFT, most: MOST_SHIFT }));
}

export function contentCharactersOf({ turns }: Pick<SessionPlan, 'turns'>) {
  return sum(turns.map(({ prompt, steps }) => prompt.characters + sum(steps.map(stepCharacters))));
}

export function pieceOf(tokens: number): Piece {
  return { characters: Math.round(tokens * CHARACTERS_PER_TOKEN), holds: [] };
}

export function stepCharacters({ text, reasoning, calls }: StepPlan) {
  const own = (text?.characters ?? 0) + (reasoning?.characters ?? 0);
  return own + sum(calls.map((call) => call.arguments.characters + call.output.characters));
}

/** A share with its odds multiplied by the exponential of a shift. */
export function shiftShare(share: number, shift: number) {
  if (shift === 0) return share;
  const odds = share * Math.exp(shift);
  return odds / (1 - share + odds);
}

/** That of a session of the workload, its turns in another order, or drawn figure by figure. */
function outlineOf(workload: Workload, session: SessionSeed): Outline {
  const { sessions = [], callsPerStep } = workload;
  const shape = sessions[Math.floor(evenShare(session, 'session') * sessions.length)];
  if (shape === undefined) return { callsOfTurns: drawTurns(workload, session), callsPerStep };
  const callsOfTurns = capped(createDraw(session, 'turns').shuffled(shape.callsOfTurns));
  const calls = sum(shape.callsOfTurns);
  // Each turn ends with a step without calls.
  const mean = calls / Math.max(1, shape.steps - shape.callsOfTurns.length);
  const outline = { callsOfTurns, callsPerStep: tiltTo(callsPerStep, mean) };
  if (calls <= MAX_CALLS) return { ...outline, shape };
  const share = sum(callsOfTurns) / calls;
  const steps = Math.max(1, Math.round(shape.steps * share));
  const contentTokens = shape.contentTokens && shape.contentTokens * share;
  return { ...outline, shape: { ...shape, steps, ...known({ contentTokens }) } };
}

function drawTurns(workload: Workload, session: SessionSeed) {
  const turns = valueAt(workload.turnsPerSession, createShares(session, 'turns')());
  const nextShare = createShares(session, 'calls');
  const nextCalls = () => Math.round(valueAt(workload.callsPerTurn, nextShare()));
  return capped(Array.from({ length: Math.max(1, Math.round(turns)) }, nextCalls));
}

function capped(callsOfTurns: readonly number[]) {
  const kept: number[] = [];
  let rest = MAX_CALLS;
  for (const calls of callsOfTurns) {
    if (rest <= 0) break;
    kept.push(Math.min(calls, rest));
    rest -= calls;
  }
  return kept;
}

/** Weights of whole numbers, tilted until their mean is as given, or as near as they allow. */
function tiltTo(weights: Workload['callsPerStep'], mean: number) {
  const tilted = (tilt: number) =>
    Object.entries(weights).map(
      ([count, weight]) => [count, weight * Math.exp(tilt * (Number(count) - mean))] as const,
    );
  const meanAt = (tilt: number) => {
    const all = tilted(tilt);
    const total = sum(all.map(([, weight]) => weight));
    return sum(all.map(([count, weight]) => Number(count) * weight)) / total;
  };
  const bounds = { least: -MOST_TILT, most: MOST_TILT };
  return Object.fromEntries(tilted(solveRising(meanAt, mean, bounds)));
}

function startPlanning(workload: Workload, session: SessionSeed, shift: number): Planning {
  const shares = new Map<string, () => number>();
  const shareOf = (name: string) => keepIn(shares, name, () => createShares(session, name))();
  return {
    workload,
    draw: createDraw(session, 'plan'),
    next: (name, spread) => valueAt(spread, shareOf(name)),
    nextPiece: (name, spread, leastTokens = 0) =>
      pieceOf(Math.max(leastTokens, valueAt(spread, shiftShare(shareOf(name), shift)))),
    lastStep: 0,
  };
}

function planTurn(planning: Planning, calls: number) {
  const { workload, draw, next } = planning;
  const { gapsSeconds, callsPerStep, texts } = workload;
  const steps: StepPlan[] = [];
  const addStep = (count: number) => {
    const gapSeconds =
      steps.length === 0
        ? next('model', gapsSeconds.model)
        : next('tools and model', gapsSeconds.toolsAndModel);
    steps.push({ gapSeconds, ...planStep(planning, count) });
  };
  for (let rest = calls; rest > 0; ) {
    const count = Math.min(rest, Number(draw.weighted(callsPerStep)) || 1);
    addStep(count);
    rest -= count;
  }
  addStep(0);
  const prompt = pieceOf(Math.max(MIN_TOKENS, next('user', texts.userTokens)));
  return { gapSeconds: next('before user', gapsSeconds.beforeUser), prompt, steps };
}

function planStep(planning: Planning, calls: number) {
  const { workload, draw, nextPiece } = planning;
  const { textShare, assistantTokens, reasoningShare, reasoningTokens } = workload.texts;
  const hasText = calls === 0 || draw.isTrue(textShare);
  const hasReasoning = draw.isTrue(reasoningShare);
  return {
    number: ++planning.lastStep,
    ...(hasText && { text: nextPiece('text', assistantTokens, MIN_TOKENS) }),
    ...(hasReasoning && { reasoning: nextPiece('reasoning', reasoningTokens, MIN_TOKENS) }),
    calls: Array.from({ length: calls }, () => planCall(planning)),
  };
}

function planCall(planning: Planning) {
  const { workload, draw, nextPiece } = planning;
  const tool = nextTool(planning);
  planning.lastTool = tool;
  const shape = workload.tools[tool];
  if (shape === undefined) throw new RangeError(`Expected a tool of the workload, got '${tool}'.`);
  return {
    tool,
    arguments: nextPiece(`arguments ${tool}`, shape.argumentTokens),
    output: nextPiece(`output ${tool}`, shape.outputTokens),
    isError: draw.isTrue(shape.errorRate),
    isRepeat: draw.isTrue(shape.repeatRate),
  };
}

/** The next tool by the transitions of the last one; without any, by share. */
function nextTool({ workload, draw, lastTool = '' }: Planning) {
  const after = workload.transitions[lastTool] ?? {};
  if (Object.keys(after).length > 0) return draw.weighted(after);
  const shares = Object.entries(workload.tools).map(([tool, { share }]) => [tool, share]);
  return draw.weighted(Object.fromEntries(shares));
}
