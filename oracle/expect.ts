/** The moves of the engine under a script and a preset, in the terms of a record. */

import {
  createState,
  type LoopInput,
  type LoopState,
  type Message,
  type Part,
  type Policy,
  transition,
  type Usage,
} from '../src/engine/index.ts';
import type { ProviderScript, ScriptUsage } from '../src/simulator/provider/scripted/script.ts';
import { LINE_CHARS } from '../src/simulator/provider/scripted/shell-call.ts';
import { refusals } from '../src/simulator/provider/refusals.ts';
import type { Moves } from './record.ts';
import type { ModelLimits } from './agents.ts';

/** Where an expected run has come to. */
interface Walk {
  state: LoopState;
  readonly moves: Moves[number][];
  readonly newId: (prefix: string) => string;
  turn: number;
  inTurn: number;
  answered: number;
  summarised: number;
  promptId: string;
}

const MOST_MOVES = 200;

/** The moves of an agent that decides as a policy. */
export function expectMoves(policy: Policy, script: ProviderScript): Moves {
  const { contextTokens, outputTokens } = script;
  let lastId = 0;
  const walk: Walk = {
    state: createState(policy, { contextTokens, outputTokens }),
    moves: [],
    newId: (prefix) => `${prefix}-${(lastId += 1)}`,
    turn: 0,
    inTurn: 0,
    answered: 0,
    summarised: 0,
    promptId: '',
  };
  for (const [turn, { prompt }] of script.turns.entries()) {
    Object.assign(walk, { turn, inTurn: 0 });
    if (runTurn(walk, prompt, script) !== 'finished') break;
  }
  return walk.moves;
}

/** Least usage at which a policy compacts in the middle of a turn; `undefined` where none does. */
export function findEdge(policy: Policy, limits: ModelLimits, probe: Probe): number | undefined {
  let [low, high] = [0, limits.contextTokens];
  const compacts = (edgeTokens: number) =>
    expectMoves(policy, probe(edgeTokens)).some(({ kind }) => kind === 'summary');
  if (!compacts(high)) return undefined;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (compacts(middle)) high = middle;
    else low = middle;
  }
  return high;
}

type Probe = (edgeTokens: number) => ProviderScript;

/** `1.4S` reads: a summary in the first turn, after four answers; `1.4(-2)`: a request with two cleared outputs. */
export function describeMoves(moves: Moves): string {
  const told = moves.map(
    ({ kind, turn, answered, cleared }) =>
      `${turn}.${answered}${kind === 'summary' ? 'S' : ''}${cleared ? `(-${cleared})` : ''}`,
  );
  return told.join(' ');
}

function runTurn(walk: Walk, prompt: string, script: ProviderScript): string {
  const id = walk.newId('user');
  walk.promptId = id;
  const parts: readonly Part[] = [{ type: 'text', id: walk.newId('part'), text: prompt }];
  let input: LoopInput | undefined = {
    type: 'user-message',
    message: { id, role: 'user', createdAt: 0, parts },
  };
  let reason = 'finished';
  for (let move = 0; input !== undefined && move < MOST_MOVES; move += 1) {
    const next = transition(walk.state, input, { now: 0, newId: walk.newId });
    walk.state = next.state;
    const [command] = next.commands;
    input = undefined;
    if (command?.type === 'request') input = answer(walk, command.view, script);
    if (command?.type === 'summarise') {
      input = summarise(walk, script);
      if (command.request.form?.verifies) record(walk, 'summary');
    }
    if (command?.type === 'stop') {
      reason = command.reason;
      input = { type: 'turn-ended' };
    }
  }
  return reason;
}

function record(walk: Walk, kind: 'agent' | 'summary'): void {
  walk.moves.push({ kind, turn: walk.turn + 1, answered: walk.answered });
}

function answer(walk: Walk, view: readonly Message[], script: ProviderScript): LoopInput {
  const outputs = view.flatMap(({ parts }) => parts).filter(({ type }) => type === 'tool');
  const cleared = outputs.filter(
    (part) =>
      part.type === 'tool' &&
      part.state.status === 'completed' &&
      part.state.compactedAt !== undefined,
  );
  record(walk, 'agent');
  const move = walk.moves.at(-1);
  if (move && cleared.length > 0)
    walk.moves[walk.moves.length - 1] = { ...move, cleared: cleared.length };
  const { answers = [] } = script.turns[walk.turn] ?? {};
  const last = answers.at(-1);
  const said = answers[walk.inTurn] ?? { ...(last?.usage && { usage: last.usage }) };
  walk.inTurn += 1;
  if (said.refusal !== undefined) return refuse(said.refusal, script);
  walk.answered += 1;
  const { usage, outputChars } = said;
  const parts = [outputChars === undefined ? textPart(walk) : toolPart(walk, outputChars)];
  const message = {
    id: walk.newId('step'),
    role: 'assistant',
    createdAt: 0,
    parentId: walk.promptId,
    parts,
    finish: outputChars === undefined ? 'stop' : 'tool-calls',
    ...(usage && { usage: toUsage(usage) }),
  } as const;
  return { type: 'step-finished', message };
}

function refuse(name: string, { contextTokens }: ProviderScript): LoopInput {
  const { errorFor } = refusals[name as keyof typeof refusals];
  const { message } = errorFor({ requestTokens: contextTokens + 1, windowTokens: contextTokens });
  return { type: 'step-refused', error: { name: 'ContextOverflow', message } };
}

function summarise(walk: Walk, { summaries }: ProviderScript): LoopInput {
  const summary = summaries[Math.min(walk.summarised, summaries.length - 1)];
  walk.summarised += 1;
  record(walk, 'summary');
  if (summary?.fails) {
    const error = { name: 'APIError', message: 'The server had an error.' };
    return { type: 'summary-failed', error, isOverflow: false };
  }
  const usage = summary?.usage;
  const text = '- The work goes on. '.repeat(20_000).slice(0, summary?.chars ?? 400);
  return {
    type: 'summary-finished',
    result: { text, finish: 'stop', ...(usage && { usage: toUsage(usage) }) },
  };
}

function textPart(walk: Walk): Part {
  return { type: 'text', id: walk.newId('part'), text: 'Done.' };
}

function toolPart(walk: Walk, chars: number): Part {
  const lines = Math.max(1, Math.round(chars / LINE_CHARS));
  const output = Array.from({ length: lines }, (_, index) =>
    `${index + 1}\n`.padStart(LINE_CHARS, '0'),
  ).join('');
  const input = { command: `seq 1 ${lines}` };
  const id = walk.newId('part');
  const state = { status: 'completed', input, output } as const;
  return { type: 'tool', id, callId: walk.newId('call'), tool: 'bash', state };
}

function toUsage({ inputTokens, outputTokens }: ScriptUsage): Usage {
  return { input: inputTokens, output: outputTokens, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
}
