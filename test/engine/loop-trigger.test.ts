import { describe, expect, it } from 'vitest';
import {
  createState,
  type Limits,
  type OverflowRuleName,
  type Part,
  policies,
  type Policy,
  resolvePolicy,
  transition,
} from '../../src/engine/index.ts';
import { step, tool } from '../support/history.ts';
import {
  document,
  final,
  LIMITS,
  opencode,
  OVER,
  play,
  said,
  type Script,
  stepped,
  summarised,
  turnEnded,
} from '../support/script.ts';
import { testTools } from '../support/tools.ts';

describe('the end of a turn', () => {
  const outputs = [tool('s1-a', 100_000), tool('s1-b', 100_000)];
  const threeTurns: Script = [
    [said('u1'), 'request u1'],
    [{ type: 'step-finished', message: step('s1', outputs) }, 'stop finished'],
    [said('u2'), 'request u1 s1 u2'],
    [final('s2', 1), 'stop finished'],
    [said('u3'), 'request u1 s1 u2 s2 u3'],
    [final('s3', 1), 'stop finished'],
  ];
  const tooLittle = { prune: { byAge: { minimumTokens: 25_000 } } };
  const off = { prune: { enabled: false } };
  const cleared = [tool('s1-a', 100_000, { compactedAt: 1 }), tool('s1-b', 100_000)];

  it.each<[string, Policy, string[][]]>([
    ['prunes what is old under opencode-1.2.16', opencode, [['pruned fire s1-a']]],
    ['prunes what is old under document-002', document, [['pruned fire s1-a']]],
    ['prunes no further a second time', opencode, [['pruned fire s1-a'], ['pruned nothing']]],
    [
      'tells of a prune that would have saved too little',
      resolvePolicy(opencode, tooLittle),
      [['pruned below-minimum s1-a']],
    ],
    ['prunes nothing when prune is off', resolvePolicy(opencode, off), [[]]],
    ['prunes nothing under the control', policies.none, [[]]],
  ])('%s', (_name, policy, ends) => {
    expect(policy).toPlay([...threeTurns, ...ends.map((lines) => [turnEnded, ...lines] as const)]);
  });

  it.each<[string, Policy, readonly Part[]]>([
    ['marks what it clears with its time', opencode, cleared],
    ['clears nothing below the minimum', resolvePolicy(opencode, tooLittle), outputs],
    ['clears nothing when prune is off', resolvePolicy(opencode, off), outputs],
  ])('%s', (_name, policy, parts) => {
    const { state } = play(policy, [...threeTurns, [turnEnded]]);
    expect(state.history[1]?.parts).toEqual(parts);
  });
});

describe('the trigger', () => {
  const overAgain = ['overflow after-step', 'marker-queued auto'] as const;

  it.each<[string, Policy, Limits, Script]>([
    [
      'of opencode-1.2.16 is as many tokens as are usable',
      opencode,
      LIMITS,
      [
        [said('u1'), 'request u1'],
        [stepped('s1', 99), 'request u1 s1'],
        [stepped('s2', 100), ...overAgain, 'summarise u1 s1 s2 marker'],
      ],
    ],
    [
      'of document-002 is one token more than is usable',
      document,
      LIMITS,
      [
        [said('u1'), 'request u1'],
        [stepped('s1', 100), 'request u1 s1'],
        [stepped('s2', 101), ...overAgain, 'summarise u1 s1 s2 marker'],
      ],
    ],
    [
      'of opencode-1.2.16 is every step where nothing is usable',
      opencode,
      { contextTokens: 50, outputTokens: 50 },
      [
        [said('u1'), 'request u1'],
        [final('s1', 0), ...overAgain, 'summarise u1 s1 marker'],
        [summarised(), 'compacted auto', 'request marker summary continue'],
        [final('s2', 0), ...overAgain, 'summarise marker summary continue s2 marker'],
        [summarised(), 'compacted auto', 'request marker summary continue'],
        [final('s3', 0), ...overAgain, 'summarise marker summary continue s3 marker'],
      ],
    ],
    [
      'of opencode-1.2.16 is as much below an input cap as the policy reserves',
      resolvePolicy(opencode, { trigger: { reservedTokens: 7 } }),
      { ...LIMITS, inputTokens: 100 },
      [
        [said('u1'), 'request u1'],
        [stepped('s1', 92), 'request u1 s1'],
        [stepped('s2', 93), ...overAgain, 'summarise u1 s1 s2 marker'],
      ],
    ],
    [
      'of opencode-1.2.16 is higher up where the product caps answers lower',
      resolvePolicy(opencode, { trigger: { outputCapTokens: 40 } }),
      LIMITS,
      [
        [said('u1'), 'request u1'],
        [stepped('s1', 109), 'request u1 s1'],
        [stepped('s2', 110), ...overAgain, 'summarise u1 s1 s2 marker'],
      ],
    ],
    [
      'counts what a step brought back, where the policy counts what is newer than its usage',
      resolvePolicy(opencode, { trigger: { countsNewerMessages: true } }),
      LIMITS,
      [
        [said('u1'), 'request u1'],
        [
          stepped('s1', 50, { finish: 'tool-calls', parts: [tool('s1-a', 200)] }),
          'overflow before-request',
          'marker-queued auto',
          'summarise u1 s1 marker',
        ],
      ],
    ],
    [
      'counts what came unseen with a step, where the policy counts what is newer than its usage',
      resolvePolicy(opencode, { trigger: { countsNewerMessages: true } }),
      LIMITS,
      [
        [said('u1'), 'request u1'],
        [
          stepped('s1', 50, { finish: 'tool-calls', parts: [tool('s1-a', 1)], unseenTokens: 50 }),
          'overflow before-request',
          'marker-queued auto',
          'summarise u1 s1 marker',
        ],
      ],
    ],
    [
      'of any preset is never reached where the window is unknown',
      opencode,
      { contextTokens: 0 },
      [
        [said('u1'), 'request u1'],
        [stepped('s1', 1_000_000), 'request u1 s1'],
      ],
    ],
  ])('%s', (...[, policy, limits, script]) => {
    expect(play(policy, script, limits).played).toEqual(script);
  });

  it('tells what it compared', () => {
    const state = createState(opencode, LIMITS);
    const [event] = transition(state, stepped('s1', OVER), testTools()).events;
    const check = { countTokens: OVER, usableTokens: 100, comparison: '>=', isOverflow: true };
    expect(event).toEqual({ type: 'overflow', path: 'after-step', check });
  });
});

describe('automatic compaction that is switched off', () => {
  it.each<[OverflowRuleName, string]>([
    ['v0.8.0', 'stop finished'],
    ['v0.7.6', 'overflow after-step'],
    ['v0.7.4', 'overflow after-step'],
    ['v0.7', 'overflow after-step'],
  ])('holds under the rule of %s unless its releases know no switch', (overflow, line) => {
    const policy = resolvePolicy(policies['document-002'], { trigger: { auto: false, overflow } });
    const state = createState(policy, { contextTokens: 100_000, outputTokens: 8_000 });
    const asked = transition(state, said('u1'), testTools()).state;
    const usage = { input: 99_000, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    const message = step('s1', [], { parentId: 'u1', usage });
    const { events, commands } = transition(asked, { type: 'step-finished', message }, testTools());
    const [first] = events.map((event) => ('path' in event ? `${event.type} ${event.path}` : ''));
    const [command] = commands.map((one) => ('reason' in one ? `${one.type} ${one.reason}` : ''));
    expect(first ?? command).toBe(line);
  });
});
