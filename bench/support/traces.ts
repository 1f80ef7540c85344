import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AssistantMessage, Message } from '../../src/engine/index.ts';
import { compileSession } from '../../src/simulator/replay/compile.ts';
import type { Trace } from '../../src/simulator/replay/trace.ts';
import { generateSession } from '../../src/simulator/scenario/workload/generate-session.ts';
import { findWorkload } from '../../src/simulator/scenario/workload/workload.ts';
import { discoverSessionFiles } from '../../src/simulator/session/files/discover.ts';
import { loadSessions } from '../../src/simulator/session/load.ts';
import type { Session } from '../../src/simulator/session/session.ts';

const RECORDED = resolve(import.meta.dirname, '../../../shared/sessions');
const GENERATED_SESSIONS = 40;
const STEPS_OF_TURN = 20;
const STEP_MS = 10_000;
const CHARS_PER_TOKEN = 4;

/** Sessions compiled for replay: the recorded ones, or generated ones where there are none. */
export function compileTraces(): { readonly kind: string; readonly traces: readonly Trace[] } {
  return existsSync(RECORDED)
    ? { kind: 'recorded', traces: [...recordedSessions()].map(compile) }
    : { kind: 'generated', traces: generatedSessions().map(compile) };
}

/** The work of each step in a long session. */
interface LongTraceOptions {
  readonly tool: string;
  readonly outputChars: number;
  /** How many calls take turns; absent means that each is another one. */
  readonly differentCalls?: number;
}

/** A session of so many steps, each of which has an output of that many characters. */
export function longTrace(
  steps: number,
  { tool, outputChars, differentCalls = steps }: LongTraceOptions,
): Trace {
  const output = 'x'.repeat(outputChars);
  const messages: Message[] = [];
  for (let step = 0; step < steps; step++) {
    const createdAt = step * STEP_MS;
    if (step % STEPS_OF_TURN === 0) messages.push(prompt(step, createdAt));
    const input = { step: step % differentCalls };
    messages.push(answer(step, { createdAt, tool, input, output }));
  }
  return compile({
    name: `${steps} steps`,
    format: 'generated',
    isSide: false,
    isPartial: false,
    messages,
    recordedCompactions: [],
    isOutputFinal: false,
    report: { dropped: {}, repaired: {} },
  });
}

/** How many steps traces have. */
export function countSteps(traces: readonly Trace[]): number {
  return traces.reduce(
    (total, { turns }) => total + turns.reduce((sum, turn) => sum + turn.steps.length, 0),
    0,
  );
}

function* recordedSessions(): Generator<Session, void, void> {
  for (const loaded of loadSessions(discoverSessionFiles([RECORDED]).files)) {
    const hasSteps =
      loaded.state === 'read' && loaded.session.messages.some(({ role }) => role === 'assistant');
    if (hasSteps) yield loaded.session;
  }
}

function generatedSessions(): readonly Session[] {
  const workload = findWorkload('claude-code');
  return Array.from({ length: GENERATED_SESSIONS }, (_, index) =>
    generateSession(workload, { seed: 1, index }),
  );
}

/** Another suite measures the tokenizer. */
function compile(session: Session): Trace {
  return compileSession(session, {
    tokenizer: 'characters',
    tokenizerEvidence: 'estimated',
    count: (text) => Math.ceil(text.length / CHARS_PER_TOKEN),
  });
}

function prompt(step: number, createdAt: number): Message {
  const id = `u${step}`;
  return { id, role: 'user', createdAt, parts: [{ type: 'text', id: `${id}-0`, text: 'Go on.' }] };
}

interface AnswerOptions {
  readonly createdAt: number;
  readonly tool: string;
  readonly input: object;
  readonly output: string;
}

function answer(step: number, { createdAt, tool, input, output }: AnswerOptions): AssistantMessage {
  const id = `s${step}`;
  const isLast = (step + 1) % STEPS_OF_TURN === 0;
  return {
    id,
    role: 'assistant',
    createdAt,
    parentId: `u${step - (step % STEPS_OF_TURN)}`,
    finish: isLast ? 'stop' : 'tool-calls',
    parts: [
      { type: 'text', id: `${id}-0`, text: 'Next.' },
      {
        type: 'tool',
        id: `${id}-1`,
        callId: `call-${step}`,
        tool,
        state: { status: 'completed', input, output },
      },
    ],
  };
}
