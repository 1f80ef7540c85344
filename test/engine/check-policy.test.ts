import { describe, expect, it } from 'vitest';
import {
  createState,
  policies,
  type Policy,
  type PolicyOverrides,
  resolvePolicy,
} from '../../src/engine/index.ts';

const limits = { contextTokens: 100_000 };
const base: Policy = policies['opencode-1.18'];
/** What a program without types might lay over a policy. */
const state = (overrides: unknown) =>
  createState(resolvePolicy(base, overrides as PolicyOverrides), limits);

describe('a policy', () => {
  it.each<[string, unknown, string]>([
    [
      'a misspelt setting',
      { trigger: { reserved: 5 } },
      'Expected `overrides.trigger` to be an object with no other fields than auto, overflow, reservedTokens, ',
    ],
    ['a setting in the wrong place', { protectTokens: 5 }, "got 'protectTokens'."],
    [
      'a rule that there is not',
      { trigger: { overflow: 'v9' } },
      "Expected `overrides.trigger.overflow` to be one of 'v0.7', ",
    ],
    ['a rule of the language', { view: 'toString' }, '`overrides.view` to be one of'],
    ['a view rule that there is not', { view: 'nope' }, "got 'nope'."],
    [
      'a cut that there is not',
      { cut: { keep: 'half' } },
      "Expected `overrides.cut.keep` to be one of 'nothing', 'everything', ",
    ],
    [
      'a cut without its number',
      { cut: { keep: 'last-turns' } },
      'Expected `overrides.cut.count` to be a number, 0 or more, got undefined.',
    ],
    ['a number of another cut', { cut: { keep: 'nothing', count: 3 } }, '`overrides.cut`'],
    [
      'a number in words',
      { trigger: { reservedTokens: '20k' } },
      "Expected `overrides.trigger.reservedTokens` to be a number, 0 or more, got '20k'.",
    ],
    ['no number', { prune: { byAge: { protectTokens: Number.NaN } } }, 'got NaN.'],
    ['a number below 0', { prune: { byAge: { minimumTokens: -1 } } }, 'got -1.'],
    ['no guards', { guards: true }, 'Expected `overrides.guards` to be an object, got true.'],
    ['a guard that is a number', { guards: { learnWindow: 1 } }, 'to be true or false, got 1.'],
    [
      'a clean-up that there is not',
      { prune: { cleanups: [{ pass: 'all', when: 'idle' }] } },
      '`overrides.prune.cleanups[0].pass` to be one of',
    ],
    ['one text for a list', { prune: { byAge: { protectedTools: 'read' } } }, 'to be a list'],
    [
      'a prompt that there is not',
      { summary: { instruction: 'short' } },
      '`overrides.summary.instr',
    ],
    [
      'no estimator',
      { estimator: { charsPerToken: 'four' } },
      '`overrides.estimator.charsPerToken`',
    ],
    [
      'a law that there is not',
      { breaks: [{ law: 'x', source: '' }] },
      '`overrides.breaks[0].law`',
    ],
  ])('with %s is none', (_name, overrides, message) => {
    expect(() => state(overrides)).toThrow(TypeError);
    expect(() => state(overrides)).toThrow(message);
  });

  it('made by hand is held to the same', () => {
    const misspelt = { ...base, trigger: { ...base.trigger, reserved: 5 } };
    expect(() => createState(misspelt, limits)).toThrow(/`policy\.trigger` .*, got 'reserved'\.$/);
  });

  it('may leave out what may be absent, and be without limit', () => {
    const { memory: _, ...rest } = base;
    const unlimited = { trigger: { outputCapTokens: Number.POSITIVE_INFINITY } };
    expect(createState(resolvePolicy(rest, unlimited), limits).policy.name).toBe(base.name);
  });

  it.each([null, 'opencode-1.18', true])('has nothing laid over it that is %s', (overrides) => {
    expect(() => resolvePolicy(base, overrides as never)).toThrow(
      'Expected `overrides` to be an object',
    );
  });
});
