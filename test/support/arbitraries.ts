import * as fc from 'fast-check';
import {
  type ByAgeOptions,
  type Message,
  markerOf,
  type Part,
  type ToolState,
} from '../../src/engine/index.ts';
import { file, marker, step, summary, text, tool, toolIn, user } from './history.ts';

/** What a part will be once it has an id. */
type PartShape = (id: string) => Part;
/** What a message will be once it has an id and follows others. */
type MessageShape = (id: string, before: readonly Message[]) => Message;

/** Text whose length is spread over the whole range; `fc.string` alone stays near ten characters. */
const outputs = fc.nat({ max: 800 }).map((length) => 'x'.repeat(length));
const words = fc.constantFrom('', 'a', 'some words');
const toolNames = fc.constantFrom('bash', 'read', 'grep', 'skill');
const mimes = fc.constantFrom('image/png', 'application/pdf', 'text/plain', 'text/csv');
const attachments = fc.array(mimes, { maxLength: 2 });

const completedTools: fc.Arbitrary<PartShape> = fc
  .record({ output: outputs, name: toolNames, mimes: attachments })
  .map(({ output, name, mimes: attached }) => (id) => {
    const files = attached.map((mime, index) => file(`${id}-${index}`, mime));
    return tool(id, output, { tool: name, ...(files.length > 0 && { attachments: files }) });
  });

const clearedTools: fc.Arbitrary<PartShape> = outputs.map(
  (output) => (id) => tool(id, output, { compactedAt: 7 }),
);

const otherStates: fc.Arbitrary<ToolState> = fc.constantFrom<ToolState>(
  { status: 'pending', input: {} },
  { status: 'running', input: {} },
  { status: 'error', input: {}, error: 'no such file' },
  { status: 'error', input: {}, error: 'aborted', partialOutput: 'half' },
);
const otherTools: fc.Arbitrary<PartShape> = fc.tuple(otherStates, toolNames).map(
  ([state, name]) =>
    (id) =>
      toolIn(id, state, name),
);

const plainParts: fc.Arbitrary<PartShape> = fc.oneof(
  fc
    .record({ value: words, synthetic: fc.boolean(), ignored: fc.boolean() })
    .map(({ value, synthetic, ignored }): PartShape => {
      return (id) => text(id, value, { synthetic, ignored });
    }),
  words.map(
    (value): PartShape =>
      (id) => ({ type: 'reasoning', id, text: value }),
  ),
  fc.constant<PartShape>((id) => ({ type: 'step-start', id })),
  fc.constant<PartShape>((id) => ({ type: 'step-finish', id, reason: 'stop' })),
);

const userParts: fc.Arbitrary<PartShape> = fc.oneof(
  { weight: 4, arbitrary: plainParts },
  {
    weight: 1,
    arbitrary: mimes.map(
      (mime): PartShape =>
        (id) =>
          file(id, mime),
    ),
  },
  { weight: 1, arbitrary: fc.constant<PartShape>((id) => ({ type: 'subtask', id, prompt: 'go' })) },
);

const stepParts: fc.Arbitrary<PartShape> = fc.oneof(
  { weight: 12, arbitrary: completedTools },
  { weight: 3, arbitrary: otherTools },
  { weight: 3, arbitrary: plainParts },
);
const stepPartsWithCleared = fc.oneof(
  { weight: 60, arbitrary: stepParts },
  { weight: 1, arbitrary: clearedTools },
);

const finishes = fc.constantFrom('stop', 'tool-calls', 'length', undefined);
const errors = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { name: 'MessageAbortedError', message: 'Aborted' },
      { name: 'APIError', message: 'overloaded' },
    ),
  },
);

const userMessages: fc.Arbitrary<MessageShape> = fc
  .array(userParts, { maxLength: 3 })
  .map((shapes) => (id) => user(id, '', ...withIds(shapes, id)));

const stepMessages: fc.Arbitrary<MessageShape> = fc
  .record({
    shapes: fc.array(stepPartsWithCleared, { maxLength: 6 }),
    finish: finishes,
    error: errors,
  })
  .map(({ shapes, finish, error }) => (id, before) => {
    const parentId = before.findLast(({ role }) => role === 'user')?.id ?? 'none';
    return step(id, withIds(shapes, id), { parentId, finish, error });
  });

const markers: fc.Arbitrary<MessageShape> = fc
  .record({ auto: fc.boolean(), overflow: fc.boolean() })
  .map((options) => (id) => marker(id, options));

/** Summaries of any outcome: most answer a recent marker, some another user message or none. */
const summaries: fc.Arbitrary<MessageShape> = fc
  .record({
    aimsAtMarker: fc.constantFrom(true, true, true, false),
    back: fc.constantFrom(-1, -1, -1, -2, -3),
    finish: fc.constantFrom('stop', 'stop', 'stop', 'stop', 'error', undefined),
    error: errors,
  })
  .map(({ aimsAtMarker, back, finish, error }) => (id, before) => {
    const parents = before.filter((message) =>
      aimsAtMarker ? markerOf(message) !== undefined : message.role === 'user',
    );
    return summary(id, parents.at(back)?.id ?? 'none', { finish, error });
  });

function histories(shapes: fc.Arbitrary<MessageShape>, minLength: number, maxLength = 24) {
  return fc
    .array(shapes, { minLength, maxLength, size: 'max' })
    .map((list) =>
      list.reduce<readonly Message[]>(
        (before, shape, index) => [...before, shape(`m${index}`, before)],
        [],
      ),
    );
}

const pivotedMessages = fc.oneof(
  { weight: 3, arbitrary: userMessages },
  { weight: 3, arbitrary: stepMessages },
  { weight: 2, arbitrary: markers },
  { weight: 3, arbitrary: summaries },
);

/** Sessions of any kind, with many markers and summaries, finished or failed. */
export const pivotedHistories = histories(pivotedMessages, 8);

/** Long sessions of messages that no summary hides: more than a rolling window shows. */
export const longHistories = histories(
  fc.oneof({ weight: 1, arbitrary: userMessages }, { weight: 2, arbitrary: stepMessages }),
  51,
  60,
);

/** Long sessions with much tool output and few summaries: most of them can be pruned. */
export const toolHistories: fc.Arbitrary<readonly Message[]> = histories(
  fc.oneof(
    { weight: 40, arbitrary: userMessages },
    { weight: 100, arbitrary: stepMessages },
    { weight: 2, arbitrary: markers },
    { weight: 2, arbitrary: summaries },
  ),
  8,
);

/** Options in the size of `toolHistories`, whose outputs weigh up to 200 tokens. */
export const byAgeOptions: fc.Arbitrary<ByAgeOptions> = fc.record({
  protectTokens: fc.nat({ max: 400 }),
  minimumTokens: fc.nat({ max: 200 }),
  guardTurns: fc.constantFrom(0, 1, 2, 2, 2, 3),
  protectedTools: fc.constantFrom<readonly string[]>(['skill'], [], ['skill', 'read']),
});

function withIds(shapes: readonly PartShape[], messageId: string): readonly Part[] {
  return shapes.map((shape, index) => shape(`${messageId}-p${index}`));
}
