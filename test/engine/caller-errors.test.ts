import { describe, expect, it } from 'vitest';
import {
  createState,
  type Limits,
  type LoopInput,
  type Policy,
  policies,
  replaceEviction,
  resolvePolicy,
  transition,
} from '../../src/engine/index.ts';
import { step, text, tool, usage, user } from '../support/history.ts';
import { testTools } from '../support/tools.ts';

const policy = policies['opencode-1.18'];
const limits: Limits = { contextTokens: 100_000, outputTokens: 8_000 };
/** What a program without types might hand over. */
const given = (value: unknown) => value as never;
const send = (input: unknown, tools: unknown = testTools()) =>
  transition(createState(policy, limits), given(input), given(tools));
const finished = (message: unknown) => ({ type: 'step-finished', message });
const used = (value: unknown) => finished({ ...step('s1'), usage: value });
const withPart = (part: unknown) => finished({ ...step('s1'), parts: [part] });
const call = tool('t1', 'out');

describe('createState', () => {
  it.each<[string, unknown, unknown, string]>([
    ['no policy', undefined, limits, 'Expected `policy` to be a policy, such as `policies['],
    [
      'the name of a preset',
      'opencode-1.18',
      limits,
      "to be a policy, such as `policies['opencode-1.18']`, got 'opencode-1.18'.",
    ],
    ['half a policy', { trigger: {} }, limits, 'Expected `policy` to be a policy'],
    ['no limits', policy, undefined, 'Expected `limits` to be an object, got undefined.'],
    [
      'limits of another name',
      policy,
      { contextWindow: 1 },
      'Expected `limits.contextTokens` to be a finite number of tokens, 0 or more, got undefined.',
    ],
    ['list of limits', policy, [100_000], 'Expected `limits` to be an object, got a list.'],
    ['limits that are no number', policy, { contextTokens: Number.NaN }, 'got NaN.'],
    ['limits without end', policy, { contextTokens: Infinity }, 'got Infinity.'],
    ['limits below 0', policy, { contextTokens: -1 }, 'got -1.'],
    ['a text', policy, { contextTokens: '100000' }, "got '100000'."],
    [
      'an answer of NaN',
      policy,
      { contextTokens: 1, outputTokens: Number.NaN },
      '`limits.outputTokens`',
    ],
    [
      'an input of NaN',
      policy,
      { contextTokens: 1, inputTokens: Number.NaN },
      '`limits.inputTokens`',
    ],
    [
      'a misspelt limit',
      policy,
      { contextTokens: 1, outputToken: 1 },
      "Expected `limits` to be an object with no other fields than contextTokens, inputTokens, outputTokens, got 'outputToken'.",
    ],
  ])('takes no %s', (_name, one, other, message) => {
    expect(() => createState(given(one), given(other))).toThrow(TypeError);
    expect(() => createState(given(one), given(other))).toThrow(message);
  });

  it.each<[string, unknown, string]>([
    [
      'that is no number',
      { overheadTokens: Number.NaN },
      '`options.overheadTokens` to be a finite',
    ],
    ['under another name', { overheadToken: 5 }, "than overheadTokens, got 'overheadToken'."],
    ['on its own', 5, 'Expected `options` to be an object, got 5.'],
  ])('takes no overhead %s', (_name, options, message) => {
    expect(() => createState(policy, limits, given(options))).toThrow(message);
  });

  it('takes every preset, and limits that are unknown', () => {
    for (const preset of Object.values<Policy>(policies)) {
      expect(createState(preset, { contextTokens: 0 }).policy).toBe(preset);
    }
  });
});

describe('transition', () => {
  it.each<[string, unknown, string]>([
    ['no input', undefined, 'Expected `input` to be an object, got undefined.'],
    [
      'another type',
      { type: 'step' },
      "Expected `input.type` to be one of 'user-message', 'step-finished'",
    ],
    ['a bare message', user('u1'), 'Expected `input.type` to be one of'],
    [
      'no message',
      { type: 'user-message' },
      'Expected `input.message` to be an object, got undefined.',
    ],
    [
      'a message of another library',
      { type: 'user-message', message: { role: 'user', content: 'hi' } },
      'Expected `input.message.id` to be a text that is not empty, got undefined.',
    ],
    ['an empty id', { type: 'user-message', message: user('') }, '`input.message.id`'],
    [
      'a time that is a text',
      { type: 'user-message', message: { ...user('u1'), createdAt: 'now' } },
      "Expected `input.message.createdAt` to be a finite number, got 'now'.",
    ],
    [
      'no parts',
      { type: 'user-message', message: { ...user('u1'), parts: undefined } },
      'Expected `input.message.parts` to be a list, got undefined.',
    ],
    [
      'an answer for a prompt',
      { type: 'user-message', message: step('s1') },
      "Expected `input.message.role` to be 'user', got 'assistant'.",
    ],
    [
      'a prompt for an answer',
      finished(user('u1')),
      "Expected `input.message.role` to be 'assistant', got 'user'.",
    ],
    [
      'an answer to nothing',
      finished({ ...step('s1'), parentId: undefined }),
      '`input.message.parentId`',
    ],
    [
      'a part of another type',
      withPart({ type: 'tool-call', id: 'p' }),
      "Expected `input.message.parts[0].type` to be one of 'text', 'reasoning'",
    ],
    ['a part without id', withPart({ type: 'text', text: '' }), '`input.message.parts[0].id`'],
    [
      'a part without text',
      withPart({ type: 'text', id: 'p' }),
      'Expected `input.message.parts[0].text` to be a text, got undefined.',
    ],
    [
      'a call without id',
      withPart({ ...call, callId: undefined }),
      '`input.message.parts[0].callId`',
    ],
    ['a call of no tool', withPart({ ...call, tool: undefined }), '`input.message.parts[0].tool`'],
    [
      'a call in no state',
      withPart({ ...call, state: undefined }),
      '`input.message.parts[0].state`',
    ],
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
      'an error that is no text',
      withPart({ ...call, state: { status: 'error', error: 1 } }),
      '`input.message.parts[0].state.error`',
    ],
    [
      'usage of another library',
      used({ inputTokens: 95_000, outputTokens: 1 }),
      'Expected `input.message.usage.input` to be a finite number of tokens, got undefined.',
    ],
    [
      'usage of NaN',
      used(usage({ cacheRead: Number.NaN })),
      '`input.message.usage.cacheRead` to be a finite number of tokens, got NaN.',
    ],
    ['usage in texts', used({ ...usage({}), input: '95000' }), "got '95000'."],
    ['usage without end', used(usage({ output: Infinity })), 'got Infinity.'],
    ['a total of NaN', used({ ...usage({}), total: Number.NaN }), '`input.message.usage.total`'],
    ['a refusal without error', { type: 'step-refused' }, 'Expected `input.error` to be an object'],
    ['a failure without error', { type: 'summary-failed', isOverflow: false }, '`input.error`'],
    [
      'an error without message',
      { type: 'step-refused', error: { name: 'E' } },
      '`input.error.message`',
    ],
    [
      'a summary in no result',
      { type: 'summary-finished', text: 'x' },
      'Expected `input.result` to be an object',
    ],
    [
      'a summary without text',
      { type: 'summary-finished', result: { finish: 'stop' } },
      'Expected `input.result.text` to be a text, got undefined.',
    ],
    [
      'a pause of NaN',
      { type: 'idle', sinceMs: Number.NaN },
      'Expected `input.sinceMs` to be a finite number, got NaN.',
    ],
    ['no limits', { type: 'model-changed' }, 'Expected `input.limits` to be an object'],
    ['half of an answer', { type: 'aborted', message: {} }, '`input.message.id`'],
    ['an end that is a number', finished({ ...step('s1'), finish: 1 }), '`input.message.finish`'],
    [
      'an error that is a text',
      finished({ ...step('s1'), error: 'boom' }),
      "Expected `input.message.error` to be an object, got 'boom'.",
    ],
    [
      'a file without address',
      withPart({ type: 'file', id: 'f', mime: 'image/png' }),
      'Expected `input.message.parts[0].url` to be a text, got undefined.',
    ],
    ['a file of no kind', withPart({ type: 'file', id: 'f', url: '' }), 'parts[0].mime`'],
    ['a task without prompt', withPart({ type: 'subtask', id: 'p' }), 'parts[0].prompt`'],
    ['a marker of nobody', withPart({ type: 'compaction', id: 'p' }), 'parts[0].auto`'],
    [
      'an attachment that is no file',
      withPart({ ...call, state: { ...call.state, attachments: [{ id: 'f', url: '' }] } }),
      '`input.message.parts[0].state.attachments[0].mime`',
    ],
    [
      'a failure that does not tell its kind',
      { type: 'summary-failed', error: { name: 'E', message: '' } },
      'Expected `input.isOverflow` to be true or false, got undefined.',
    ],
    [
      'an error without name',
      { type: 'step-refused', error: { message: '' } },
      '`input.error.name`',
    ],
    [
      'a summary without end',
      { type: 'summary-finished', result: { text: 'x' } },
      'Expected `input.result.finish` to be a text, got undefined.',
    ],
    ['a message for its id', { type: 'compact', revertTo: user('u1') }, '`input.revertTo`'],
    [
      'a misspelt message of a step that was cut off',
      { type: 'aborted', mesage: step('s1') },
      "Expected `input` to be an object with no other fields than type, message, got 'mesage'.",
    ],
  ])('takes no %s', (_name, input, message) => {
    expect(() => send(input)).toThrow(TypeError);
    expect(() => send(input)).toThrow(message);
  });

  it('takes an error of the language for an error', () => {
    const input = { type: 'step-refused', error: new Error('prompt is too long') } as const;
    expect(send(input).events[0]).toMatchObject({ type: 'overflow', path: 'refused' });
  });

  it('repeats of a long text only its beginning', () => {
    const long = { type: 'x'.repeat(10_000) };
    expect(() => send(long)).toThrow(/got 'x{80}…'\.$/);
  });

  it('takes what a release stored of odd usage: output below 0, fractions', () => {
    const input: LoopInput = {
      type: 'step-finished',
      message: { ...step('s1', [text('p', 'x')]), usage: usage({ input: 1.5, output: -3 }) },
    };
    expect(send(input).commands).toHaveLength(1);
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

describe('resolvePolicy', () => {
  it('takes no base that is no policy', () => {
    expect(() => resolvePolicy(given(undefined))).toThrow('Expected `base` to be a policy');
  });
});
