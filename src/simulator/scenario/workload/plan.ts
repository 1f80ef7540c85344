import { keepIn, sum } from '../../lib/collections.ts';
import {
  createDraw,
  createShares,
  type Draw,
  evenShare,
  type NextShare,
  type SessionSeed,
  shiftShare,
  solveRising,
  valueAt,
} from './draw.ts';
import type { Language, SessionShape, Spread, ToolShape, Workload } from './workload.ts';

/** A sentence, or a value, that a text has to hold. */
export interface Hold {
  readonly text: string;
  /** Where in the text it is to stand at the earliest, as a share of it. */
  readonly from: number;
}

/** A text before it is written: its size, and what it has to hold. */
export interface Piece {
  readonly characters: number;
  readonly holds: Hold[];
}

/** A call before it is made. */
export interface CallPlan {
  readonly tool: string;
  readonly arguments: Piece;
  readonly output: Piece;
  readonly isError: boolean;
  /** Repeats an earlier call of the tool, if possible. */
  readonly isRepeat: boolean;
}

/** A step before it is written; absent texts are none. */
export interface StepPlan {
  /** From 1. */
  readonly number: number;
  readonly gapSeconds: number;
  readonly text?: Piece;
  readonly reasoning?: Piece;
  readonly calls: readonly CallPlan[];
}

/** A turn before it is written. */
export interface TurnPlan {
  readonly gapSeconds: number;
  readonly prompt: Piece;
  readonly steps: readonly StepPlan[];
}

/** A session in sizes and times. */
export interface SessionPlan {
  readonly language: Language;
  readonly turns: readonly TurnPlan[];
  /** The imitated session; absent where the workload has no whole sessions. */
  readonly shape?: SessionShape;
}

interface Planning {
  readonly workload: Workload;
  readonly callsPerStep: Workload['callsPerStep'];
  readonly draw: Draw;
  /** The next value of what a spread tells, which a name keeps apart from others. */
  readonly next: (name: string, spread: Spread) => number;
  /** The same for sizes of what the agent and its tools write. */
  readonly nextSize: (name: string, spread: Spread) => number;
  lastTool: string | undefined;
  lastStep: number;
}

interface Shifted {
  readonly outline: Outline;
  /** See `shiftShare`. */
  readonly shift: number;
}

/** The length of a session, before anything in it has a size. */
interface Outline {
  /** Calls of each turn. */
  readonly callsOfTurns: readonly number[];
  /** Weights of the number of calls of a step with calls. */
  readonly callsPerStep: Workload['callsPerStep'];
  /** The session to imitate; absent where the workload has no whole sessions. */
  readonly shape?: SessionShape;
}

/** Characters of a token in the sizes of a workload. */
export const CHARACTERS_PER_TOKEN = 4;
/** A text of nothing is none. */
const MIN_TOKENS = 1 / CHARACTERS_PER_TOKEN;
/** Most shift of sizes. */
const MOST_SHIFT = 6;

/** No session has more, so that each stays small enough to be held at once. */
const MAX_CALLS = 3_000;
/** Most tilt of weights, as the logarithm of the factor per further call. */
const MOST_TILT = 12;

/** Plans the sizes and times of a session. Sizes are scaled so that their sum matches the imitated session, where that is known. */
export function planSession(workload: Workload, session: SessionSeed): SessionPlan {
  const outline = outlineOf(workload, session);
  const planWith = (shift: number) => planShifted(workload, session, { outline, shift });
  const { shape } = outline;
  if (shape?.contentTokens === undefined) return { ...planWith(0), ...(shape && { shape }) };
  const contentAt = (shift: number) => contentCharactersOf(planWith(shift));
  const wanted = shape.contentTokens * CHARACTERS_PER_TOKEN;
  const bounds = { least: -MOST_SHIFT, most: MOST_SHIFT };
  return { ...planWith(solveRising(contentAt, wanted, bounds)), shape };
}

/** Characters of everything in a session. */
export function contentCharactersOf({ turns }: Pick<SessionPlan, 'turns'>): number {
  return turns.reduce((total, turn) => total + charactersOf(turn), 0);
}

/** A piece of a size in tokens. */
export function pieceOf(tokens: number): Piece {
  return { characters: Math.round(tokens * CHARACTERS_PER_TOKEN), holds: [] };
}

/** Characters of everything in a turn. */
export function charactersOf(turn: TurnPlan): number {
  return turn.steps.reduce((total, step) => total + stepCharacters(step), turn.prompt.characters);
}

/** Characters of everything in a step. */
export function stepCharacters({ text, reasoning, calls }: StepPlan): number {
  const own = (text?.characters ?? 0) + (reasoning?.characters ?? 0);
  return calls.reduce(
    (total, call) => total + call.arguments.characters + call.output.characters,
    own,
  );
}

/** The outline of a session: that of one of the sessions of its workload, its turns in another order, or drawn figure by figure. */
function outlineOf(workload: Workload, session: SessionSeed): Outline {
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

/** Each turn ends with a step without calls. */
function meanCallsPerStep({ callsOfTurns, steps }: SessionShape): number {
  return sum(callsOfTurns) / Math.max(1, steps - callsOfTurns.length);
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

function planShifted(workload: Workload, session: SessionSeed, shifted: Shifted): SessionPlan {
  const planning = startPlanning(workload, session, shifted);
  const { callsOfTurns } = shifted.outline;
  const turns = callsOfTurns.map((calls) => planTurn(planning, calls));
  return { language: planning.draw.weighted(workload.languages) as Language, turns };
}

function startPlanning(
  workload: Workload,
  session: SessionSeed,
  { outline, shift }: Shifted,
): Planning {
  const shares = new Map<string, NextShare>();
  const sharesOf = (name: string) => keepIn(shares, name, () => createShares(session, name));
  return {
    workload,
    callsPerStep: outline.callsPerStep,
    draw: createDraw(session, 'plan'),
    next: (name, spread) => valueAt(spread, sharesOf(name)()),
    nextSize: (name, spread) => valueAt(spread, shiftShare(sharesOf(name)(), shift)),
    lastTool: undefined,
    lastStep: 0,
  };
}

function planTurn(planning: Planning, calls: number): TurnPlan {
  const { workload, callsPerStep, draw, next } = planning;
  const steps: StepPlan[] = [];
  for (let rest = calls; rest > 0; ) {
    const wanted = Number(draw.weighted(callsPerStep)) || 1;
    const count = Math.min(rest, wanted);
    steps.push(planStep(planning, { calls: count, isFirst: steps.length === 0 }));
    rest -= count;
  }
  steps.push(planStep(planning, { calls: 0, isFirst: steps.length === 0 }));
  const prompt = pieceOf(Math.max(MIN_TOKENS, next('user', workload.texts.userTokens)));
  return { gapSeconds: next('before user', workload.gapsSeconds.beforeUser), prompt, steps };
}

function planStep(
  planning: Planning,
  { calls, isFirst }: { readonly calls: number; readonly isFirst: boolean },
): StepPlan {
  const { workload, draw, next, nextSize } = planning;
  const { texts, gapsSeconds } = workload;
  const hasText = calls === 0 || draw.isTrue(texts.textShare);
  const textOf = (name: string, spread: Spread) =>
    pieceOf(Math.max(MIN_TOKENS, nextSize(name, spread)));
  return {
    number: ++planning.lastStep,
    gapSeconds: isFirst
      ? next('model', gapsSeconds.model)
      : next('tools and model', gapsSeconds.toolsAndModel),
    ...(hasText && { text: textOf('text', texts.assistantTokens) }),
    ...(draw.isTrue(texts.reasoningShare) && {
      reasoning: textOf('reasoning', texts.reasoningTokens),
    }),
    calls: Array.from({ length: calls }, () => planCall(planning)),
  };
}

function planCall(planning: Planning): CallPlan {
  const { workload, draw, nextSize } = planning;
  const tool = nextTool(planning);
  planning.lastTool = tool;
  const shape: ToolShape | undefined = workload.tools[tool];
  if (shape === undefined) throw new RangeError(`Expected a tool of the workload, got '${tool}'.`);
  return {
    tool,
    arguments: pieceOf(nextSize(`arguments ${tool}`, shape.argumentTokens)),
    output: pieceOf(nextSize(`output ${tool}`, shape.outputTokens)),
    isError: draw.isTrue(shape.errorRate),
    isRepeat: draw.isTrue(shape.repeatRate),
  };
}

/** The next tool by the transitions of the last one; without any, by share. */
function nextTool({ workload, draw, lastTool }: Planning): string {
  const after = lastTool === undefined ? undefined : workload.transitions[lastTool];
  if (after !== undefined && Object.keys(after).length > 0) return draw.weighted(after);
  return draw.weighted(weightsOf(workload));
}

function weightsOf({ tools }: Workload): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(tools).map(([tool, { share }]) => [tool, share]));
}
