import { describe, expect, it } from 'vitest';
import {
  checkOverflow,
  type Limits,
  type LoopInput,
  type PolicyName,
  policies,
  resolvePolicy,
} from '../../../src/engine/index.ts';
import { step, text, tool, usage } from '../../support/history.ts';
import {
  compact,
  final,
  play,
  refused,
  said,
  type Script,
  stepped,
  summarised,
  turnEnded,
} from '../../support/script.ts';

const isOver = (name: PolicyName, input: number, limits: Limits) => {
  const { trigger } = policies[name];
  return checkOverflow(usage({ input }), limits, { ...trigger, rule: trigger.overflow }).isOverflow;
};

describe('the triggers of other agents at their edges', () => {
  it('Codex takes the window where the input cap is above it', () => {
    const limits = { contextTokens: 200_000, inputTokens: 300_000 };
    expect([179_999, 180_000].map((count) => isOver('codex-local', count, limits))).toEqual([
      false,
      true,
    ]);
  });

  it('pi compacts at any count where its reserve is larger than the window', () => {
    const windows = [16_383, 16_384];
    expect(windows.map((contextTokens) => isOver('pi', 0, { contextTokens }))).toEqual([
      true,
      false,
    ]);
  });

  it("Anthropic's API compacts at its number of tokens also where no window is known", () => {
    const limits = { contextTokens: 0 };
    expect([149_999, 150_000].map((count) => isOver('anthropic-compact', count, limits))).toEqual([
      false,
      true,
    ]);
  });

  it.each([
    [399, 'request u1 s1 u2'],
    [401, 'overflow before-request'],
  ])('Goose counts by itself where the provider tells no usage: %i tokens', (tokens, expected) => {
    const untold = { finish: 'stop', usage: undefined };
    const script: Script = [
      [said('u1', 'x'.repeat(4 * tokens))],
      [stepped('s1', 0, { ...untold, parts: [text('t', 'x'.repeat(4 * 400))] })],
      [said('u2', 'word')],
    ];
    const { played } = play(policies.goose, script, { contextTokens: 1_001 });
    expect(played.at(-1)).toContain(expected);
  });
});

describe('a refusal in the middle of a turn', () => {
  it.each<[string, Script, string, string]>([
    [
      'the first turn',
      [[said('u1')], [stepped('s1', 1)]],
      'u1 s1',
      'request marker summary replay',
    ],
    [
      'a later turn',
      [[said('u1')], [final('s1', 1)], [said('u2')], [stepped('s2', 1)]],
      'u1 s1 u2 s2',
      'request marker summary replay',
    ],
  ])('has Goose summarise all of it and say the prompt again: %s', (...row) => {
    const [, script, head, view] = row;
    const { played } = play(policies.goose, [...script, [refused], [summarised()]]);
    expect(played.slice(-2).map(([, ...lines]) => lines)).toEqual([
      ['overflow refused', 'marker-queued auto', `summarise ${head}`],
      ['compacted auto replay', view],
    ]);
  });
});

describe('a refusal of prompts that nobody has answered', () => {
  it('leaves each of them once in Goose', () => {
    expect(policies.goose).toPlay([
      [said('u1'), 'request u1'],
      [final('s1', 1), 'stop finished'],
      [said('u2'), 'request u1 s1 u2'],
      [said('u3')],
      [refused, 'overflow refused', 'marker-queued auto', 'summarise u1 s1'],
      [summarised(), 'compacted auto', 'request marker summary u2 u3'],
    ]);
  });
});

describe('a summary that took all tokens that it might', () => {
  it.each([
    [19_999, 'compacted manual'],
    [20_000, 'summary-rejected: the summary was cut off (20000 tokens)'],
  ])('is rejected by Qwen Code, whatever its end is called: %i tokens', (output, expected) => {
    const asked: Script = [[said('u1', 'x'.repeat(400))], [final('s1', 1)], [compact]];
    const answer: LoopInput = {
      type: 'summary-finished',
      result: { text: 'All of it.', finish: 'stop', usage: usage({ output }) },
    };
    const { played } = play(policies['qwen-code'], [...asked, [answer]]);
    expect(played.at(-1)?.[1]).toBe(expected);
  });
});

describe('a prune after a compaction by hand', () => {
  it('finds nothing at the end of a turn, as all outputs are summarised', () => {
    const policy = resolvePolicy(policies['gemini-cli'], { prune: { when: 'turn-end' } });
    const working: LoopInput = {
      type: 'step-finished',
      message: step('s1', [tool('t1', 4 * 90_000)], { finish: 'tool-calls', usage: usage() }),
    };
    const { played } = play(
      policy,
      [[said('u1')], [working], [final('s2', 1)], [compact], [summarised()], [turnEnded]],
      { contextTokens: 0 },
    );
    expect(played.slice(-2).map(([, ...lines]) => lines)).toEqual([
      ['compacted manual', 'stop finished'],
      ['pruned nothing'],
    ]);
  });
});
