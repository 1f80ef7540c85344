/** The requests of the engine under a script and a preset, in the terms of a record. */

import {
  type Command,
  createState,
  isCleared,
  isRetried,
  knowsOverflow,
  type LoopInput,
  type LoopState,
  type Message,
  normaliseUsage,
  type Part,
  type Policy,
  render,
  type SummaryForm,
  type SummaryRequest,
  transition,
  type Usage,
} from '../src/engine/index.ts';
import { applySettings } from '../src/simulator/scenario/settings.ts';
import {
  type ProviderScript,
  type ScriptAnswer,
  type ScriptUsage,
  usageOf,
} from '../src/simulator/provider/scripted/script.ts';
import {
  knownOf,
  LINE_CHARS,
  outputMark,
  outputSizes,
} from '../src/simulator/provider/scripted/server.ts';
import { keepIn, known } from '../src/simulator/lib/collections.ts';
import { refusals } from '../src/simulator/provider/refusals.ts';
import {
  createCountCache,
  createTokenizer,
  type Tokenizer,
} from '../src/simulator/tokens/tokenizer.ts';
import type { Move } from './record.ts';
import type { Agent, ModelLimits } from './agents.ts';

/** A request as a policy makes it. */
export interface ExpectedRequest extends Move {
  readonly kind: 'agent' | 'summary';
  readonly promptsKept: number;
  readonly outputsKept: number;
  /** Of a request for a summary. */
  readonly form?: SummaryForm;
}

/** Where an expected run has come to. */
interface Walk {
  state: LoopState;
  readonly policy: Policy;
  readonly script: ProviderScript;
  readonly skillTool: string;
  readonly made: ExpectedRequest[];
  readonly newId: (prefix: string) => string;
  turn: number;
  inTurn: number;
  answered: number;
  summarised: number;
  promptId: string;
}

const MOST_MOVES = 200;
const TOO_LARGE = 413;
const REFUSED_413 = {
  statusCode: TOO_LARGE,
  message: 'Payload Too Large',
  body: '{"error":{"message":"Payload Too Large"}}',
};
/** Those that are loaded, by name. */
const counters = new Map<string, Tokenizer>();

/** The requests of an agent that decides as a policy. */
export function expectRequests(
  own: Policy,
  script: ProviderScript,
  {
    overheadTokens = 0,
    skillTool = 'skill',
    forgets,
  }: Pick<Agent, 'overheadTokens' | 'skillTool' | 'forgets'> = {},
): readonly ExpectedRequest[] {
  let lastId = 0;
  const target = { policy: own, limits: limitsOf(script) };
  const policy = withOwnCount(applySettings(target, known(script.settings ?? {})).policy);
  const begin = () => createState(policy, limitsOf(script), { overheadTokens });
  const walk: Walk = {
    state: begin(),
    policy,
    script,
    skillTool,
    made: [],
    newId: (prefix) => `${prefix}-${(lastId += 1)}`,
    turn: 0,
    inTurn: 0,
    answered: 0,
    summarised: 0,
    promptId: '',
  };
  for (const [turn, { prompt, idleMs, model }] of script.turns.entries()) {
    Object.assign(walk, { turn, inTurn: 0, ...(forgets && { state: begin() }) });
    if (idleMs !== undefined) step(walk, { type: 'idle', sinceMs: idleMs });
    step(walk, { type: 'model-changed', limits: limitsOf(script, model) });
    if (runTurn(walk, prompt) !== 'finished') break;
  }
  return walk.made;
}

/** Least usage at which a policy compacts; `undefined` where none does, or where it compacts whatever the usage is. */
export function findEdge(policy: Policy, limits: ModelLimits, probe: Probe): number | undefined {
  let [low, high] = [0, limits.contextTokens];
  const compacts = (edgeTokens: number) =>
    expectRequests(policy, probe(edgeTokens)).some(({ kind }) => kind === 'summary');
  if (compacts(low) || !compacts(high)) return undefined;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (compacts(middle)) high = middle;
    else low = middle;
  }
  return high;
}

type Probe = (edgeTokens: number) => ProviderScript;

/** An output as the scripted command prints it: a line that names its mark, and numbered ones that begin with it. */
export function printedOf(mark: string, lines: number): string {
  const numbers = Array.from(
    { length: lines },
    (_, line) => mark + `${line + 1}\n`.padStart(LINE_CHARS - mark.length, '0'),
  );
  return [`output-${mark.replace(/0+$/, '')}-begins\n`, ...numbers].join('');
}

function withOwnCount(policy: Policy): Policy {
  const { estimator } = policy;
  const { tokenizer } = estimator;
  if (tokenizer === undefined) return policy;
  const { count } = keepIn(counters, tokenizer, () => createCountCache(createTokenizer(tokenizer)));
  return { ...policy, estimator: { ...estimator, count } };
}

function limitsOf(script: ProviderScript, model?: 'small'): ModelLimits {
  const { contextTokens, smallContextTokens = contextTokens, outputTokens } = script;
  return { contextTokens: model === 'small' ? smallContextTokens : contextTokens, outputTokens };
}

function step(walk: Walk, input: LoopInput): readonly Command[] {
  const next = transition(walk.state, input, { now: 0, newId: walk.newId });
  walk.state = next.state;
  return next.commands;
}

function runTurn(walk: Walk, prompt: string): string {
  const id = walk.newId('user');
  walk.promptId = id;
  const parts: readonly Part[] = [{ type: 'text', id: walk.newId('part'), text: prompt }];
  let input: LoopInput | undefined = {
    type: 'user-message',
    message: { id, role: 'user', createdAt: 0, parts },
  };
  let reason = 'finished';
  for (let move = 0; input !== undefined && move < MOST_MOVES; move += 1) {
    const [command]: readonly (Command | undefined)[] = step(walk, input);
    input = undefined;
    if (command?.type === 'request') input = answer(walk, command.view);
    if (command?.type === 'summarise') input = summarise(walk, command.request);
    if (command?.type === 'stop') {
      reason = command.reason;
      input = { type: 'turn-ended' };
    }
  }
  return reason;
}

function answer(walk: Walk, view: readonly Message[]): LoopInput {
  const { policy, script, turn } = walk;
  const held = heldIn(JSON.stringify(render(view, policy.render)), script);
  walk.made.push({ ...moveOf(walk, 'agent'), ...held, ...clearedIn(view) });
  const { answers = [] } = script.turns[turn] ?? {};
  const last = answers.at(-1);
  // An agent repeats a request that failed.
  while (isPassing(answers[walk.inTurn], policy)) walk.inTurn += 1;
  const said = answers[walk.inTurn] ?? { ...(last?.usage && { usage: last.usage }) };
  walk.inTurn += 1;
  if (said.status !== undefined) {
    if (isSentAgain(said.status, policy)) return answer(walk, view);
    const isOverflow = said.status === TOO_LARGE && knowsOverflow(policy, REFUSED_413);
    return isOverflow ? refuse('html-413', script) : fail(walk);
  }
  if (said.refusal !== undefined) return refuse(said.refusal, script);
  walk.answered += 1;
  const { usage, outputChars } = said;
  const parts = [...thoughtsOf(walk, said), ...partsOf(walk, said)];
  const message = {
    id: walk.newId('step'),
    role: 'assistant',
    createdAt: 0,
    parentId: walk.promptId,
    parts,
    finish: outputChars === undefined ? 'stop' : 'tool-calls',
    ...(usage && { usage: storedUsage(usage, policy) }),
  } as const;
  return { type: 'step-finished', message };
}

/** An error that is no word of tokens ends the turn. */
function fail({ newId, promptId }: Walk): LoopInput {
  const error = { name: 'APIError', message: REFUSED_413.message };
  const base = { id: newId('step'), role: 'assistant', createdAt: 0, parts: [] } as const;
  return { type: 'step-finished', message: { ...base, parentId: promptId, error } };
}

function moveOf({ turn, answered }: Walk, kind: 'agent' | 'summary') {
  return { kind, turn: turn + 1, answered };
}

/** A client tells that HTTP 413 is not to be tried again, and others are. */
function isSentAgain(statusCode: number, { reading }: Policy): boolean {
  const isRetryable = statusCode !== TOO_LARGE;
  return isRetried({ name: 'APIError', statusCode, isRetryable }, reading.retries);
}

function isPassing({ status = TOO_LARGE }: ScriptAnswer = {}, policy: Policy): boolean {
  return status !== TOO_LARGE && isSentAgain(status, policy);
}

function clearedIn(view: readonly Message[]) {
  const cleared = view.flatMap(({ parts }) => parts).filter(isCleared).length;
  return cleared > 0 ? { cleared } : {};
}

/** As the program stores what it was told; in the dialects of OpenAI it reads of no cache beside the input. */
function storedUsage(usage: ScriptUsage, { reading }: Policy): Usage {
  const { total: totalTokens } = usageOf(usage);
  const reported = { ...usage, cacheReadTokens: usage.cachedTokens ?? 0, totalTokens };
  return normaliseUsage(reported, {}, reading.usage);
}

/** Prompts and outputs of the script that a text holds. */
function heldIn(text: string, script: ProviderScript) {
  const { prompts, outputMarks } = knownOf(script);
  const held = (texts: readonly string[]) => texts.filter((one) => text.includes(one)).length;
  return { promptsKept: held(prompts), outputsKept: held(outputMarks) };
}

function refuse(name: string, { contextTokens }: ProviderScript) {
  const { errorFor } = refusals[name as keyof typeof refusals];
  const { message } = errorFor({ requestTokens: contextTokens + 1, windowTokens: contextTokens });
  return { type: 'step-refused', error: { name: 'ContextOverflow', message } } as const;
}

function summarise(walk: Walk, request: SummaryRequest): LoopInput {
  const { policy, script } = walk;
  const { summaries } = script;
  const summary = summaries[Math.min(walk.summarised, summaries.length - 1)];
  walk.summarised += 1;
  const { messages, system, prompt, form } = request;
  const text = JSON.stringify([system, render(messages, policy.render), prompt]);
  const cleared = form?.kind === 'flattened' ? {} : clearedIn(messages);
  const held = { ...heldIn(text, script), ...cleared };
  const made = { ...moveOf(walk, 'summary'), ...held, ...(form && { form }) };
  const isChecked = form?.verifies && !summary?.fails && summary?.chars !== 0;
  walk.made.push(made, ...(isChecked ? [made] : []));
  if (summary?.fails) {
    const error = { name: 'APIError', message: 'The server had an error.' };
    return { type: 'summary-failed', error, isOverflow: false };
  }
  if (summary?.refusal) {
    const { error } = refuse(summary.refusal, script);
    return { type: 'summary-failed', error, isOverflow: true };
  }
  const usage = summary?.usage;
  const said = '- The work goes on. '.repeat(20_000).slice(0, summary?.chars ?? 400);
  return {
    type: 'summary-finished',
    result: { text: said, finish: 'stop', ...(usage && { usage: storedUsage(usage, policy) }) },
  };
}

function thoughtsOf({ newId }: Walk, { reasoningChars = 0 }: ScriptAnswer): readonly Part[] {
  const text = ''.padEnd(reasoningChars, 'The numbers come next. ');
  return text === '' ? [] : [{ type: 'reasoning', id: newId('part'), text }];
}

function partsOf(walk: Walk, answer: ScriptAnswer): readonly Part[] {
  const sizes = outputSizes(answer);
  if (sizes.length === 0) return [{ type: 'text', id: walk.newId('part'), text: 'Done.' }];
  return sizes.map((chars, index) => {
    const lines = Math.max(1, Math.round(chars / LINE_CHARS));
    const output = printedOf(outputMark(walk.answered - 1, index), lines);
    // As in the command that is really asked for, so that a call tells of its output where that was cleared.
    const input = { command: `seq 1 ${lines}` };
    const id = walk.newId('part');
    const state = { status: 'completed', input, output } as const;
    return {
      type: 'tool',
      id,
      callId: walk.newId('call'),
      tool: answer.tool ? walk.skillTool : 'bash',
      state,
    };
  });
}
