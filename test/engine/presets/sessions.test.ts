import { describe, expect, it } from 'vitest';
import {
  createLawChecker,
  createState,
  estimateMessages,
  explainMove,
  headingsOf,
  type LoopInput,
  type Part,
  policies,
  type Policy,
  render,
  type SummaryResult,
  transition,
  type Transition,
  viewOf,
} from '../../../src/engine/index.ts';
import { hashUnits } from '../../../src/engine/values.ts';
import { linesOf } from '../../support/drive.ts';
import { file, step, text, tool, toolIn, usage, user } from '../../support/history.ts';
import { aborted, compact, modelChanged, refused, turnEnded } from '../../support/script.ts';
import { testTools } from '../../support/tools.ts';

const TURNS = 12;
const STEPS = 7;
const OVERHEAD_TOKENS = 2_000;
const LIMITS = { contextTokens: 100_000, outputTokens: 32_000 };
const SMALLER = { contextTokens: 200_000, inputTokens: 64_000, outputTokens: 8_000 };
/** Answers that a summarizer gives one after the other; `''` stands for all headings that were asked for. */
const ANSWERS: readonly (SummaryResult | boolean)[] = [
  { text: '', finish: 'stop', usage: usage({ input: 90_000, output: 900 }) },
  { text: '', finish: 'stop' },
  { text: ' ', finish: 'stop' },
  { text: 'No headings.', finish: 'stop' },
  true,
  { text: '', finish: 'stop' },
  false,
  { text: '', finish: 'length' },
];
const ERROR = { name: 'APIError', message: 'prompt is too long: 9 tokens > 80000 maximum' };

/** A session that grows, is refused, aborted, compacted by hand, and goes on with another model. */
function* inputsOf(): Generator<readonly [id: string, input: LoopInput]> {
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const prompt = `u${turn}`;
    const words = turn % 4 === 0 ? 'please '.repeat(900) : `Do part ${turn}.`;
    const image = file(`${prompt}-i`, 'image/png', { url: 'data:image/png;base64,AAAA' });
    const parts = turn % 5 === 2 ? [image] : [];
    yield [prompt, { type: 'user-message', message: user(prompt, words, ...parts) }];
    for (let nth = 1; nth <= STEPS; nth += 1) {
      const id = `s${turn}.${nth}`;
      if (nth === 3 && (turn === 3 || turn === 6)) yield [`${id} refused`, refused];
      if (nth === 3 && turn === 6) yield [`${id} refused again`, refused];
      if (nth === 4 && turn === 8) yield [`${id} aborted`, aborted];
      yield [id, stepOf(id, turn * STEPS + nth, nth === STEPS)];
    }
    yield [`${prompt} ended`, turnEnded];
    if (turn % 4 === 1) yield [`${prompt} idle`, { type: 'idle', sinceMs: 7_200_000 }];
    if (turn === 4) yield [`${prompt} by hand`, compact];
    if (turn === 9) yield [`${prompt} smaller model`, modelChanged(SMALLER)];
  }
}

function stepOf(id: string, nth: number, isLast: boolean): LoopInput {
  const path = { filePath: `/src/${nth % 8}.ts` };
  const output = `${id} `.repeat(nth % 9 === 0 ? 5_500 : 800);
  const calls = nth % 9 === 0 ? ['read'] : ['read', 'write', 'bash', 'edit', 'skill'];
  const call = calls[nth % calls.length] ?? '';
  const parts: readonly Part[] = [
    { type: 'reasoning', id: `${id}-r`, text: `thinking of ${id}` },
    text(`${id}-t`, `Now ${id}.`),
    toolIn(`${id}-c`, { status: 'completed', input: { ...path, text: output }, output }, call),
    ...(nth % 6 === 0 ? [tool(`${id}-d`, `same ${nth % 3}`)] : []),
    ...(nth % 7 === 0
      ? [toolIn(`${id}-e`, { status: 'error', input: { command: 'false' }, error: 'no' })]
      : []),
  ];
  const finish = isLast ? 'stop' : 'tool-calls';
  return { type: 'step-finished', message: step(id, parts, { finish, createdAt: nth }) };
}

/** What a policy makes of the session: a line each where it does more than ask for the next step. */
function traceOf(policy: Policy): readonly string[] {
  const tools = testTools();
  const checkLaws = createLawChecker();
  const headings = headingsOf(policy.summary.instruction).join('\n') || 'What was done.';
  const lines: string[] = [];
  const broken = new Set<string>();
  let state = createState(policy, LIMITS, { overheadTokens: OVERHEAD_TOKENS });
  let answers = 0;
  const feed = (id: string, input: LoopInput) => {
    const before = state;
    const next = transition(before, input, tools);
    state = next.state;
    const move = { before, input, next };
    for (const { law } of checkLaws(move)) broken.add(law);
    const told = linesOf(next).map(shorten).join(', ');
    if (!isPlain(next)) {
      const shown = JSON.stringify([shownIn(next, policy), explainMove(move)]);
      lines.push(`  ${id}: ${told} #${hashUnits(shown) >>> 0}`);
    }
    const [command] = next.commands;
    if (command?.type !== 'summarise') return;
    const answer = ANSWERS[answers % ANSWERS.length] ?? true;
    answers += 1;
    feed(`${id} answer`, answerOf(answer, headings));
  };
  for (const [id, input] of inputsOf()) feed(id, withUsage(input, state));
  const known = new Set<string>(policy.breaks.map(({ law }) => law));
  const unknown = [...broken].filter((law) => !known.has(law));
  const view = hashUnits(JSON.stringify(viewOf(state))) >>> 0;
  return [
    policy.name,
    ...lines,
    `  view at the end: #${view}`,
    `  breaks also: ${unknown.join(', ') || 'nothing'}`,
  ];
}

function isPlain({ events, commands }: Transition): boolean {
  return (
    events.every((event) => event.type === 'pruned' && event.plan.state !== 'fire') &&
    commands.every(
      (command) =>
        command.type === 'request' || (command.type === 'stop' && command.reason === 'finished'),
    )
  );
}

function shownIn({ commands, events }: Transition, { render: rules }: Policy) {
  const sent = commands.map((command) => {
    if (command.type === 'stop') return command;
    return command.type === 'request' ? render(command.view, rules) : command.request;
  });
  return { sent, events };
}

/** Every fourth step is measured by nobody. */
function withUsage(input: LoopInput, state: ReturnType<typeof createState>): LoopInput {
  if (input.type !== 'step-finished' || input.message.createdAt % 4 === 3) return input;
  const tokens = OVERHEAD_TOKENS + estimateMessages(viewOf(state), policies.none);
  const counts = { input: 9, output: 300, reasoning: 50, cacheRead: tokens - 99, cacheWrite: 90 };
  return { ...input, message: { ...input.message, usage: usage(counts) } };
}

function answerOf(answer: SummaryResult | boolean, headings: string): LoopInput {
  if (typeof answer === 'boolean')
    return { type: 'summary-failed', error: ERROR, isOverflow: answer };
  return { type: 'summary-finished', result: { ...answer, text: answer.text || headings } };
}

/** The first and last of many names. */
function shorten(line: string): string {
  const words = line.split(' ');
  return words.length <= 9
    ? line
    : [...words.slice(0, 5), `…${words.length - 8}…`, ...words.slice(-3)].join(' ');
}

describe('one session of every preset', () => {
  it('is compacted, pruned and stopped as it was', async () => {
    const traces = Object.values<Policy>(policies).flatMap(traceOf);
    await expect(`${traces.join('\n')}\n`).toMatchFileSnapshot(
      '../../fixtures/snapshots/engine-presets-sessions.txt',
    );
  });
});
