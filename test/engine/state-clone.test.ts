import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import {
  createState,
  type LoopInput,
  type LoopState,
  policies,
  type PolicyName,
  resolvePolicy,
  restoreState,
  saveState,
  transition,
} from '../../src/engine/index.ts';
import { step, tool, usage, user } from '../support/history.ts';
import { testTools } from '../support/tools.ts';

const STEPS = 50;
const STEPS_OF_TURN = 5;
const LIMITS = { contextTokens: 32_000, outputTokens: 4_000 };
const BY_AGE = { protectTokens: 0, minimumTokens: 50, guardTurns: 0 };
const SUMMARY = { text: 'what was done', finish: 'stop' };

/** Ways for a state to reach another thread or a later day. */
const COPIES = {
  'structured clone': (state) => structuredClone(state),
  'message port': (state) => {
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(state);
    const { message } = receiveMessageOnPort(port2) as { readonly message: LoopState };
    port1.close();
    return message;
  },
  'saved text': (state) => restoreState(saveState(state)),
} satisfies Record<string, (state: LoopState) => LoopState>;

describe.each<PolicyName>(['opencode-1.18', 'document-004', 'largest-first', 'external-memory'])(
  'a state of %s',
  (name) => {
    it.each(Object.entries(COPIES))('goes on from a %s to the same results', (_, copy) => {
      const policy = resolvePolicy(policies[name], { prune: { enabled: true, byAge: BY_AGE } });
      const { state } = play(createState(policy, LIMITS), 0, STEPS);
      const other = copy(state);
      expect(other.history).toEqual(state.history);
      expect(play(other, STEPS, 2 * STEPS).seen).toEqual(play(state, STEPS, 2 * STEPS).seen);
    });
  },
);

/** Plays steps with results of tools that fill the window. */
function play(start: LoopState, first: number, end: number) {
  const tools = testTools();
  const seen: unknown[] = [];
  let state = start;
  const feed = (input: LoopInput) => {
    const next = transition(state, input, tools);
    state = next.state;
    seen.push({ commands: next.commands, events: next.events, history: state.history });
    if (next.commands.some(({ type }) => type === 'summarise'))
      feed({ type: 'summary-finished', result: SUMMARY });
  };
  for (let nth = first; nth < end; nth++) {
    if (nth % STEPS_OF_TURN === 0) feed({ type: 'user-message', message: user(`u${nth}`) });
    const isLast = (nth + 1) % STEPS_OF_TURN === 0;
    const finish = isLast ? 'stop' : 'tool-calls';
    const reported = usage({ input: 2_000 * (1 + (nth % 16)) });
    const parts = [tool(`t${nth}`, 8_000)];
    feed({ type: 'step-finished', message: step(`s${nth}`, parts, { finish, usage: reported }) });
    if (isLast) feed({ type: 'turn-ended' });
  }
  return { state, seen };
}
