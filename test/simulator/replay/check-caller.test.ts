import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import { collectRun, runTrace } from '../../../src/simulator/replay/run-trace.ts';
import type { Session } from '../../../src/simulator/session/session.ts';
import { ask, call, chat, countTokens, fixed, modelOf, traceOf } from './lab.ts';

/** What a program without types might hand over. */
const given = (value: unknown) => value as never;
const counted = { tokenizer: 'lab', tokenizerEvidence: 'measured', count: countTokens } as const;
const session: Session = {
  name: 'own',
  format: 'mine',
  isSide: false,
  isPartial: false,
  messages: [ask('u1', 10), call('s1', 10)],
  recordedCompactions: [],
  isOutputFinal: false,
  report: { dropped: {}, repaired: {} },
};
const options = {
  policy: policies['opencode-1.2.16'],
  model: modelOf(),
  summarizer: fixed,
  seed: 1,
};

describe('compileSession', () => {
  it.each<[string, unknown, string]>([
    ['no session', undefined, 'Expected `session.messages` to be a list, got nothing.'],
    ['messages', session.messages, 'Expected `session.messages` to be a list'],
    ['a session without compactions', { ...session, recordedCompactions: undefined }, '`session.r'],
    [
      'a message of another library',
      { ...session, messages: [{ role: 'system', content: 'x' }] },
      "Expected `session.messages[0].role` to be one of 'user', 'assistant', got 'system'.",
    ],
    [
      'a step without parts',
      { ...session, messages: [ask('u1', 1), { ...call('s1', 1), parts: undefined }] },
      'Expected `session.messages[1].parts` to be a list, got undefined.',
    ],
    [
      'a step that opens the session',
      { ...session, messages: [call('s1', 10)] },
      "Expected `session.messages[0].role` to be 'user', got 'assistant'.",
    ],
  ])('takes no %s', (_name, one, message) => {
    expect(() => compileSession(given(one), counted)).toThrow(TypeError);
    expect(() => compileSession(given(one), counted)).toThrow(message);
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, '`options.tokenizer`'],
    ['a tokenizer for its name', { ...counted, tokenizer: {} }, '`options.tokenizer` to be a text'],
    ['no counter', { ...counted, count: 'o200k_base' }, '`options.count` to be a function'],
    ['an overhead of NaN', { ...counted, overheadTokens: Number.NaN }, 'got NaN.'],
  ])('counts with no %s', (_name, one, message) => {
    expect(() => compileSession(session, given(one))).toThrow(message);
  });

  it('takes a session without messages', () => {
    expect(compileSession({ ...session, messages: [] }, counted).turns).toEqual([]);
  });
});

describe('runTrace', () => {
  it.each<[string, object, string]>([
    ['the name of a policy', { policy: 'none' }, 'Expected `options.policy` to be a policy'],
    ['half a policy', { policy: { name: 'x' } }, '`options.policy` to be a policy'],
    ['the name of a model', { model: 'openai/gpt-4o' }, "such as `findModel` gives, got 'openai/"],
    [
      'a model of NaN',
      { model: modelOf({}, { limits: { contextTokens: Number.NaN } }) },
      'got NaN.',
    ],
    ['the name of a summarizer', { summarizer: 'extractive' }, '`options.summarizer` to be one'],
    ['a summarizer that does nothing', { summarizer: { name: 'x' } }, '`options.summarizer` to be'],
    ['no seed', { seed: undefined }, 'Expected `options.seed` to be a whole number, got nothing.'],
    ['half a seed', { seed: 0.5 }, 'got 0.5.'],
    ['another mode', { mode: 'closed' }, "'open-loop' or 'closed-loop', got 'closed'."],
    [
      'a summarizer that waits',
      { summarizer: { ...fixed, isAsync: true } },
      '`runTraceAsync` waits',
    ],
  ])('takes no %s', (_name, changes, message) => {
    const all = given({ ...options, ...changes });
    expect(() => [...runTrace(traceOf(session.messages), all)]).toThrow(TypeError);
    expect(() => [...runTrace(traceOf(session.messages), all)]).toThrow(message);
  });

  it('takes no session for a trace', () => {
    expect(() => [...runTrace(given(session), options)]).toThrow('what `compileSession` gives');
  });

  it.each<[string, unknown, string]>([
    ['a text', 'short', "Expected `answer.state` of the summarizer to be 'finished' or 'failed'"],
    ['a promise', Promise.resolve({}), '`answer.state`'],
    ['no text', { state: 'finished', finish: 'stop' }, 'Expected `answer.text` to be a text'],
    ['no end', { state: 'finished', text: 'x' }, '`answer.finish` to be a text, got nothing.'],
    ['no reason', { state: 'failed', isOverflow: false }, '`answer.reason` to be a text'],
    ['no kind of failure', { state: 'failed', reason: 'x' }, '`answer.isOverflow`'],
    [
      'half a usage',
      { state: 'finished', text: 'x', finish: 'stop', call: { usage: { input: 4 } } },
      'Expected `answer.call.usage.output` to be a finite number of tokens',
    ],
  ])('takes no answer that is %s', (_name, answer, message) => {
    const summarizer = { name: 'own', summarise: () => given(answer) };
    const trace = traceOf(chat(3, 4_600));
    expect(() => collectRun(trace, { ...options, summarizer })).toThrow(message);
  });
});
