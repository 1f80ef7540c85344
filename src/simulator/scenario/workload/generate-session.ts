import type { ToolPart, ToolState, Usage } from '../../../engine/index.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import { createTally } from '../../session/reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  finishMessages,
} from '../../session/reading/transcript.ts';
import { GENERATED, type RecordedCompaction, type Session } from '../../session/session.ts';
import {
  createDraw,
  createShares,
  type Draw,
  evenShare,
  type SessionSeed,
  valueAt,
} from './draw.ts';
import { plantFacts } from './plant-facts.ts';
import { createReadBudget } from './file-tools.ts';
import {
  type CallPlan,
  CHARACTERS_PER_TOKEN,
  contentCharactersOf,
  type Piece,
  pieceOf,
  planSession,
  type SessionPlan,
  stepCharacters,
  type StepPlan,
  type TurnPlan,
} from './plan.ts';
import { createProject, type MadeCall, type Scene } from './project.ts';
import { type Voice, writeProse } from './prose.ts';
import { kindOf, makeCall } from './tools.ts';
import type { Spread, Workload } from './workload.ts';

/** A session in the making. */
interface Writing {
  readonly scene: Scene;
  readonly meter: Meter;
  readonly drafts: DraftMessage[];
  readonly compactions: RecordedCompaction[];
  timeMs: number;
  /** Characters since the last request, without what is known before it. */
  addedCharacters: number;
  idleSeconds: number;
}

type WrittenText = Extract<DraftPart, { readonly type: 'text' | 'reasoning' }>;

type WrittenCall = Omit<ToolPart, 'id' | 'callId'>;

/** Added context and written output of a step. */
export interface StepSizes {
  /** Characters since the request before, what that one wrote among them. */
  readonly addedCharacters: number;
  readonly writtenCharacters: number;
  readonly reasoningCharacters: number;
  readonly idleSeconds: number;
}

/** Usage of a session's steps as a provider counts it. */
interface Meter {
  /** True if the agent would compact before a step that adds so much. */
  isFull(addedCharacters: number): boolean;
  /** Starts over behind a compaction; gives the contexts on both sides. */
  compact(addedCharacters: number): { readonly before: number; readonly after: number };
  measure(sizes: StepSizes): Usage;
}

/** Rates of one session. */
interface MeterRates {
  readonly firstStepTokens: number;
  readonly charactersPerToken: number;
  /** Fixed tokens of a step. */
  readonly fixedTokens: number;
  /** Share of steps at which the context shrinks without a compaction. */
  readonly shrinkingShare: number;
  /** The context at which the agent compacts; absent: each time at another one. */
  readonly compactAtTokens?: number;
}

/** Chance of a meter; what nobody is shown changes nothing of the context. */
interface MeterDraws {
  readonly context: Draw;
  readonly unseen: Draw;
}

const START = Date.parse('2026-01-05T08:00:00Z');
const DAY_MS = 86_400_000;
const PROBLEMS = 3;
const PROBLEM = '{type}: expected {noun} in {symbol}, got undefined ({path}:{number})';

/** How long a cached prompt stays without being read, as providers say. */
const CACHE_SECONDS = 300;
/** Fresh tokens of a step whose new content is all written to the cache. */
const FRESH_TOKENS = 4;
/** Tokens in whose multiples a cache that works by itself reads. */
const CACHE_BLOCK = 128;
/** How far characters per token of a step lie apart from those of all at most. */
const JITTER = 0.1;

const NOTHING: Spread = { points: [[0, 0]] };

/** A token has at least and at most so many characters, whatever the growth of a session says of it. */
const LEAST_CHARACTERS = 1;
const MOST_CHARACTERS = 4 * CHARACTERS_PER_TOKEN;

/** A session that looks like those of a workload; the same for the same seed and index. */
export function generateSession(given: Workload, session: SessionSeed): Session {
  const workload = given.bank === 'evaluation' ? { ...given, languages: { english: 1 } } : given;
  const plan = planSession(workload, session);
  const scene = createScene(workload, session, plan);
  const facts = plantFacts(plan, {
    draw: createDraw(session, 'facts'),
    words: scene.project.words,
    shape: workload.planting,
    bank: workload.bank,
  });
  const writing = startWriting(scene, plan, session);
  for (const turn of plan.turns) writeTurn(writing, turn);
  const tally = createTally();
  const name = `${workload.name}-${session.seed}-${session.index + 1}`;
  const { model } = workload.style;
  return {
    name,
    format: GENERATED,
    sessionId: name,
    isSide: false,
    isPartial: false,
    model,
    messages: finishMessages(writing.drafts, tally).map((message) =>
      message.role === 'user' ? message : { ...message, model },
    ),
    recordedCompactions: writing.compactions,
    isOutputFinal: true,
    ...(workload.style.cache === 'written' && {
      cacheTtlMs: cacheSecondsOf(workload) * MS_PER_SECOND,
    }),
    facts,
    report: tally.toReport(),
  };
}

function createScene(workload: Workload, session: SessionSeed, plan: SessionPlan): Scene {
  const draw = createDraw(session, 'texts');
  const project = createProject(draw);
  return {
    workload,
    draw,
    project,
    language: plan.language,
    problems: Array.from({ length: PROBLEMS }, () => project.words.fill(PROBLEM)),
    tasks: [],
    position: 0,
    reads: createReadBudget(readsOf(plan), rereadShareOf(workload, session, plan)),
    made: new Map(),
  };
}

function readsOf({ turns }: SessionPlan): number {
  const calls = turns.flatMap(({ steps }) => steps.flatMap((step) => step.calls));
  return calls.filter(({ tool }) => kindOf(tool).isRead).length;
}

function rereadShareOf({ reuse }: Workload, session: SessionSeed, { shape }: SessionPlan): number {
  return shape?.rereadShare ?? valueAt(reuse.rereadShare, evenShare(session, 'rereads'));
}

function startWriting(scene: Scene, plan: SessionPlan, session: SessionSeed): Writing {
  const rates = ratesOf(plan, scene.workload, session);
  const draws = { context: createDraw(session, 'usage'), unseen: createDraw(session, 'unseen') };
  return {
    scene,
    meter: createMeter(scene.workload, draws, rates),
    drafts: [],
    compactions: [],
    timeMs: START + session.index * DAY_MS,
    addedCharacters: 0,
    idleSeconds: 0,
  };
}

/** Rates of a planned session as a provider counts it: first context, characters per token, fixed tokens per step. */
function ratesOf(plan: SessionPlan, { context }: Workload, session: SessionSeed): MeterRates {
  const drawn = valueAt(context.firstStepTokens, createShares(session, 'first step')());
  const firstStepTokens = plan.shape?.firstStepTokens ?? drawn;
  const { steps, stepGrowthTokens, compactAtTokens, shrinkingShare = 0 } = plan.shape ?? {};
  const own = { firstStepTokens, shrinkingShare, ...(compactAtTokens && { compactAtTokens }) };
  if (steps === undefined || stepGrowthTokens === undefined) {
    const { charactersPerToken, fixedTokens } = context;
    return { ...own, charactersPerToken, fixedTokens };
  }
  const characters = charactersBetween(plan);
  // The usual fixed tokens, or less where the context grows by less.
  const left = stepGrowthTokens - characters / Math.max(1, steps - 1) / context.charactersPerToken;
  const fixedTokens =
    stepGrowthTokens > context.fixedTokens ? context.fixedTokens : Math.max(0, Math.round(left));
  const grownTokens = (stepGrowthTokens - fixedTokens) * (steps - 1);
  const perToken = characters / Math.max(1, grownTokens);
  const charactersPerToken = Math.min(MOST_CHARACTERS, Math.max(LEAST_CHARACTERS, perToken));
  return { ...own, fixedTokens, charactersPerToken };
}

/** Characters after the first request and before the last step's answer. */
function charactersBetween(plan: SessionPlan): number {
  const [first] = plan.turns;
  const last = plan.turns.at(-1)?.steps.at(-1);
  const outside = (first?.prompt.characters ?? 0) + (last === undefined ? 0 : stepCharacters(last));
  return contentCharactersOf(plan) - outside;
}

/** Counts the steps of a session as the provider of a workload would. */
function createMeter(workload: Workload, draws: MeterDraws, rates: MeterRates): Meter {
  const draw = draws.context;
  const { context, style } = workload;
  const { charactersPerToken, fixedTokens } = rates;
  let tokens: number | undefined;
  let cachedTokens = 0;
  const nextLimit = () => rates.compactAtTokens ?? valueAt(context.compactAtTokens, draw.share());
  let limit = nextLimit();
  const toTokens = (characters: number) => Math.round(characters / charactersPerToken);
  const grown = (characters: number) =>
    (tokens ?? 0) +
    Math.round(toTokens(characters) * (1 + JITTER * (draw.share() - 0.5))) +
    fixedTokens;
  const isShrinking = () => rates.shrinkingShare > 0 && draw.isTrue(rates.shrinkingShare);
  const taken = () => Math.round(valueAt(context.takenBackTokens ?? NOTHING, draw.share()));
  // How fast a context grows says nothing of how many tokens its model writes.
  const written = (characters: number) => Math.round(characters / context.charactersPerToken);
  const unseen = () => Math.round(valueAt(context.unseenTokens, draws.unseen.share()));
  return {
    isFull: (characters) => tokens !== undefined && tokens + toTokens(characters) > limit,
    compact: (characters) => {
      const before = grown(characters);
      const after = Math.round(valueAt(context.compactedTokens, draw.share()));
      limit = nextLimit();
      [tokens, cachedTokens] = [after, 0];
      return { before, after };
    },
    measure: (sizes) => {
      if (tokens === undefined) tokens = Math.round(rates.firstStepTokens);
      else
        tokens = isShrinking()
          ? withoutTaken(tokens, taken(), rates)
          : grown(sizes.addedCharacters);
      const held =
        sizes.idleSeconds > cacheSecondsOf(workload) ? 0 : Math.min(cachedTokens, tokens);
      cachedTokens = tokens;
      return {
        ...splitInput(tokens, held, style.cache),
        output: Math.max(1, written(sizes.writtenCharacters)),
        reasoning: written(sizes.reasoningCharacters) + unseen(),
      };
    },
  };
}

/** The context without shrunk tokens, at least the first request. */
function withoutTaken(tokens: number, taken: number, { firstStepTokens }: MeterRates): number {
  return Math.max(Math.min(tokens, Math.round(firstStepTokens)), tokens - taken);
}

/** How long a prompt of sessions of a workload stays cached without being read. */
function cacheSecondsOf({ context }: Workload): number {
  return context.cacheSeconds ?? CACHE_SECONDS;
}

function splitInput(
  tokens: number,
  held: number,
  cache: Workload['style']['cache'],
): Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite'> {
  if (cache === 'automatic') {
    const cacheRead = held - (held % CACHE_BLOCK);
    return { input: tokens - cacheRead, cacheRead, cacheWrite: 0 };
  }
  const input = Math.min(FRESH_TOKENS, tokens - held);
  return { input, cacheRead: held, cacheWrite: tokens - held - input };
}

function writeTurn(writing: Writing, { gapSeconds, prompt, steps }: TurnPlan): void {
  const { scene, drafts } = writing;
  if (drafts.length > 0) pass(writing, gapSeconds);
  const text = writeProse(prompt, voiceOf(scene, 'user'), scene.project.words);
  add(writing, text.length);
  drafts.push({ role: 'user', createdAt: writing.timeMs, parts: [{ type: 'text', text }] });
  for (const step of steps) writeStep(writing, step);
}

function pass(writing: Writing, seconds: number): void {
  writing.timeMs += Math.round(seconds * MS_PER_SECOND);
  writing.idleSeconds += seconds;
}

function voiceOf({ language }: Scene, speaker: Voice['speaker']): Voice {
  return { language, speaker };
}

function add(writing: Writing, characters: number): void {
  writing.addedCharacters += characters;
  writing.scene.position += characters / CHARACTERS_PER_TOKEN;
}

function writeStep(writing: Writing, step: StepPlan): void {
  const { scene, drafts, meter } = writing;
  pass(writing, step.gapSeconds);
  const idleSeconds = writing.idleSeconds;
  if (meter.isFull(writing.addedCharacters)) compact(writing);
  const { addedCharacters, timeMs } = writing;
  [writing.addedCharacters, writing.idleSeconds] = [0, 0];
  const texts = textParts(scene, step);
  const written = texts.reduce((sum, { text }) => sum + text.length, 0);
  add(writing, written);
  const calls = step.calls.map((call) => writeCall(writing, call));
  const inputs = calls.reduce((sum, { state }) => sum + sizeOf(state.input), 0);
  const reasoning = texts.find(({ type }) => type === 'reasoning')?.text.length ?? 0;
  const usage = meter.measure({
    addedCharacters,
    writtenCharacters: written - reasoning + inputs,
    reasoningCharacters: reasoning,
    idleSeconds,
  });
  drafts.push({ role: 'assistant', createdAt: timeMs, parts: [...texts, ...calls], usage });
}

function compact({ scene, meter, drafts, compactions, addedCharacters }: Writing): void {
  const { draw, workload, project } = scene;
  const { before, after } = meter.compact(addedCharacters);
  const size = pieceOf(valueAt(workload.texts.summaryTokens, draw.share()));
  compactions.push({
    kind: 'full',
    trigger: 'auto',
    messageIndex: drafts.length,
    tokensBefore: before,
    tokensAfter: after,
    summary: writeProse(size, voiceOf(scene, 'model'), project.words),
  });
}

function textParts(scene: Scene, { text, reasoning }: StepPlan): readonly WrittenText[] {
  const write = (piece: Piece) => writeProse(piece, voiceOf(scene, 'model'), scene.project.words);
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: write(reasoning) }]),
    ...(text === undefined ? [] : [{ type: 'text' as const, text: write(text) }]),
  ];
}

function writeCall(writing: Writing, call: CallPlan): WrittenCall {
  const { scene } = writing;
  scene.position += call.arguments.characters / CHARACTERS_PER_TOKEN;
  const made = makeCall(scene, call);
  writing.addedCharacters += sizeOf(made.input);
  add(writing, made.output.length);
  return { type: 'tool', tool: call.tool, state: stateOf(made, call) };
}

function sizeOf(input: unknown): number {
  return JSON.stringify(input).length;
}

function stateOf({ input, output }: MadeCall, { isError }: CallPlan): ToolState {
  return isError && output !== ''
    ? { status: 'error', input, error: output }
    : { status: 'completed', input, output };
}
