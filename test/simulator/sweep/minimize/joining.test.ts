import { expect, it } from 'vitest';
import {
  messageTokensOf,
  partJoining,
  stepJoining,
  turnJoining,
} from '../../../../src/simulator/sweep/minimize/joining.ts';
import type { OutlinePart } from '../../../../src/simulator/sweep/minimize/outline.ts';
import { joinList } from '../../../../src/simulator/sweep/minimize/reduce.ts';

const sums = {
  canJoin: (before: number, after: number) => before % 2 === after % 2,
  join: (before: number, after: number) => before + after,
};
const has =
  (item: number) =>
  async (left: readonly number[]): Promise<boolean> =>
    left.includes(item);

const text = { type: 'text', tokens: 7, text: 'kettle' } as const;
const call = { type: 'tool', tool: 'read', status: 'completed' } as const;
const read = { ...call, input: { tokens: 5 }, output: { tokens: 9 } };
const placed = (part: OutlinePart) => ({ turnIndex: 0, stepIndex: 0, part });
const stepOf = (...parts: readonly OutlinePart[]) => ({
  turnIndex: 0,
  step: { idleSeconds: 0, parts },
});

it('puts neighbours together that may be, and leaves apart what has to be', async () => {
  const items = [1, 3, 5, 2, 4, 7, 9];
  expect(await joinList(items, sums, async () => true)).toEqual([9, 6, 16]);
  expect(await joinList(items, sums, has(5))).toEqual([4, 5, 6, 16]);
  expect(await joinList([], sums, async () => true)).toEqual([]);
});

it('has the parts of two steps in the order in which a step has them', () => {
  const { step } = stepJoining(0).join(stepOf(read), stepOf(text, read));
  expect(step.parts).toEqual([text, read, read]);
});

const wrote = (outputTokens?: number) => ({
  turnIndex: 0,
  step: { idleSeconds: 0, parts: [], ...(outputTokens !== undefined && { outputTokens }) },
});

it('has what two steps were told to have written, where both were', () => {
  const outputOf = (one: ReturnType<typeof wrote>, other: ReturnType<typeof wrote>) =>
    stepJoining(0).join(one, other).step.outputTokens;
  expect(outputOf(wrote(3), wrote(4))).toBe(7);
  expect(outputOf(wrote(3), wrote())).toBeUndefined();
  expect(outputOf(wrote(), wrote(4))).toBeUndefined();
});

it('makes up for what one message costs where two become one', () => {
  const scale = { factor: 1.5, perMessageTokens: 50 };
  const messageTokens = messageTokensOf({ scale, turns: [] });
  expect(messageTokens).toBe(34);
  expect(messageTokensOf({ turns: [] })).toBe(0);
  const { step } = stepJoining(messageTokens).join(stepOf(read), stepOf(read));
  expect(step.parts).toMatchObject([read, { input: { tokens: 5 + 34 }, output: read.output }]);
  const turn = { idleSeconds: 0, user: { tokens: 3, characters: 9 }, steps: [] };
  expect(turnJoining(messageTokens).join(turn, turn).user).toEqual({
    tokens: 40,
    characters: 9 + 9 + 4 * 34,
  });
  const said = { ...turn, user: text };
  expect(turnJoining(messageTokens).join(said, said).user).toMatchObject({ tokens: 14 });
});

it('has the sizes of both parts, and what one call has besides its input', () => {
  expect(partJoining.join(placed(read), placed(read)).part).toMatchObject({
    input: { tokens: 18 },
    output: { tokens: 18 },
  });
});

it('keeps texts, and leaves apart what would lose one', () => {
  const both = partJoining.join(placed(text), placed(text)).part;
  expect(both).toEqual({ type: 'text', tokens: 14, text: 'kettle\nkettle' });
  const told = { ...read, input: { tokens: 5, text: '{}' } };
  for (const [one, other] of [
    [text, { type: 'text', tokens: 7 }],
    [read, told],
    [told, told],
    [read, { ...read, output: { tokens: 9, text: 'kettle' } }],
  ] as const) {
    expect(partJoining.canJoin(placed(one), placed(other))).toBe(false);
  }
});

it('leaves apart parts of two kinds or of two steps', () => {
  expect(partJoining.canJoin(placed(read), placed(read))).toBe(true);
  expect(partJoining.canJoin(placed(read), placed(text))).toBe(false);
  expect(partJoining.canJoin(placed(read), placed({ ...read, status: 'error' }))).toBe(false);
  expect(partJoining.canJoin(placed(read), { ...placed(read), stepIndex: 1 })).toBe(false);
});
