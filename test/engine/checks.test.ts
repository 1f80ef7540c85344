import { describe, expect, it } from 'vitest';
import {
  createState,
  type GuardsPolicy,
  knowsOverflow,
  type Limits,
  type LoopInput,
  NO_GUARDS,
  policies,
  type Policy,
  type PolicyName,
  type PolicyOverrides,
  resolvePolicy,
  transition,
  type Usage,
} from '../../src/engine/index.ts';
import { drive } from '../support/drive.ts';
import { step, text, tool, usage } from '../support/history.ts';
import { final, play, said, stepped, summarised } from '../support/script.ts';
import { testTools } from '../support/tools.ts';

const LIMITS = { contextTokens: 1_100, outputTokens: 100 };
const tools = testTools();
/** Usable tokens of these limits. */
const USABLE = 1_000;

function guarded(
  guards: Partial<GuardsPolicy>,
  { name = 'document-002', ...over }: PolicyOverrides & { readonly name?: PolicyName } = {},
): Policy {
  return resolvePolicy(policies[name], { ...over, guards: { ...NO_GUARDS, ...guards } });
}

/** What the last input leads to. */
const lastLines = (policy: Policy, inputs: readonly LoopInput[]) =>
  drive(policy, LIMITS, inputs).lines.at(-1);
/** A prompt of that many tokens, as estimated. */
const asked = (id: string, tokens: number): LoopInput => said(id, 'word'.repeat(tokens));
const answered = (id: string, told: Usage | undefined, tokens = 1): LoopInput => ({
  type: 'step-finished',
  message: step(id, [text(`${id}-0`, 'word'.repeat(tokens))], { usage: told }),
});

const refusedWith = (message: string): LoopInput => ({
  type: 'step-refused',
  error: { name: 'ContextOverflowError', message },
});
const tooLong = (windowTokens: string) =>
  `prompt is too long: 9999 tokens > ${windowTokens} maximum`;
/** A session whose newest prompt has that many tokens, after a step that was told nothing of. */
const promptedWith = (tokens: number) => [
  asked('u1', 400),
  answered('s1', undefined, 100),
  asked('u2', tokens),
];
const estimating = guarded({ estimateMissingUsage: true });
const doubting = guarded({ ignoreImplausibleUsage: true });
const both = guarded({ estimateMissingUsage: true, ignoreImplausibleUsage: true });
const OVERFLOWN = [
  'overflow after-step',
  'marker-queued auto',
  expect.stringMatching(/^summarise/),
];
const UNTOLD = 'usage-ignored s1: the provider told none';

/** Whether a step that is told to take so much overflows, after a prompt of that size. */
const isOverflow = (policy: Policy, overheadTokens: number, tokens: number, told?: Usage) => {
  const [asks, answers] = [asked('u1', tokens), answered('s1', told)];
  const { state } = transition(createState(policy, LIMITS, { overheadTokens }), asks, tools);
  return transition(state, answers, tools).events.some(({ type }) => type === 'overflow');
};

describe('a usage that is not told', () => {
  it.each<[string, Usage | undefined]>([
    ['is absent', undefined],
    ['has every number 0', usage({ total: 0 })],
  ])('leads to a check of the estimate where it %s', (_, told) => {
    const over = [asked('u1', USABLE - 1), answered('s1', told, 2)];
    const under = [asked('u1', USABLE - 1), answered('s1', told, 1)];
    expect(lastLines(estimating, over)).toEqual([UNTOLD, ...OVERFLOWN]);
    expect(lastLines(estimating, under)).toEqual([UNTOLD, 'stop finished']);
    expect(lastLines(guarded({}), over)).toEqual(['stop finished']);
    expect(lastLines(doubting, over)).toEqual(['stop finished']);
  });

  it('is one that has any token at all', () => {
    const told = usage({ output: 1 });
    expect(lastLines(estimating, [asked('u1', 5_000), answered('s1', told)])).toEqual([
      'stop finished',
    ]);
  });

  it('is estimated with what the host knows of system prompt and tools', () => {
    expect([499, 500].map((tokens) => isOverflow(estimating, tokens, 500))).toEqual([false, true]);
  });

  it('is estimated from what is still shown, not from what was', () => {
    const inputs = [
      asked('u1', USABLE),
      stepped('s1', USABLE + 1),
      summarised(),
      answered('s2', undefined),
    ];
    expect(lastLines(estimating, inputs)).toEqual([
      'usage-ignored s2: the provider told none',
      'stop finished',
    ]);
  });

  it('is estimated before a request too, each message once', () => {
    const policy = guarded(
      { estimateMissingUsage: true },
      { name: 'document-000', trigger: { countsNewerMessages: true } },
    );
    expect(lastLines(policy, promptedWith(501))?.slice(0, 2)).toEqual([
      UNTOLD,
      'overflow before-request',
    ]);
    expect(lastLines(policy, promptedWith(400))).toEqual([UNTOLD, 'request u1 s1 u2']);
  });

  it('says nothing where nothing is triggered', () => {
    const off = guarded({ estimateMissingUsage: true }, { trigger: { auto: false } });
    expect(lastLines(off, [asked('u1', 5_000), answered('s1', undefined)])).toEqual([
      'stop finished',
    ]);
  });
});

describe('a request that is counted by an estimate of its own', () => {
  const counting = (counted: 'request' | 'request-or-usage') =>
    guarded({}, { trigger: { counted } });

  it.each<[string, boolean, boolean, number, Usage | undefined]>([
    ['the estimate alone is over', true, true, USABLE - 100, usage({ input: 10 })],
    ['the usage alone is over', false, true, 10, usage({ input: USABLE + 1 })],
    ['neither is', false, false, 10, usage({ input: 10 })],
    ['no usage is told', true, true, USABLE - 100, undefined],
  ])('overflows where it should: %s', (...[, alone, either, tokens, told]) => {
    expect(isOverflow(counting('request'), 100, tokens, told)).toBe(alone);
    expect(isOverflow(counting('request-or-usage'), 100, tokens, told)).toBe(either);
  });
});

describe('a usage that is doubted', () => {
  it('is told of again before the request that follows', () => {
    const guards = { estimateMissingUsage: true, ignoreImplausibleUsage: true };
    const policy = guarded(guards, { name: 'opencode-1.2.16' });
    const doubted = 'usage-ignored s1: 5000 tokens on a window of 1100';
    expect(lastLines(policy, [asked('u1', 10), stepped('s1', 5_000)])).toEqual([
      doubted,
      doubted,
      'request u1 s1',
    ]);
  });

  it.each<[string, readonly LoopInput[], reason: string]>([
    [
      'above the window',
      [asked('u1', 10), answered('s1', usage({ input: 1_101 }))],
      'usage-ignored s1: 1101 tokens on a window of 1100',
    ],
    [
      'far below what was sent, after one that was not',
      [
        asked('u1', 600),
        answered('s1', usage({ input: 610 })),
        asked('u2', 390),
        answered('s2', usage({ input: 594 })),
      ],
      'usage-ignored s2: 594 tokens of about 992 that were sent',
    ],
  ])('is one %s; the estimate is checked in its place with both guards', (_, inputs, reason) => {
    expect(lastLines(doubting, inputs)).toEqual([reason, 'stop finished']);
    expect(lastLines(both, inputs)).toEqual([reason, 'stop finished']);
    const grown = [...inputs.slice(0, -2), asked('u9', 1_200), ...inputs.slice(-1)];
    expect(lastLines(both, grown)?.slice(1)).toEqual(OVERFLOWN);
    expect(lastLines(estimating, inputs)?.[0]).not.toMatch(/^usage-ignored/);
  });

  /** A session of 1,000 tokens, as estimated, that is told to have stayed as large or less. */
  const shrunk = (input: number, before = 700) => [
    asked('u1', 600),
    answered('s1', usage({ input: before })),
    asked('u2', 398),
    answered('s2', usage({ input: input - 60, cacheRead: 10, cacheWrite: 20, output: 30 })),
  ];
  it.each<[string, readonly LoopInput[]]>([
    ['six tenths of what was sent', shrunk(600)],
    ['more than before, however little', shrunk(500, 499)],
    [
      'the first one, with which nothing can be compared',
      [asked('u1', 900), answered('s1', usage({ input: 10 }))],
    ],
  ])('is none that is %s', (_, inputs) => {
    expect(lastLines(doubting, inputs)).toEqual(['stop finished']);
  });

  it('is none above a window that nobody knows', () => {
    const inputs = [asked('u1', 10), answered('s1', usage({ input: 5_000 }))];
    expect(drive(doubting, { contextTokens: 0 }, inputs).lines.at(-1)).toEqual(['stop finished']);
  });

  it('is one that is a token below six tenths', () => {
    expect(lastLines(doubting, shrunk(599))).toEqual([
      'usage-ignored s2: 599 tokens of about 1000 that were sent',
      'stop finished',
    ]);
    expect(lastLines(guarded({}), shrunk(599))).toEqual(['stop finished']);
  });

  it('is one that did not grow at all with the session', () => {
    expect(lastLines(doubting, shrunk(599, 599))?.[0]).toMatch(/^usage-ignored s2: 599 tokens of/);
    expect(lastLines(doubting, shrunk(600, 600))).toEqual(['stop finished']);
  });

  it('is none after a pivot, which makes the session smaller', () => {
    const inputs = [
      asked('u1', 900),
      stepped('s1', USABLE + 1),
      summarised(USABLE),
      final('s2', 10),
    ];
    expect(lastLines(doubting, inputs)).toEqual(['stop finished']);
  });

  it('is none where a prune made the session smaller', () => {
    const call: LoopInput = {
      type: 'step-finished',
      message: step('s1', [tool('t1', 3_200)], { usage: usage({ input: 700 }) }),
    };
    const policy = guarded(
      { ignoreImplausibleUsage: true },
      { prune: { byAge: { protectTokens: 0, minimumTokens: 0, guardTurns: 0 } } },
    );
    const inputs = [asked('u1', 10), call, { type: 'turn-ended' } as const, asked('u2', 10)];
    expect(lastLines(policy, [...inputs, answered('s2', usage({ input: 40 }))])).toEqual([
      'stop finished',
    ]);
  });
});

/** The limits that a policy goes by after a refusal in these words. */
const limitsAfter = (guards: Partial<GuardsPolicy>, message: string, limits: Limits = LIMITS) =>
  play(
    guarded(guards, { name: 'opencode-1.2.16' }),
    [[asked('u1', 10)], [refusedWith(message)]],
    limits,
  ).state.limits;

describe('the guard that learns the window', () => {
  it.each<[string, string, number]>([
    ['a smaller window', tooLong('1000'), 1_000],
    ['no larger one', tooLong('1,101'), 1_100],
    ['thousands that are set apart', tooLong('1,000'), 1_000],
    ['no window of nothing', tooLong('0'), 1_100],
    ['nothing from words without a window', 'prompt is too long', 1_100],
  ])('learns %s', (_, message, contextTokens) => {
    expect(limitsAfter({ learnWindow: true }, message)).toEqual({ ...LIMITS, contextTokens });
    expect(limitsAfter({}, message)).toEqual(LIMITS);
  });

  it.each([
    'context limit: 19,000 + 2,000 > 1,000',
    'the maximum number of tokens allowed (1,000)',
    'maximum prompt length is 1,000',
    'maximum context length is 1,000',
    'a maximum context length of 1,000',
    'context length is only 1,000',
    'available context size (1,000',
    'exceeds the limit of 1,000',
    'a model with 1,000 maximum context length',
    'input length should be [10, 1,000]',
    'exceeded model token limit: 1,000',
    'greater than the context length (n_keep: 19,000  >=  n_ctx: 1,000',
    'greater than the context length (n_keep: 19,000>=n_ctx: 1,000',
  ])('learns it of: %s', (message) => {
    expect(limitsAfter({ learnWindow: true }, message).contextTokens).toBe(1_000);
  });

  it('learns any window where none is declared', () => {
    const learned = limitsAfter({ learnWindow: true }, tooLong('200000'), {
      ...LIMITS,
      contextTokens: 0,
    });
    expect(learned.contextTokens).toBe(200_000);
  });

  it('lets a window take the place of a cap on input', () => {
    const limits = { contextTokens: 400_000, inputTokens: 270_000 };
    expect(limitsAfter({ learnWindow: true }, tooLong('200000'), limits)).toEqual({
      contextTokens: 200_000,
    });
    expect(limitsAfter({ learnWindow: true }, tooLong('270000'), limits)).toEqual(limits);
  });
});

describe('knowsOverflow', () => {
  const late = { message: 'tokens in request more than max tokens allowed', statusCode: 400 };
  const early = { message: 'prompt is too long', statusCode: 400 };

  it.each<[string, Policy, boolean, boolean]>([
    ['by the rule of its release', policies['opencode-1.2.16'], true, false],
    ['by a later rule', policies['opencode-1.18'], true, true],
    ['not at all where its source has no rule', policies['document-002'], false, false],
    [
      'by the newest rule where it makes requests smaller',
      guarded({ shrinkSummaryRequest: true }),
      true,
      true,
    ],
    [
      'by its own rule also then',
      guarded({ shrinkSummaryRequest: true }, { name: 'opencode-1.2.16' }),
      true,
      false,
    ],
  ])('%s', (_, policy, knowsEarly, knowsLate) => {
    expect([knowsOverflow(policy, early), knowsOverflow(policy, late)]).toEqual([
      knowsEarly,
      knowsLate,
    ]);
  });
});
