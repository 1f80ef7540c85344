import {
  type AssistantMessage,
  type Limits,
  type LoopInput,
  type LoopState,
  type Policy,
} from '../../src/engine/index.ts';
import { type Overrides, step, text, tool, usage, user } from './history.ts';

/** What a session may wait for. */
export type PhaseName = LoopState['phase']['state'];

/** What an input leads to: one command, none, or that it is not taken at all; either, where sizes decide. */
export type Outcome = 'answered' | 'silent' | 'ignored' | 'either';

/** One kind of input: when it comes, and what it leads to. */
export interface Kind {
  readonly name: string;
  readonly comesIn: readonly PhaseName[];
  readonly input: (id: string) => LoopInput;
  readonly outcome: (phase: PhaseName, policy: Policy, said: Said) => Outcome;
}

/** Whether anything was said since the newest summary was asked for that is in force. */
export type Said = 'something' | 'nothing';

/** All that a session may wait for. */
export const ANYWHERE: readonly PhaseName[] = ['waiting', 'requested', 'summarising'];
const BUSY: readonly PhaseName[] = ['requested', 'summarising'];

/** Who keeps what nobody has answered yet has nothing to summarise where nothing else was said. */
export const KEEPS_PROMPTS: readonly Policy['cut']['keep'][] = ['unanswered', 'user-messages'];

/** What stays is what fits. */
export const SIZED: readonly Policy['cut']['keep'][] = [
  'recent-messages',
  'newest-messages',
  'newest-exchanges',
  'newest-steps',
  'last-share',
];
/** Of a short session nothing may be left to summarise under these. */
const SIZES_DECIDE: readonly Policy['cut']['keep'][] = [...KEEPS_PROMPTS, 'ends'];
const error = { name: 'APIError', message: 'overloaded' };
const GOOD = '## Goal\n## Objective\nAll.';
/** Limits of the models that a session may go on with, most of them small. */
export const windows: readonly Limits[] = [
  { contextTokens: 0 },
  { contextTokens: 150, outputTokens: 20 },
  { contextTokens: 400, outputTokens: 50, inputTokens: 300 },
  { contextTokens: 1_000, outputTokens: 50 },
];
/** Limits that nothing reaches. */
export const ROOMY: Limits = { contextTokens: 1_000_000, outputTokens: 1_000 };

/** A prompt. */
export const prompt: Kind = {
  name: 'prompt',
  comesIn: ANYWHERE,
  input: (id) => ({ type: 'user-message', message: user(id, `${id}: ${'p'.repeat(40)}`) }),
  outcome: (phase) => (phase === 'waiting' ? 'answered' : 'silent'),
};

/** A finished step with an output of 50 tokens, and one that is protected. */
function stepKind(name: string, overrides: Overrides<AssistantMessage>): Kind {
  return {
    name: `step ${name}`,
    comesIn: ['requested'],
    input: (id) => {
      const outputs = [tool(`${id}-1`, 200), tool(`${id}-2`, 200, { tool: 'skill' })];
      const message = step(id, [text(`${id}-0`, id), ...outputs], overrides);
      return { type: 'step-finished', message };
    },
    outcome: (phase) => (phase === 'summarising' ? 'ignored' : 'answered'),
  };
}

/** A step that ends its turn without outputs, so that a policy which keeps its newest message can summarise the rest. */
function answerKind(name: string, input: number): Kind {
  return {
    ...stepKind(name, {}),
    input: (id) => {
      const message = step(id, [text(`${id}-0`, id)], { usage: usage({ input }) });
      return { type: 'step-finished', message };
    },
  };
}

function summaryKind(name: string, input: LoopInput): Kind {
  return {
    name: `summary ${name}`,
    comesIn: ['summarising'],
    input: () => input,
    outcome: (phase) => (phase === 'summarising' ? 'answered' : 'ignored'),
  };
}

const under = usage({ input: 60 });
/** Over the smaller windows, and no more than the larger ones. */
const over = usage({ input: 380 });
/** Steps that a model finished, in all ways. */
export const steps: readonly Kind[] = [
  stepKind('under, final', { usage: under }),
  stepKind('under, goes on', { usage: under, finish: 'tool-calls' }),
  stepKind('at the window, final', { usage: usage({ input: 150 }) }),
  stepKind('over, final', { usage: over }),
  stepKind('over, goes on', { usage: over, finish: 'tool-calls' }),
  answerKind('far over, final', 990),
  stepKind('far over, goes on', { usage: usage({ input: 990 }), finish: 'tool-calls' }),
  answerKind('beyond any window, final', 5_000),
  stepKind('beyond any window', { usage: usage({ input: 5_000 }), finish: 'tool-calls' }),
  stepKind('without usage', { finish: 'tool-calls' }),
  stepKind('cut off', { usage: over, finish: undefined }),
  stepKind('failed', { usage: under, finish: undefined, error }),
];

function finished(summary: string, finish = 'stop'): LoopInput {
  return { type: 'summary-finished', result: { text: summary, finish, usage: under } };
}
/** A summary with all headings that any preset asks for. */
export const good = summaryKind('good', finished(GOOD));
/** Summaries that are not good. */
export const otherSummaries: readonly Kind[] = [
  summaryKind('empty', finished('')),
  summaryKind('without headings', finished('All of it.')),
  summaryKind('larger', finished(GOOD.padEnd(12_000, 'x'))),
  summaryKind('cut off', finished(GOOD, 'length')),
  summaryKind('a tool call', finished('<tool_call>bash</tool_call>', 'tool-calls')),
  summaryKind('failed', { type: 'summary-failed', error, isOverflow: false }),
  summaryKind('too large', { type: 'summary-failed', error, isOverflow: true }),
];

/** What ends a step or a summary otherwise. */
export const ends: readonly Kind[] = [
  {
    name: 'step refused',
    comesIn: ['requested'],
    input: () => ({ type: 'step-refused', error }),
    outcome: (phase) => (phase === 'summarising' ? 'ignored' : 'answered'),
  },
  ...[false, true].map(
    (hasWritten): Kind => ({
      name: hasWritten ? 'aborted in the middle' : 'aborted',
      comesIn: BUSY,
      input: (id) => ({
        type: 'aborted',
        ...(hasWritten && { message: step(id, [tool(`${id}-0`, 200)], { finish: undefined }) }),
      }),
      outcome: (phase) => (phase === 'waiting' ? 'ignored' : 'answered'),
    }),
  ),
];
/** The end of a turn. */
export const turnEnded: Kind = {
  name: 'turn ended',
  comesIn: ['waiting', 'requested'],
  input: () => ({ type: 'turn-ended' }),
  outcome: (phase) => (phase === 'summarising' ? 'ignored' : 'silent'),
};
/** A compaction that somebody asks for. */
export const byHand: Kind = {
  name: 'compact',
  comesIn: ['waiting'],
  input: () => ({ type: 'compact' }),
  outcome: (phase, { cut }, said) => {
    if (phase === 'waiting' && (SIZED.includes(cut.keep) || SIZES_DECIDE.includes(cut.keep)))
      return 'either';
    const asksForTexts = cut.keep === 'checkpoint';
    const canCompact = asksForTexts ? said === 'something' : cut.keep !== 'everything';
    return phase === 'waiting' && canCompact ? 'answered' : 'ignored';
  },
};
/** Time that passed. */
export const idle: Kind = {
  name: 'idle',
  comesIn: ANYWHERE,
  input: () => ({ type: 'idle', sinceMs: 1 }),
  outcome: () => 'silent',
};
/** Other models, one for each window. */
export const models = windows.map(
  (limits): Kind => ({
    name: `model of ${limits.contextTokens} tokens`,
    comesIn: ANYWHERE,
    input: () => ({ type: 'model-changed', limits }),
    outcome: () => 'silent',
  }),
);
const all = [prompt, ...steps, good, ...otherSummaries, ...ends, turnEnded, byHand, idle];
/** Inputs that nothing waits for. */
export const strays = all.map(
  (kind): Kind => ({ ...kind, name: `stray ${kind.name}`, comesIn: ANYWHERE }),
);
