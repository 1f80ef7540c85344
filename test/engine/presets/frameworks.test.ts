import { describe, expect, it } from 'vitest';
import {
  type CutPolicy,
  type LoopInput,
  policies,
  type Policy,
  type PolicyOverrides,
  render,
  resolvePolicy,
  type TriggerCondition,
  viewOf,
} from '../../../src/engine/index.ts';
import { text, tool, usage } from '../../support/history.ts';
import {
  final,
  play,
  refused,
  said,
  type Script,
  stepped,
  summarised,
} from '../../support/script.ts';

const WIDE = { contextTokens: 1_000 };
/** A step with one call: two messages, two events, and 10 tokens of usage. */
const called = (id: string): LoopInput =>
  stepped(id, 0, {
    parts: [tool(`${id}-0`, 4)],
    finish: 'tool-calls',
    usage: usage({ input: 10 }),
  });
const at = (unit: 'messages' | 'events' | 'tokens', atLeast: number): TriggerCondition => ({
  unit,
  atLeast,
});
/** A preset with smaller numbers, in scripts of a few messages. */
const small = (policy: Policy, overrides: PolicyOverrides): Policy =>
  resolvePolicy(policy, overrides);
const newest = (policy: Policy, count: number, first = 0): CutPolicy => {
  if (policy.cut.keep !== 'ends') throw new Error(`${policy.name} does not keep both ends`);
  const kept = policy.cut.newest.map((amount) =>
    'count' in amount ? { ...amount, count } : amount,
  );
  return { ...policy.cut, first, newest: kept };
};

describe('LangChain', () => {
  const { 'langchain-messages': byNumber, 'langchain-clauses': byClauses } = policies;

  it('goes by the number of messages, results of tools among them, and keeps the newest', () => {
    const policy = small(byNumber, {
      trigger: { anyOf: [[at('messages', 6)]] },
      cut: newest(byNumber, 3),
    });
    expect(policy).toPlay(
      [
        [said('u1'), 'request u1'],
        [called('s1'), 'request u1 s1'],
        [called('s2'), 'request u1 s1 s2'],
        // Seven messages; the newest three are cut in front of a step that holds two of them.
        [called('s3'), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1'],
        [summarised(), 'compacted auto', 'request marker summary s2 s3'],
      ],
      WIDE,
    );
  });

  it('asks for tokens and messages, or for a share of the window', () => {
    const policy = small(byClauses, {
      trigger: {
        anyOf: [[at('tokens', 50), at('messages', 4)], [{ unit: 'share', atLeast: 0.9 }]],
      },
      cut: newest(byClauses, 1),
    });
    const lineOf = (...script: readonly LoopInput[]) =>
      play(
        policy,
        script.map((input) => [input] as const),
        WIDE,
      ).played.at(-1)?.[1];
    const heavy = stepped('s1', 50);
    expect(lineOf(said('u1'), heavy)).toBe('request u1 s1');
    expect(lineOf(said('u1'), called('s1'), called('s2'))).toBe('request u1 s1 s2');
    expect(lineOf(said('u1'), called('s1'), stepped('s2', 50))).toBe('overflow before-request');
    expect(lineOf(said('u1'), stepped('s1', 900))).toBe('overflow before-request');
  });
});

describe('deepagents', () => {
  it('keeps six messages where the window is not known, and has nothing to take out of fewer', () => {
    const heavy = (id: string) => stepped(id, 170_000);
    const script: Script = [
      [said('u1'), 'request u1'],
      [heavy('s1'), 'request u1 s1'],
      [heavy('s2'), 'request u1 s1 s2'],
      [heavy('s3'), 'request u1 s1 s2 s3'],
      [heavy('s4'), 'request u1 s1 s2 s3 s4'],
      [heavy('s5'), 'request u1 s1 s2 s3 s4 s5'],
      [heavy('s6'), 'overflow before-request', 'marker-queued auto', 'summarise u1'],
    ];
    const { 'deepagents-unknown-model': policy } = policies;
    expect(play(policy, script, { contextTokens: 0 }).played).toEqual(script);
  });
});

describe('OpenHands', () => {
  const { openhands, 'openhands-amortized': amortized } = policies;

  it('leaves half of its 80 events: four first ones, a summary, and the newest 35', () => {
    const steps = Array.from({ length: 40 }, (_, index) => called(`s${index + 1}`));
    const inputs: Script = [said('u1'), ...steps].map((input) => [input]);
    const { played } = play(openhands, inputs, WIDE);
    // The system prompt, the prompt and 39 steps are 80 events; the fortieth makes them 82.
    expect(played.at(-2)?.[1]).toMatch(/^request u1 s1 .* s39$/);
    const [, ...lines] = played.at(-1) ?? [said('u1')];
    const middle = Array.from({ length: 22 }, (_, index) => `s${index + 2}`).join(' ');
    expect(lines).toEqual(['overflow before-request', 'marker-queued auto', `summarise ${middle}`]);
  });

  it('keeps the first events in front of each summary, and brings that up to date', () => {
    const policy = small(openhands, {
      trigger: { anyOf: [[at('events', 7)]] },
      cut: newest(openhands, 2, 2),
    });
    const script: Script = [
      [said('u1'), 'request u1'],
      [called('s1'), 'request u1 s1'],
      [called('s2'), 'request u1 s1 s2'],
      [called('s3'), 'overflow before-request', 'marker-queued auto', 'summarise s1 s2'],
      [summarised(), 'compacted auto', 'request u1 marker summary s3'],
      [called('s4'), 'overflow before-request', 'marker-queued auto', 'summarise s3'],
      [summarised(), 'compacted auto', 'request u1 marker summary s4'],
    ];
    const { played, state } = play(policy, script, WIDE);
    expect(played).toEqual(script);
    expect(render(viewOf(state), policy.render).map(({ role }) => role)).toEqual([
      'user',
      'user',
      'assistant',
      'tool',
    ]);
  });

  it('forgets without a summary, and asks nobody for one', () => {
    const policy = small(amortized, {
      trigger: { anyOf: [[at('events', 7)]] },
      cut: newest(amortized, 2, 2),
    });
    const script: Script = [
      [said('u1'), 'request u1'],
      [called('s1'), 'request u1 s1'],
      [called('s2'), 'request u1 s1 s2'],
      [
        called('s3'),
        'overflow before-request',
        'marker-queued auto',
        'compacted auto',
        'request u1 marker summary s3',
      ],
    ];
    const { played, state } = play(policy, script, WIDE);
    expect(played).toEqual(script);
    expect(JSON.stringify(render(viewOf(state), policy.render))).not.toContain(
      'conversation so far',
    );
  });
});

describe('what is counted in the place of usage', () => {
  const long = (id: string, tokens: number) =>
    stepped(id, 900, { parts: [text(`${id}-0`, 'x'.repeat(4 * tokens))], finish: 'tool-calls' });

  it('is messages since the newest observations in Mastra', () => {
    const { mastra } = policies;
    const policy = small(mastra, {
      trigger: { anyOf: [[at('tokens', 30)]] },
      cut: newest(mastra, 10),
    });
    expect(policy).toPlay(
      [
        [said('u1', 'word'), 'request u1'],
        [long('s1', 20), 'request u1 s1'],
        [long('s2', 10), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1'],
        [summarised(), 'compacted auto', 'request marker summary s2'],
        [long('s3', 19), 'request marker summary s2 s3'],
      ],
      WIDE,
    );
  });

  it('is all that was said in Aider, which looks when a turn is over', () => {
    // A window of 16,384 tokens makes 1,024 of its history the most, of which half stays.
    const limits = { contextTokens: 16_384 };
    const said600 = (id: string, finish: string) =>
      stepped(id, 1, { parts: [text(`${id}-0`, 'x'.repeat(2_400))], finish });
    expect(policies.aider).toPlay(
      [
        [said('u1', 'word'), 'request u1'],
        [said600('s1', 'tool-calls'), 'request u1 s1'],
        [said600('s2', 'stop'), 'overflow after-step', 'marker-queued auto', 'summarise u1 s1 s2'],
        [summarised(), 'compacted auto', 'stop finished'],
      ],
      limits,
    );
  });
});

describe('Strands', () => {
  it('slides its window when a turn is over, and after a refusal', () => {
    const { strands } = policies;
    const policy = small(strands, {
      trigger: { anyOf: [[at('messages', 4)]] },
      cut: newest(strands, 3),
    });
    expect(policy).toPlay(
      [
        [said('u1'), 'request u1'],
        [called('s1'), 'request u1 s1'],
        [called('s2'), 'request u1 s1 s2'],
        [
          final('s3', 1),
          'overflow after-step',
          'marker-queued auto',
          'compacted auto',
          'stop finished',
        ],
        [said('u2'), 'request marker summary s2 s3 u2'],
        [
          refused,
          'overflow refused',
          'marker-queued auto',
          'compacted auto',
          'request marker summary s3 u2',
        ],
      ],
      WIDE,
    );
  });
});

describe('Letta', () => {
  it('evicts a third of its messages, and begins with an answer', () => {
    expect(policies.letta).toPlay(
      [
        [said('u1'), 'request u1'],
        [stepped('s1', 1), 'request u1 s1'],
        [stepped('s2', 1), 'request u1 s1 s2'],
        [stepped('s3', 901), 'overflow before-request', 'marker-queued auto', 'summarise u1 s1'],
        [summarised(), 'compacted auto', 'request marker summary s2 s3'],
      ],
      WIDE,
    );
  });
});

describe('Hermes', () => {
  it('keeps the first exchange and the newest messages', () => {
    const { hermes } = policies;
    const policy = small(hermes, { cut: newest(hermes, 2, 2) });
    expect(policy).toPlay(
      [
        [said('u1'), 'request u1'],
        [stepped('s1', 1), 'request u1 s1'],
        [stepped('s2', 1), 'request u1 s1 s2'],
        [stepped('s3', 1), 'request u1 s1 s2 s3'],
        [stepped('s4', 5), 'overflow before-request', 'marker-queued auto', 'summarise s2'],
        [summarised(), 'compacted auto', 'request u1 s1 marker summary s3 s4'],
      ],
      { contextTokens: 10 },
    );
  });
});

describe('Inspect', () => {
  it('clears outputs and never asks for a summary', () => {
    expect(policies['inspect-edit']).toPlay(
      [
        [said('u1'), 'request u1'],
        ...['s1', 's2', 's3'].map(
          (id, index) =>
            [called(id), `request u1 ${['s1', 's2', 's3'].slice(0, index + 1).join(' ')}`] as const,
        ),
        [
          stepped('s4', 901, {
            parts: [tool('s4-0', 4)],
            finish: 'tool-calls',
            usage: usage({ input: 901 }),
          }),
          'overflow before-request',
          'pruned fire s1-0',
          'request u1 s1 s2 s3 s4',
        ],
      ],
      WIDE,
    );
  });
});
