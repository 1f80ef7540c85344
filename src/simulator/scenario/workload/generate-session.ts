import type { ToolPart, ToolState } from '../../../engine/index.ts';
import type { RecordedCompaction, Session } from '../../session/session.ts';
import { createTally } from '../../session/reading/tally.ts';
import {
  type DraftMessage,
  type DraftPart,
  finishMessages,
} from '../../session/reading/transcript.ts';
import { MS_PER_SECOND } from '../../units.ts';
import { createDraw, evenShare, type SessionSeed } from './draw.ts';
import { plantFacts } from './facts/plant.ts';
import {
  type CallPlan,
  CHARACTERS_PER_TOKEN,
  type Piece,
  pieceOf,
  planSession,
  type SessionPlan,
  type StepPlan,
  type TurnPlan,
} from './plan.ts';
import { createProject } from './project/project.ts';
import type { MadeCall, Scene } from './scene.ts';
import { valueAt } from './spread.ts';
import { type Voice, writeProse } from './text/prose.ts';
import type { Speaker } from './text/sentences.ts';
import { ratesOf } from './rates.ts';
import { kindOf } from './tools/kinds.ts';
import { makeCall } from './tools/make-call.ts';
import { createReadBudget } from './tools/read-budget.ts';
import { cacheSecondsOf, createMeter, type Meter } from './usage.ts';
import type { Workload } from './workload.ts';

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

const START = Date.parse('2026-01-05T08:00:00Z');
const DAY_MS = 86_400_000;
const PROBLEMS = 3;

/** A session that looks like those of a workload; the same for the same seed and index. */
export function generateSession(workload: Workload, session: SessionSeed): Session {
  const plan = planSession(workload, session);
  const scene = createScene(workload, session, plan);
  const facts = plantFacts(plan, {
    draw: createDraw(session, 'facts'),
    words: scene.project.words,
    shape: workload.planting,
  });
  const writing = startWriting(scene, plan, session);
  for (const turn of plan.turns) writeTurn(writing, turn);
  const tally = createTally();
  const name = `${workload.name}-${session.seed}-${session.index + 1}`;
  const { model } = workload.style;
  return {
    name,
    format: 'generated',
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
    problems: Array.from({ length: PROBLEMS }, () => problemOf(project)),
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

function problemOf({ words }: Scene['project']): string {
  return `${words.type()}: expected ${words.noun()} in ${words.symbol()}, got undefined (${words.path()}:${words.number()})`;
}

function writeTurn(writing: Writing, { gapSeconds, prompt, steps }: TurnPlan): void {
  const { scene, drafts } = writing;
  if (drafts.length > 0) pass(writing, gapSeconds);
  const text = writeProse(prompt, voiceOf(scene, 'user'), scene.project.words);
  add(writing, text.length);
  drafts.push({ role: 'user', createdAt: writing.timeMs, parts: [{ type: 'text', text }] });
  for (const step of steps) writeStep(writing, step);
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

function voiceOf({ language }: Scene, speaker: Speaker): Voice {
  return { language, speaker };
}

function writeCall(writing: Writing, call: CallPlan): WrittenCall {
  const { scene } = writing;
  scene.position += call.arguments.characters / CHARACTERS_PER_TOKEN;
  const made = makeCall(scene, call);
  writing.addedCharacters += sizeOf(made.input);
  add(writing, made.output.length);
  return { type: 'tool', tool: call.tool, state: stateOf(made, call) };
}

function stateOf({ input, output }: MadeCall, { isError }: CallPlan): ToolState {
  return isError && output !== ''
    ? { status: 'error', input, error: output }
    : { status: 'completed', input, output };
}

function add(writing: Writing, characters: number): void {
  writing.addedCharacters += characters;
  writing.scene.position += characters / CHARACTERS_PER_TOKEN;
}

function pass(writing: Writing, seconds: number): void {
  writing.timeMs += Math.round(seconds * MS_PER_SECOND);
  writing.idleSeconds += seconds;
}

function sizeOf(input: unknown): number {
  return JSON.stringify(input).length;
}
