import type { ToolPart, ToolState, Usage } from '../../../engine/index.ts';
import { sum } from '../../lib/collections.ts';
import { MS_PER_SECOND } from '../../lib/units.ts';
import { createTally, type DraftPart } from '../../session/reading/fields.ts';
import { type DraftMessage, finishMessages } from '../../session/reading/transcript.ts';
import { GENERATED, type RecordedCompaction, type Session } from '../../session/session.ts';
import { createDraw, createShares, evenShare, type SessionSeed, valueAt } from './draw.ts';
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
import { plantFacts } from './plant-facts.ts';
import { createProject, type MadeCall, type Scene } from './project.ts';
import { kindOf, makeCall } from './tools.ts';
import { writeProse } from './words.ts';
import type { Spread, Workload } from './workload.ts';

interface Writing {
  readonly scene: Scene;
  readonly meter: Meter;
  readonly drafts: DraftMessage[];
  readonly compactions: RecordedCompaction[];
  timeMs: number;
  addedCharacters: number;
  idleSeconds: number;
}

type WrittenText = Extract<DraftPart, { readonly type: 'text' | 'reasoning' }>;

interface Meter {
  isFull(addedCharacters: number): boolean;
  /** The contexts on both sides of a compaction. */
  compact(addedCharacters: number): { readonly before: number; readonly after: number };
  measure(sizes: {
    readonly addedCharacters: number;
    readonly writtenCharacters: number;
    readonly reasoningCharacters: number;
    readonly idleSeconds: number;
  }): Usage;
}

type MeterRates = ReturnType<typeof ratesOf>;

const START = Date.parse('2026-01-05T08:00:00Z');
const DAY_MS = 86_400_000;
const PROBLEMS = 3;
const PROBLEM = '{type}: expected {noun} in {symbol}, got undefined ({path}:{number})';
/** Life of a cached prompt, as providers say. */
const CACHE_SECONDS = 300;
const NOTHING: Spread = { points: [[0, 0]] };
/** Characters of a token, whatever the growth of a session says. */
const LEAST_CHARACTERS = 1;
const MOST_CHARACTERS = 4 * CHARACTERS_PER_TOKEN;

/** A session that looks like those of a workload; the same for the same seed and index. */
export function generateSession(given: Workload, session: SessionSeed): Session {
  const workload = given.bank === 'evaluation' ? { ...given, languages: { english: 1 } } : given;
  const { model, cache } = workload.style;
  const plan = planSession(workload, session);
  const scene = createScene(workload, session, plan);
  const facts = plantFacts(plan, {
    draw: createDraw(session, 'facts'),
    words: scene.words,
    shape: workload.planting,
    bank: workload.bank,
  });
  const writing: Writing = {
    scene,
    meter: createMeter(workload, session, ratesOf(plan, workload, session)),
    drafts: [],
    compactions: [],
    timeMs: START + session.index * DAY_MS,
    addedCharacters: 0,
    idleSeconds: 0,
  };
  for (const turn of plan.turns) writeTurn(writing, turn);
  const tally = createTally();
  const name = `${workload.name}-${session.seed}-${session.index + 1}`;
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
    ...(cache === 'written' && { cacheTtlMs: cacheSecondsOf(workload) * MS_PER_SECOND }),
    facts,
    report: tally.toReport(),
  };
}

function createScene(workload: Workload, session: SessionSeed, plan: SessionPlan): Scene {
  const draw = createDraw(session, 'texts');
  const project = createProject(draw);
  const steps = plan.turns.flatMap((turn) => turn.steps);
  const left = steps.flatMap(({ calls }) => calls).filter(({ tool }) => kindOf(tool).isRead).length;
  const drawnShare = valueAt(workload.reuse.rereadShare, evenShare(session, 'rereads'));
  const repeats = Math.round((plan.shape?.rereadShare ?? drawnShare) * left);
  return {
    ...project,
    workload,
    draw,
    language: plan.language,
    problems: Array.from({ length: PROBLEMS }, () => project.words.fill(PROBLEM)),
    tasks: [],
    position: 0,
    reads: { left, repeats: Math.min(repeats, Math.max(0, left - 1)) },
    made: new Map(),
  };
}

function ratesOf(plan: SessionPlan, { context }: Workload, session: SessionSeed) {
  const drawn = valueAt(context.firstStepTokens, createShares(session, 'first step')());
  const { steps, stepGrowthTokens, compactAtTokens, shrinkingShare = 0 } = plan.shape ?? {};
  const firstStepTokens = plan.shape?.firstStepTokens ?? drawn;
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

function charactersBetween(plan: SessionPlan) {
  const last = plan.turns.at(-1)?.steps.at(-1);
  const first = plan.turns[0]?.prompt.characters ?? 0;
  return contentCharactersOf(plan) - first - (last === undefined ? 0 : stepCharacters(last));
}

function createMeter(workload: Workload, session: SessionSeed, rates: MeterRates): Meter {
  const { context, style } = workload;
  const { charactersPerToken, fixedTokens, shrinkingShare } = rates;
  const firstTokens = Math.round(rates.firstStepTokens);
  const draw = createDraw(session, 'usage');
  const drawn = (spread: Spread) => Math.round(valueAt(spread, draw.share()));
  const nextLimit = () => rates.compactAtTokens ?? valueAt(context.compactAtTokens, draw.share());
  let tokens: number | undefined;
  let cachedTokens = 0;
  let limit = nextLimit();
  const toTokens = (characters: number) => Math.round(characters / charactersPerToken);
  const grown = (characters: number) => (tokens ?? 0) + toTokens(characters) + fixedTokens;
  const next = (characters: number) => {
    if (tokens === undefined) return firstTokens;
    if (shrinkingShare === 0 || !draw.isTrue(shrinkingShare)) return grown(characters);
    const shrunk = tokens - drawn(context.takenBackTokens ?? NOTHING);
    return Math.max(Math.min(tokens, firstTokens), shrunk);
  };
  // How fast a context grows says nothing of how many tokens its model writes.
  const written = (characters: number) => Math.round(characters / context.charactersPerToken);
  return {
    isFull: (characters) => tokens !== undefined && tokens + toTokens(characters) > limit,
    compact: (characters) => {
      const before = grown(characters);
      const after = drawn(context.compactedTokens);
      limit = nextLimit();
      [tokens, cachedTokens] = [after, 0];
      return { before, after };
    },
    measure: (sizes) => {
      const total = next(sizes.addedCharacters);
      const isCold = sizes.idleSeconds > cacheSecondsOf(workload);
      const cacheRead = isCold ? 0 : Math.min(cachedTokens, total);
      const fresh = total - cacheRead;
      const isAutomatic = style.cache === 'automatic';
      [tokens, cachedTokens] = [total, total];
      return {
        input: isAutomatic ? fresh : 0,
        cacheRead,
        cacheWrite: isAutomatic ? 0 : fresh,
        output: Math.max(1, written(sizes.writtenCharacters)),
        reasoning: written(sizes.reasoningCharacters) + drawn(context.unseenTokens),
      };
    },
  };
}

function cacheSecondsOf({ context }: Workload) {
  return context.cacheSeconds ?? CACHE_SECONDS;
}

function writeTurn(writing: Writing, { gapSeconds, prompt, steps }: TurnPlan) {
  const { scene, drafts } = writing;
  if (drafts.length > 0) pass(writing, gapSeconds);
  const text = writeProse(prompt, scene.words, { language: scene.language, speaker: 'user' });
  add(writing, text.length);
  drafts.push({ role: 'user', createdAt: writing.timeMs, parts: [{ type: 'text', text }] });
  for (const step of steps) writeStep(writing, step);
}

function pass(writing: Writing, seconds: number): void {
  writing.timeMs += Math.round(seconds * MS_PER_SECOND);
  writing.idleSeconds += seconds;
}

function add(writing: Writing, characters: number) {
  writing.addedCharacters += characters;
  writing.scene.position += characters / CHARACTERS_PER_TOKEN;
}

function writeStep(writing: Writing, step: StepPlan) {
  const { scene, drafts, meter } = writing;
  pass(writing, step.gapSeconds);
  if (meter.isFull(writing.addedCharacters)) compact(writing);
  const { addedCharacters, idleSeconds, timeMs } = writing;
  [writing.addedCharacters, writing.idleSeconds] = [0, 0];
  const texts: readonly WrittenText[] = [
    ...textPart(scene, 'reasoning', step.reasoning),
    ...textPart(scene, 'text', step.text),
  ];
  const written = sum(texts.map(({ text }) => text.length));
  add(writing, written);
  const calls = step.calls.map((call) => writeCall(writing, call));
  const inputs = sum(calls.map(({ state }) => sizeOf(state.input)));
  const reasoning = texts.find(({ type }) => type === 'reasoning')?.text.length ?? 0;
  const usage = meter.measure({
    addedCharacters,
    writtenCharacters: written - reasoning + inputs,
    reasoningCharacters: reasoning,
    idleSeconds,
  });
  drafts.push({ role: 'assistant', createdAt: timeMs, parts: [...texts, ...calls], usage });
}

function compact({ scene, meter, drafts, compactions, addedCharacters }: Writing) {
  const { before, after } = meter.compact(addedCharacters);
  const size = pieceOf(valueAt(scene.workload.texts.summaryTokens, scene.draw.share()));
  compactions.push({
    kind: 'full',
    trigger: 'auto',
    messageIndex: drafts.length,
    tokensBefore: before,
    tokensAfter: after,
    summary: writeProse(size, scene.words, scene),
  });
}

function textPart(scene: Scene, type: WrittenText['type'], piece: Piece | undefined) {
  return piece === undefined ? [] : [{ type, text: writeProse(piece, scene.words, scene) }];
}

function writeCall(writing: Writing, call: CallPlan): Omit<ToolPart, 'id' | 'callId'> {
  const { scene } = writing;
  scene.position += call.arguments.characters / CHARACTERS_PER_TOKEN;
  const made = makeCall(scene, call);
  writing.addedCharacters += sizeOf(made.input);
  add(writing, made.output.length);
  return { type: 'tool', tool: call.tool, state: stateOf(made, call) };
}

function sizeOf(input: unknown) {
  return JSON.stringify(input).length;
}

function stateOf({ input, output }: MadeCall, { isError }: CallPlan): ToolState {
  return isError && output !== ''
    ? { status: 'error', input, error: output }
    : { status: 'completed', input, output };
}
