import { describe, expect, it } from 'vitest';
import { jsonEstimator } from '../../src/engine/estimate.ts';
import {
  applyPrune,
  DEFAULT_BY_AGE,
  estimateMessages,
  estimateText,
  estimateTokens,
  type EstimatorOptions,
  type FilePart,
  type Message,
  planByAge,
  policies,
  type PolicyName,
  render,
  resolvePolicy,
} from '../../src/engine/index.ts';
import { file, step, summary, text, tool, user } from '../support/history.ts';

const round: EstimatorOptions = { charsPerToken: 4, rounding: 'round' };
const ceil: EstimatorOptions = { charsPerToken: 4, rounding: 'ceil' };

describe('estimateTokens', () => {
  it.each<[string, [length: number, EstimatorOptions], number]>([
    ['gives nothing for no text', [0, round], 0],
    ['rounds a quarter down', [1, round], 0],
    ['rounds a half up', [2, round], 1],
    ['rounds three quarters up', [3, round], 1],
    ['rounds one and a half up, not to the even number below', [6, round], 2],
    ['rounds two and a half up, not to the even number', [10, round], 3],
    ['is exact on whole tokens', [4_000, round], 1_000],
    ['gives nothing for no text when it rounds up', [0, ceil], 0],
    ['rounds a quarter up where the policy says so', [1, ceil], 1],
    ['is exact on whole tokens when it rounds up', [8, ceil], 2],
    ['divides by the characters that the policy gives', [10, { ...round, charsPerToken: 2.5 }], 4],
  ])('%s', (_, [length, options], expected) => {
    expect(estimateTokens(length, options)).toBe(expected);
  });
});

describe("an estimator of one's own", () => {
  /** Every word is a token. */
  const count = (words: string) => words.split(' ').filter((word) => word !== '').length;
  const own = resolvePolicy(policies['opencode-1.2.16'], { estimator: { count } });

  it('counts texts, calls and results in the place of characters', () => {
    expect(estimateText('one two three', own)).toBe(3);
    expect(estimateMessages([user('u1', 'one two'), step('s1', [text('p1', 'three')])], own)).toBe(
      3,
    );
    expect(jsonEstimator(own)([user('u1', 'one two')])).toBeLessThan(
      jsonEstimator(policies['opencode-1.2.16'])([user('u1', 'one two')]),
    );
  });

  it('is rounded as the policy rounds', () => {
    const half = { estimator: { ...own.estimator, count: () => 1.2, rounding: 'ceil' } } as const;
    expect(estimateText('one', half)).toBe(2);
  });

  it('decides what is pruned', () => {
    const outputs = ['newest', 'older', 'oldest'].map((id) =>
      step(id, [tool(id, 'w '.repeat(30))], { parentId: 'u1' }),
    );
    const byAge = { ...DEFAULT_BY_AGE, protectTokens: 40, minimumTokens: 1, guardTurns: 0 };
    const chosen = (estimator: EstimatorOptions) => planByAge(outputs, byAge, estimator).partIds;
    expect(chosen(own.estimator)).toEqual(['older', 'newest']);
    expect(chosen(round)).toEqual(['newest']);
  });

  it('is a function', () => {
    expect(() => resolvePolicy(own, { estimator: { count: 'o200k_base' as never } })).toThrow(
      /estimator\.count.* a function/,
    );
  });
});

const policy = policies['opencode-1.2.16'];
const parts = [text('t1', 'x'.repeat(40)), tool('t2', 400)];
const error = { name: 'APIError', message: 'overloaded' };
const image = file('f1', 'image/png');
const calling = (attachments: readonly FilePart[]) =>
  step('s1', [tool('t1', 400, { attachments })]);

describe('estimateMessages', () => {
  it('gives the same however often it is asked', () => {
    const messages = [user('u1', 'x'.repeat(80)), step('s1', parts)];
    const tokens = estimateMessages(messages, policy);
    expect(tokens).toBeGreaterThan(20 + 10 + 100);
    expect(estimateMessages(messages, policy)).toBe(tokens);
  });

  it('goes by what is sent of a message, not by its parts alone', () => {
    expect(estimateMessages([step('s1', parts)], policy)).toBeGreaterThan(0);
    expect(estimateMessages([step('s2', parts, { error })], policy)).toBe(0);
    const wrapped = policies['opencode-2.0'];
    const plain = estimateMessages([step('s3', parts)], wrapped);
    expect(estimateMessages([summary('x1', 'u1', { parts })], wrapped)).not.toBe(plain);
  });

  it.each<[string, Message, Message, number]>([
    ['an image', user('u1', 'x', image), user('u1', 'x'), 1_500],
    ['a document', user('u1', 'x', file('f1', 'application/pdf')), user('u1', 'x'), 2_000],
    ['what a tool attached', calling([image]), calling([]), 1_500],
  ])('weighs media by its kind: %s', (_, message, without, tokens) => {
    const bare = estimateMessages([without], policy);
    expect(estimateMessages([message], policy)).toBe(bare + tokens);
  });

  it.each<[PolicyName, image: number, document: number]>([
    ['opencode-2.0', 1_500, 2_000],
    ['claude-code', 1_500, 2_000],
    ['qwen-code', 1_600, 1_600],
    ['gemini-cli', 3_000, 25_800],
    ['pi', 1_200, 2_000],
  ])('weighs media as its source does: %s', (name, ofImage, ofDocument) => {
    const weightOf = (mime: string) =>
      estimateMessages([user('u1', file('f1', mime))], policies[name]);
    expect([weightOf('image/png'), weightOf('application/pdf')]).toEqual([ofImage, ofDocument]);
  });

  it('goes by the rules that it is given', () => {
    const rounded = estimateMessages([step('s1', parts)], policy);
    const estimator = { charsPerToken: 2, rounding: 'round' } as const;
    expect(estimateMessages([step('s1', parts)], { ...policy, estimator })).toBeGreaterThan(
      rounded,
    );
  });

  it('sees that an output was cleared', () => {
    const before = [step('s1', parts)];
    const plan = { state: 'fire', partIds: ['t2'], estimatedTokens: 100 } as const;
    expect(estimateMessages(applyPrune(before, plan, 1), policy)).toBeLessThan(
      estimateMessages(before, policy) - 80,
    );
  });
});

describe('jsonEstimator', () => {
  it('goes by the length of all model messages as one JSON', () => {
    const messages = [user('u1', 'x'), step('s1', parts), user('u2', 'y')];
    const counted = { ...policy, estimator: { charsPerToken: 1, rounding: 'round' } as const };
    const json = JSON.stringify(render(messages, policy.render));
    expect(jsonEstimator(counted)(messages)).toBe(json.length);
    expect(jsonEstimator(counted)([])).toBe('[]'.length);
  });
});
