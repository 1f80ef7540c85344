import { describe, expect, it } from 'vitest';
import {
  composeErrorMessage,
  createState,
  knowsOverflow,
  type Limits,
  type LoopInput,
  normaliseUsage,
  policies,
  type Policy,
  replaceEviction,
  resolvePolicy,
  restoreState,
  saveState,
  transition,
} from '../../src/engine/index.ts';
import { step, text, tool, usage, user } from '../support/history.ts';
import { testTools } from '../support/tools.ts';

const policy: Policy = policies['opencode-1.18'];
const limits: Limits = { contextTokens: 100_000, outputTokens: 8_000 };
/** What a program without types might hand over. */
const given = (value: unknown) => value as never;
const send = (input: unknown, tools: unknown = testTools()) =>
  transition(createState(policy, limits), given(input), given(tools));
const finished = (message: unknown) => ({ type: 'step-finished', message });
const used = (value: unknown) => finished({ ...step('s1'), usage: value });
const withPart = (part: unknown) => finished({ ...step('s1'), parts: [part] });
const call = tool('t1', 'out');
/** A state that was saved, with something else in it. */
const savedWith = (changes: unknown) => {
  const state = { ...createState(policy, limits), ...Object(changes) };
  return JSON.stringify({ 'compaction-bench': 'state', version: 1, state });
};

/** What a caller may get wrong: a call, and arguments for it by what they are. */
const wrongs: readonly (readonly [
  what: string,
  call: (value: unknown) => unknown,
  values: Readonly<Record<string, unknown>>,
])[] = [
  [
    'a policy of createState',
    (value) => createState(given(value), limits),
    {
      nothing: undefined,
      'the name of a preset': 'opencode-1.18',
      'half a policy': { trigger: {} },
      'sections alone': { trigger: {}, guards: {} },
      'another view': { ...policy, view: 'v9' },
    },
  ],
  [
    'limits of createState',
    (value) => createState(policy, given(value)),
    {
      nothing: undefined,
      'another name': { contextWindow: 1 },
      'a list': [100_000],
      'no number': { contextTokens: Number.NaN },
      'no end': { contextTokens: Infinity },
      'less than 0': { contextTokens: -1 },
      'a text': { contextTokens: '100000' },
      'an answer of NaN': { contextTokens: 1, outputTokens: Number.NaN },
      'a misspelt limit': { contextTokens: 1, outputToken: 1 },
    },
  ],
  [
    'options of createState',
    (value) => createState(policy, limits, given(value)),
    { 'no number': { overheadTokens: Number.NaN }, 'another name': { overheadToken: 5 }, five: 5 },
  ],
  [
    'an input',
    send,
    {
      nothing: undefined,
      'another type': { type: 'step' },
      'no message': { type: 'user-message' },
      'of another library': { type: 'user-message', message: { role: 'user', content: 'hi' } },
      'an empty id': { type: 'user-message', message: user('') },
      'an answer for a prompt': { type: 'user-message', message: step('s1') },
      'an answer to nothing': finished({ ...step('s1'), parentId: undefined }),
      'a part of another type': withPart({ type: 'tool-call', id: 'p' }),
      'a part without id': withPart({ type: 'text', text: '' }),
      'a call in another state': withPart({ ...call, state: { status: 'done' } }),
      'an output that is no text': withPart({
        ...call,
        state: { status: 'completed', output: { a: 1 } },
      }),
      'an attachment that is no file': withPart({
        ...call,
        state: { ...call.state, attachments: [{ id: 'f', url: '' }] },
      }),
      'usage of another library': used({ inputTokens: 95_000, outputTokens: 1 }),
      'usage of NaN': used(usage({ cacheRead: Number.NaN })),
      'an error that is a text': finished({ ...step('s1'), error: 'boom' }),
      'a refusal without error': { type: 'step-refused' },
      'a failure without name': { type: 'step-refused', error: {} },
      'a summary without text': { type: 'summary-finished', result: { finish: 'stop' } },
      'a pause of NaN': { type: 'idle', sinceMs: Number.NaN },
      'half of limits': { type: 'model-changed', limits: {} },
      'half of an answer': { type: 'aborted', message: {} },
      'a message for its id': { type: 'compact', revertTo: user('u1') },
      'a misspelt message': { type: 'aborted', mesage: step('s1') },
      'a long name': { type: 'x'.repeat(10_000) },
    },
  ],
  [
    'a state',
    (value) => transition(given(value), { type: 'turn-ended' }, testTools()),
    { 'an empty one': {}, nothing: undefined, 'half of one': { policy, history: [] } },
  ],
  [
    'tools',
    (value) => send({ type: 'turn-ended' }, value),
    {
      none: null,
      'no clock': { newId: () => 'x' },
      'no ids': { now: 1 },
      'a hook that nobody calls': { ...testTools(), hooks: { compactng: () => ({}) } },
    },
  ],
  [
    'answers of tools',
    (value) => {
      const { state } = send({ type: 'user-message', message: user('u1') });
      const full = { ...step('s1'), finish: 'tool-calls', usage: usage({ input: 99_000 }) };
      return transition(state, given(finished(full)), given({ ...testTools(), ...Object(value) }));
    },
    {
      'ids that are numbers': { newId: () => 5 },
      'an answer still awaited': { hooks: { compacting: async () => ({ context: ['x'] }) } },
      'one text for several': { hooks: { compacting: () => ({ context: 'x' }) } },
      'context under another name': { hooks: { compacting: () => ({ contexts: ['x'] }) } },
    },
  ],
  ['a base', (value) => resolvePolicy(given(value)), { nothing: undefined }],
  [
    'overrides',
    (value) => resolvePolicy(policy, given(value)),
    {
      null: null,
      'the name of a preset': 'opencode-1.18',
      'a misspelt setting': { trigger: { reserved: 5 } },
      'a setting in the wrong place': { protectTokens: 5 },
      'a rule that there is not': { trigger: { overflow: 'v9' } },
      'a rule of the language': { view: 'toString' },
      'a cut that there is not': { cut: { keep: 'half' } },
      'a cut without its number': { cut: { keep: 'last-turns' } },
      'a number in words': { prune: { byAge: { guardTurns: 'two' } } },
      'no number': { prune: { byAge: { protectTokens: Number.NaN } } },
      'a number below 0': { trigger: { reservedTokens: -1 } },
      'no guards': { guards: true },
      'a guard that is a number': { guards: { learnWindow: 1 } },
      'a clean-up that there is not': { prune: { cleanups: [{ pass: 'all', when: 'idle' }] } },
      'one text for a list': { prune: { byAge: { protectedTools: 'read' } } },
      'a law that there is not': { breaks: [{ law: 'x', source: '' }] },
    },
  ],
  [
    'what saveState keeps',
    (input) => {
      const part = { ...call, state: { status: 'running', input } };
      const state = createState(policy, limits);
      return saveState({ ...state, history: [given({ ...user('u1'), parts: [part] })] });
    },
    {
      'a bigint': { path: 5n },
      'a map': { path: new Map() },
      'no end': { path: Infinity },
      code: { path: () => 1 },
    },
  ],
  ['a state to save', (value) => saveState(given(value)), { 'an empty one': {} }],
  [
    'what was saved',
    (value) => restoreState(typeof value === 'string' ? value : savedWith(value)),
    {
      'no JSON': 'x',
      'other JSON': '[]',
      'a state as JSON': JSON.stringify(createState(policy, limits)),
      'a session as JSON': '{"compaction-bench":"session","version":1}',
      'a later version': '{"compaction-bench":"state","version":2,"state":{}}',
      'half a policy': { policy: { trigger: {}, guards: {} } },
      'no limits': { limits: undefined },
      'no messages': { history: 5 },
      'half a message': { history: [{ id: 'u1' }] },
      'no phase': { phase: { state: 'x' } },
      'no count': { refusals: null },
      'poor health': { health: {} },
      'a memory of nothing': { memory: {} },
      'a word in the place of a list': { baseCleared: 't1' },
    },
  ],
  [
    'arguments of normaliseUsage',
    (args) => normaliseUsage(...(args as Parameters<typeof normaliseUsage>)),
    {
      'no usage': [undefined, {}, 'v1.14.46'],
      'tokens in words': [{ inputTokens: '5' }, {}, 'v1.3.6'],
      'no provider': [{}, undefined, 'v1.3.6'],
      'another release': [{}, {}, 'v9'],
    },
  ],
  [
    'an error',
    (value) => composeErrorMessage(given(value)),
    { 'a text': 'too long', none: undefined, 'one without a message': {} },
  ],
  [
    'an error of a policy',
    (value) => knowsOverflow(policy, given(value)),
    { 'a text': 'too long', none: undefined, 'one without a message': {} },
  ],
  ['an order', (value) => replaceEviction(policy, given(value)), { misspelt: 'clairvoynt' }],
];

/** The first names of a long list, and how many there are. */
const shortened = (sentence: string) =>
  sentence.replaceAll(/('[^']+'(?:, '[^']+'){2})((?:, '[^']+')+)/g, '$1 …');

it('says in a sentence what a caller has wrong', async () => {
  const lines = wrongs.flatMap(([what, call, values]) =>
    Object.entries(values).map(([name, value]) => {
      let thrown: unknown;
      try {
        call(value);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(TypeError);
      return `${what}, ${name}: ${shortened((thrown as TypeError).message)}`;
    }),
  );
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(
    '../fixtures/snapshots/engine-caller-errors.txt',
  );
});

it('takes every preset, and limits that are unknown', () => {
  for (const preset of Object.values<Policy>(policies))
    expect(createState(preset, { contextTokens: 0 }).policy).toBe(preset);
});

describe('transition', () => {
  it('takes an error of the language for an error', () => {
    const input = { type: 'step-refused', error: new Error('prompt is too long') } as const;
    expect(send(input).events[0]).toMatchObject({ type: 'overflow', path: 'refused' });
  });

  it('takes what a release stored of odd usage: output below 0, fractions', () => {
    const input: LoopInput = {
      type: 'step-finished',
      message: { ...step('s1', [text('p', 'x')]), usage: usage({ input: 1.5, output: -3 }) },
    };
    expect(send(input).commands).toHaveLength(1);
  });
});

describe('resolvePolicy', () => {
  it('may leave out what may be absent, and be without limit', () => {
    const { memory: _, ...rest } = policy;
    const unlimited = { trigger: { outputCapTokens: Number.POSITIVE_INFINITY } };
    expect(createState(resolvePolicy(rest, unlimited), limits).policy.name).toBe(policy.name);
  });
});

describe('presets', () => {
  it('cannot be changed, neither as they are nor through what was laid over them', () => {
    const own = resolvePolicy(policy, { name: 'mine' });
    expect(() => Object.assign(policy.trigger, { auto: false })).toThrow(TypeError);
    expect(() => Object.assign(own.prune, { enabled: false })).toThrow(TypeError);
    expect(() => Object.assign(policies, { mine: own })).toThrow(TypeError);
  });
});
