import * as fc from 'fast-check';
import type { ModelContent } from '../../../src/engine/index.ts';
import {
  type CheckName,
  createChecker,
  type RequestMessage,
} from '../../../src/simulator/provider/checks.ts';

/** A piece of text. */
export const text = (value: string): ModelContent => ({ type: 'text', text: value });
/** A piece of reasoning. */
export const reasoning = (value: string): ModelContent => ({ type: 'reasoning', text: value });
/** The call of a tool. */
export const call = (callId: string, input: unknown = {}): ModelContent => ({
  type: 'tool-call',
  callId,
  tool: 'read',
  input,
});
/** The result of a call. */
export const result = (callId: string, output = 'done'): ModelContent => ({
  type: 'tool-result',
  callId,
  tool: 'read',
  output,
  isError: false,
  attachments: [],
});

/** A system prompt. */
export const system: RequestMessage = { role: 'system', content: [text('You help.')] };
/** A message of a user. */
export const user = (...content: ModelContent[]): RequestMessage => ({ role: 'user', content });
/** A message of the model. */
export const assistant = (...content: ModelContent[]): RequestMessage => ({
  role: 'assistant',
  content,
});
/** A message with results. */
export const tool = (...content: ModelContent[]): RequestMessage => ({ role: 'tool', content });

/** One user message and what the model does: how many calls in each of its steps, and whether it thinks. */
interface TurnShape {
  readonly words: string;
  readonly callsOfSteps: readonly number[];
  readonly isThinking: boolean;
}

const turns: fc.Arbitrary<TurnShape> = fc.record({
  words: fc.constantFrom('go on', '😀', '日本語', ' x '),
  callsOfSteps: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
  isThinking: fc.boolean(),
});

/** Requests that no check finds fault with: at least one whole turn, with at least one call in all. */
export const validRequests: fc.Arbitrary<readonly RequestMessage[]> = fc
  .tuple(fc.boolean(), fc.array(turns, { maxLength: 4 }), turns, fc.constantFrom([1], [2, 1]))
  .map(([hasSystem, before, last, callsOfSteps]) => [
    ...(hasSystem ? [system] : []),
    ...[...before, { ...last, callsOfSteps }].flatMap(toMessages),
  ]);

function toMessages(turn: TurnShape, turnIndex: number): readonly RequestMessage[] {
  const thoughts = turn.isThinking ? [reasoning('so')] : [];
  const steps = turn.callsOfSteps.flatMap((calls, stepIndex) => {
    const ids = Array.from({ length: calls }, (_, index) => `${turnIndex}-${stepIndex}-${index}`);
    return [
      assistant(...thoughts, ...ids.map((id) => call(id, { path: turn.words }))),
      tool(...ids.map((id) => result(id))),
    ];
  });
  return [user(text(turn.words)), ...steps, assistant(...thoughts, text(turn.words))];
}

/** The first fault of a whole request. */
export function faultOf(
  checker: { next(message: RequestMessage): string | undefined; end(): string | undefined },
  messages: readonly RequestMessage[],
): string | undefined {
  for (const message of messages) {
    const fault = checker.next(message);
    if (fault !== undefined) return fault;
  }
  return checker.end();
}

/** The first fault that one check finds in a whole request. */
export const faultFor = (name: CheckName, messages: readonly RequestMessage[]) =>
  faultOf(createChecker([name]), messages);
