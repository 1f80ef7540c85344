import { expect } from 'vitest';
import {
  type AssistantMessage,
  type Limits,
  type LoopInput,
  type Part,
  policies,
  type Policy,
} from '../../src/engine/index.ts';
import { drive } from './drive.ts';
import { type Overrides, step, text, usage, user } from './history.ts';

/** An input, then what it leads to, line by line. */
export type Script = readonly (readonly [input: LoopInput, ...lines: string[]])[];

/** Limits that leave both presets 100 usable tokens. */
export const LIMITS: Limits = { contextTokens: 150, outputTokens: 50 };
/** Over the limit of both presets. */
export const OVER = 101;
/** Under the limit of both presets. */
export const UNDER = 99;

/** The release that design document 003 describes. */
export const opencode = policies['opencode-1.2.16'];
/** The portable design of document 002. */
export const document = policies['document-002'];

/** A prompt. */
export const said = (id: string, ...content: readonly (string | Part)[]): LoopInput => ({
  type: 'user-message',
  message: user(id, ...content),
});
/** A step of that many tokens, which wants to go on unless told otherwise. */
export const stepped = (
  id: string,
  input: number,
  overrides: Overrides<AssistantMessage> = { finish: 'tool-calls' },
): LoopInput => ({
  type: 'step-finished',
  message: step(id, [text(`${id}-0`, id)], { usage: usage({ input }), ...overrides }),
});
/** A step of that many tokens that ends the turn. */
export const final = (id: string, input: number) => stepped(id, input, { finish: 'stop' });
/** A summary whose request took that many tokens. */
export const summarised = (input = 0): LoopInput => ({
  type: 'summary-finished',
  result: { text: 'All of it.', finish: 'stop', usage: usage({ input }) },
});
/** A request that the provider would not take. */
export const refused: LoopInput = {
  type: 'step-refused',
  error: { name: 'ContextOverflowError', message: 'too long' },
};
/** A summary that failed for a reason of the provider's own. */
export const summaryFailed: LoopInput = {
  type: 'summary-failed',
  error: { name: 'APIError', message: 'overloaded' },
  isOverflow: false,
};
/** A summary whose request was too large. */
export const summaryOverflowed: LoopInput = {
  type: 'summary-failed',
  error: { name: 'ContextOverflowError', message: 'too long' },
  isOverflow: true,
};
/** The end of a turn. */
export const turnEnded: LoopInput = { type: 'turn-ended' };
/** An abort of what runs, before it wrote anything. */
export const aborted: LoopInput = { type: 'aborted' };
/** A wish to compact by hand. */
export const compact: LoopInput = { type: 'compact' };
/** Time that passes. */
export const idle: LoopInput = { type: 'idle', sinceMs: 5 };
/** Another model for the next request. */
export const modelChanged = (limits: Limits): LoopInput => ({ type: 'model-changed', limits });

/** Two turns that are over, and one that fills the window. */
export const overfilled: readonly LoopInput[] = [
  said('u1'),
  final('s1', 1),
  said('u2'),
  final('s2', 1),
  said('u3'),
  stepped('s3', OVER),
];
/** A first turn that overflows and waits for its summary. */
export const overflown: Script = [
  [said('u1'), 'request u1'],
  [stepped('s1', OVER), 'overflow after-step', 'marker-queued auto', 'summarise u1 s1 marker'],
];
/** A first turn that overflows, with its summary. */
export const compacted: Script = [
  ...overflown,
  [summarised(), 'compacted auto', 'request marker summary continue'],
];

/** A script as a policy plays it, and the state after it. */
export function play(policy: Policy, script: Script, limits = LIMITS) {
  const inputs = script.map(([input]) => input);
  const { lines, state } = drive(policy, limits, inputs);
  const played: Script = inputs.map((input, index) => [input, ...(lines[index] ?? [])]);
  return { played, state };
}

declare module 'vitest' {
  interface Assertion {
    /** Holds a policy to what each input of a script leads to. */
    toPlay(script: Script, limits?: Limits): void;
  }
}

expect.extend({
  toPlay(policy: Policy, script: Script, limits = LIMITS) {
    const { played } = play(policy, script, limits);
    const message = () => this.utils.diff(script, played) ?? '';
    return { pass: this.equals(played, script), message };
  },
});
