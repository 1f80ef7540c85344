import { describe, expect, it } from 'vitest';
import {
  createState,
  type Limits,
  type LoopInput,
  policies,
  type Policy,
  replaceEviction,
  resolvePolicy,
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

/** An argument, and the sentence about it. */
type Wrong = readonly [name: string, value: unknown, message: string];

describe('createState', () => {
  it.each<Wrong>([
    ['no policy', undefined, 'Expected `policy` to be a policy, such as `policies['],
    [
      'the name of a preset',
      'opencode-1.18',
      "to be a policy, such as `policies['opencode-1.18']`, got 'opencode-1.18'.",
    ],
    ['half a policy', { trigger: {} }, 'Expected `policy` to be a policy'],
    ['a policy of sections alone', { trigger: {}, guards: {} }, '`policy.name` to be a text'],
    ['another view', { ...policy, view: 'v9' }, "`policy.view` to be one of 'v0.8.0', "],
  ])('takes %s for no policy', (_name, one, message) => {
    expect(() => createState(given(one), limits)).toThrow(TypeError);
    expect(() => createState(given(one), limits)).toThrow(message);
  });

  it.each<Wrong>([
    ['nothing', undefined, 'Expected `limits` to be an object, got undefined.'],
    [
      'another name',
      { contextWindow: 1 },
      'Expected `limits.contextTokens` to be a finite number of tokens, 0 or more, got undefined.',
    ],
    ['a list', [100_000], 'Expected `limits` to be an object, got a list.'],
    ['no number', { contextTokens: Number.NaN }, 'got NaN.'],
    ['no end', { contextTokens: Infinity }, 'got Infinity.'],
    ['less than 0', { contextTokens: -1 }, 'got -1.'],
    ['a text', { contextTokens: '100000' }, "got '100000'."],
    ['an answer of NaN', { contextTokens: 1, outputTokens: Number.NaN }, '`limits.outputTokens`'],
    [
      'a misspelt limit',
      { contextTokens: 1, outputToken: 1 },
      "Expected `limits` to be an object with no other fields than contextTokens, inputTokens, outputTokens, got 'outputToken'.",
    ],
  ])('takes %s for no limits', (_name, other, message) => {
    expect(() => createState(policy, given(other))).toThrow(message);
  });

  it.each<Wrong>([
    ['no number', { overheadTokens: Number.NaN }, '`options.overheadTokens` to be a finite'],
    ['another name', { overheadToken: 5 }, "than overheadTokens, got 'overheadToken'."],
    ['a number', 5, 'Expected `options` to be an object, got 5.'],
  ])('takes %s for no overhead', (_name, options, message) => {
    expect(() => createState(policy, limits, given(options))).toThrow(message);
  });

  it('takes every preset, and limits that are unknown', () => {
    for (const preset of Object.values<Policy>(policies)) {
      expect(createState(preset, { contextTokens: 0 }).policy).toBe(preset);
    }
  });
});

describe('transition', () => {
  it.each<Wrong>([
    ['no input', undefined, 'Expected `input` to be an object, got undefined.'],
    ['another type', { type: 'step' }, "Expected `input.type` to be one of 'user-message', "],
    ['no message', { type: 'user-message' }, '`input.message` to be an object, got undefined.'],
    [
      'a message of another library',
      { type: 'user-message', message: { role: 'user', content: 'hi' } },
      'Expected `input.message.id` to be a text that is not empty, got undefined.',
    ],
    ['an empty id', { type: 'user-message', message: user('') }, '`input.message.id`'],
    [
      'an answer for a prompt',
      { type: 'user-message', message: step('s1') },
      "Expected `input.message.role` to be 'user', got 'assistant'.",
    ],
    ['an answer to nothing', finished({ ...step('s1'), parentId: undefined }), '.parentId`'],
    [
      'a part of another type',
      withPart({ type: 'tool-call', id: 'p' }),
      "Expected `input.message.parts[0].type` to be one of 'text', 'reasoning'",
    ],
    ['a part without id', withPart({ type: 'text', text: '' }), '`input.message.parts[0].id`'],
    [
      'a call in another state',
      withPart({ ...call, state: { status: 'done' } }),
      "`input.message.parts[0].state.status` to be one of 'pending', 'running', 'completed', 'error', got 'done'.",
    ],
    [
      'an output that is no text',
      withPart({ ...call, state: { status: 'completed', output: { a: 1 } } }),
      'Expected `input.message.parts[0].state.output` to be a text, got an object.',
    ],
    [
      'an attachment that is no file',
      withPart({ ...call, state: { ...call.state, attachments: [{ id: 'f', url: '' }] } }),
      '`input.message.parts[0].state.attachments[0].mime`',
    ],
    [
      'usage of another library',
      used({ inputTokens: 95_000, outputTokens: 1 }),
      'Expected `input.message.usage.input` to be a finite number of tokens, got undefined.',
    ],
    ['usage of NaN', used(usage({ cacheRead: Number.NaN })), '`input.message.usage.cacheRead`'],
    [
      'an error that is a text',
      finished({ ...step('s1'), error: 'boom' }),
      "Expected `input.message.error` to be an object, got 'boom'.",
    ],
    ['a refusal without error', { type: 'step-refused' }, 'Expected `input.error` to be an object'],
    ['a failure that has no name', { type: 'step-refused', error: {} }, '`input.error.name`'],
    [
      'a summary without text',
      { type: 'summary-finished', result: { finish: 'stop' } },
      'Expected `input.result.text` to be a text, got undefined.',
    ],
    ['a pause of NaN', { type: 'idle', sinceMs: Number.NaN }, '`input.sinceMs` to be a finite'],
    ['half of limits', { type: 'model-changed', limits: {} }, '`input.limits.contextTokens`'],
    ['half of an answer', { type: 'aborted', message: {} }, '`input.message.role`'],
    ['a message for its id', { type: 'compact', revertTo: user('u1') }, '`input.revertTo`'],
    [
      'a misspelt message of a step that was cut off',
      { type: 'aborted', mesage: step('s1') },
      "Expected `input` to be an object with no other fields than type, message, got 'mesage'.",
    ],
    ['a long name that is none', { type: 'x'.repeat(10_000) }, `got '${'x'.repeat(80)}…'.`],
  ])('takes no %s', (_name, input, message) => {
    expect(() => send(input)).toThrow(TypeError);
    expect(() => send(input)).toThrow(message);
  });

  it.each([{}, undefined, { policy, history: [] }])('takes no %j for a state', (state) => {
    const input = { type: 'turn-ended' } as const;
    expect(() => transition(given(state), input, testTools())).toThrow('Expected `state');
  });

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

describe('tools', () => {
  it.each<Wrong>([
    ['no tools', null, 'Expected `tools` to be an object, got null.'],
    ['no clock', { newId: () => 'x' }, '`tools.now` to be a finite number, got undefined.'],
    ['no ids', { now: 1 }, 'Expected `tools.newId` to be a function, got undefined.'],
    [
      'a hook that nobody calls',
      { ...testTools(), hooks: { compactng: () => ({}) } },
      "than compacting, autoContinue, got 'compactng'.",
    ],
  ])('are not %s', (_name, tools, message) => {
    expect(() => send({ type: 'turn-ended' }, tools)).toThrow(message);
  });

  it.each<Wrong>([
    ['ids that are numbers', { newId: () => 5 }, 'Expected `tools.newId()` to be a text'],
    [
      'an answer that is still awaited',
      { hooks: { compacting: async () => ({ context: ['x'] }) } },
      'Expected `tools.hooks.compacting()` to be no promise',
    ],
    [
      'one text for several',
      { hooks: { compacting: () => ({ context: 'x' }) } },
      'Expected `tools.hooks.compacting().context` to be a list',
    ],
    [
      'context under another name',
      { hooks: { compacting: () => ({ contexts: ['x'] }) } },
      "than context, prompt, got 'contexts'.",
    ],
  ])('give no %s', (_name, tools, message) => {
    const { state } = send({ type: 'user-message', message: user('u1') });
    const full = { ...step('s1'), finish: 'tool-calls', usage: usage({ input: 99_000 }) };
    const all = given({ ...testTools(), ...(tools as object) });
    expect(() => transition(state, given(finished(full)), all)).toThrow(message);
  });
});

describe('resolvePolicy', () => {
  it('takes no base that is no policy', () => {
    expect(() => resolvePolicy(given(undefined))).toThrow('Expected `base` to be a policy');
  });

  it.each<Wrong>([
    ['null', null, 'Expected `overrides` to be an object, got null.'],
    ['the name of a preset', 'opencode-1.18', 'Expected `overrides` to be an object'],
    [
      'a misspelt setting',
      { trigger: { reserved: 5 } },
      'Expected `overrides.trigger` to be an object with no other fields than auto, overflow, ',
    ],
    ['a setting in the wrong place', { protectTokens: 5 }, "got 'protectTokens'."],
    ['a rule that there is not', { trigger: { overflow: 'v9' } }, "to be one of 'v0.7', "],
    ['a rule of the language', { view: 'toString' }, '`overrides.view` to be one of'],
    [
      'a cut that there is not',
      { cut: { keep: 'half' } },
      "to be one of 'nothing', 'everything', ",
    ],
    [
      'a cut without its number',
      { cut: { keep: 'last-turns' } },
      'Expected `overrides.cut.count` to be a number, 0 or more, got undefined.',
    ],
    ['a number in words', { prune: { byAge: { guardTurns: 'two' } } }, "got 'two'."],
    ['no number', { prune: { byAge: { protectTokens: Number.NaN } } }, 'got NaN.'],
    ['a number below 0', { trigger: { reservedTokens: -1 } }, 'got -1.'],
    ['no guards', { guards: true }, 'Expected `overrides.guards` to be an object, got true.'],
    ['a guard that is a number', { guards: { learnWindow: 1 } }, 'to be true or false, got 1.'],
    [
      'a clean-up that there is not',
      { prune: { cleanups: [{ pass: 'all', when: 'idle' }] } },
      '`overrides.prune.cleanups[0].pass` to be one of',
    ],
    ['one text for a list', { prune: { byAge: { protectedTools: 'read' } } }, 'to be a list'],
    [
      'a law that there is not',
      { breaks: [{ law: 'x', source: '' }] },
      '`overrides.breaks[0].law`',
    ],
  ])('lays nothing over a policy that is %s', (_name, overrides, message) => {
    expect(() => resolvePolicy(policy, given(overrides))).toThrow(TypeError);
    expect(() => resolvePolicy(policy, given(overrides))).toThrow(message);
  });

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

describe('replaceEviction', () => {
  it('takes no order that there is not', () => {
    expect(() => replaceEviction(policy, given('clairvoynt'))).toThrow(
      /^Expected `evicts` to be one of .*'clairvoyant'.*, got 'clairvoynt'\.$/,
    );
  });
});
