import { describe, expect, it } from 'vitest';
import { policies } from '../../../src/engine/index.ts';
import { createEnv } from '../../../src/simulator/env.ts';
import { compileSession } from '../../../src/simulator/replay/compile.ts';
import { runForeign } from '../../../src/simulator/replay/foreign/run-foreign.ts';
import { collectRun, runTrace } from '../../../src/simulator/replay/run-trace.ts';
import { sessionOf } from '../session/statistics/session.ts';
import { ask, call, chat, countTokens, fixed, modelOf, traceOf } from './lab.ts';

/** What a program without types might hand over. */
const given = (value: unknown) => value as never;
const counted = { tokenizer: 'lab', tokenizerEvidence: 'measured', count: countTokens } as const;
const session = sessionOf([ask('u1', 10), call('s1', 10)], { isOutputFinal: false });
const options = {
  policy: policies['opencode-1.2.16'],
  model: modelOf(),
  summarizer: fixed,
  seed: 1,
};

describe('compileSession', () => {
  it.each<[string, unknown, string]>([
    ['no session', undefined, 'Expected `session` to be an object, got undefined.'],
    ['messages', session.messages, 'Expected `session` to be an object, got a list.'],
    ['a session without compactions', { ...session, recordedCompactions: undefined }, '`session.r'],
    [
      'a message of another library',
      { ...session, messages: [ask('u1', 1), { role: 'system', content: 'x' }] },
      "Expected `session.messages[1].role` to be one of 'user', 'assistant', got 'system'.",
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
    ['nothing', undefined, 'Expected `options` to be an object, got undefined.'],
    ['a tokenizer for its name', { ...counted, tokenizer: {} }, '`options.tokenizer` to be a text'],
    ['no counter', { ...counted, count: 'o200k_base' }, '`options.count` to be a function'],
    ['a counter that waits', { ...counted, count: async () => 1 }, '`options.count()` to be a'],
    ['a counter of NaN', { ...counted, count: () => Number.NaN }, '`options.count()` to be a'],
    [
      'a counter of no kind',
      { ...counted, tokenizerEvidence: true },
      '`options.tokenizerEvidence`',
    ],
    ['an overhead of NaN', { ...counted, overheadTokens: Number.NaN }, 'got NaN.'],
    ['half a scale', { ...counted, scale: { factor: 2 } }, '`options.scale.perMessageTokens`'],
    [
      'a scale of nothing',
      { ...counted, scale: { factor: 0, perMessageTokens: 0 } },
      '`options.scale.factor` to be a finite number above 0, got 0.',
    ],
    ['a misspelt overhead', { ...counted, overheadToken: 5 }, "got 'overheadToken'."],
  ])('counts with no %s', (_name, one, message) => {
    expect(() => compileSession(session, given(one))).toThrow(message);
  });

  it('takes a session without messages', () => {
    expect(compileSession({ ...session, messages: [] }, counted).turns).toEqual([]);
  });
});

describe('runTrace', () => {
  const step = { on: 'step', step: 3, times: 1 };
  it.each<[object, string]>([
    [{ policy: 'none' }, 'Expected `options.policy` to be a policy'],
    [{ policy: { name: 'x' } }, '`options.policy` to be a policy'],
    [{ model: 'openai/gpt-4o' }, "such as `findModel` gives, got 'openai/"],
    [{ model: { ...modelOf(), limits: { contextTokens: Number.NaN } } }, 'got NaN.'],
    [
      { model: { ...modelOf(), prices: { input: 3, output: 15 } } },
      'Expected `options.model.prices.inputPicoUsd` to be a whole number, 0 or more, got undefined.',
    ],
    [{ model: { ...modelOf(), behaviour: {} } }, 'options.model.behaviour.dialect` to be one of'],
    [{ summaryModel: 'openai/gpt-4o' }, '`options.summaryModel` to be a'],
    [{ summarizer: 'lead' }, '`options.summarizer` to be a summarizer'],
    [{ summarizer: { name: 'x' } }, '`options.summarizer` to be'],
    [{ seed: undefined }, 'Expected `options.seed` to be a whole number, got undefined.'],
    [{ seed: 0.5 }, 'got 0.5.'],
    [{ mode: 'closed' }, "'open-loop', 'closed-loop', got 'closed'."],
    [{ polcy: policies.none }, "isBlind, onTransition, signal, repeat, got 'p"],
    [{ maxSteps: Number.NaN }, '`options.maxSteps` to be a whole number'],
    [{ faults: { on: 'compact', step: 3 } }, '`options.faults` to be a list'],
    [{ faults: [{ on: 'stp', step: 3 }] }, '`options.faults[0].on` to be a kind'],
    [
      { faults: [{ on: 'step', step: 3, failure: { type: 'fail' } }] },
      'Expected `options.faults[0].times` to be a whole number from 1 on, got undefined.',
    ],
    [
      { faults: [{ ...step, failure: { type: 'overflw' } }] },
      "`options.faults[0].failure.type` to be a kind that there is, got 'overflw'.",
    ],
    [
      { faults: [{ ...step, failure: { type: 'rate-limit', afterMs: 5 } }] },
      "`options.faults[0].failure` to be an object without other fields, got 'afterMs'.",
    ],
    [{ findModel: {} }, 'Expected `options.findModel` to be a function'],
    [{ isBlind: 'yes' }, '`options.isBlind` to be true or false'],
    [{ onTransition: [] }, '`options.onTransition` to be a function'],
    [{ signal: 'stop' }, 'to be the signal of an `AbortController`, got'],
    [{ repeat: 0.5 }, '`options.repeat` to be a whole number'],
    [{ summarizer: { ...fixed, isAsync: true } }, '`runTraceAsync` waits'],
  ])('takes no %o', (changes, message) => {
    const all = given({ ...options, ...changes });
    expect(() => [...runTrace(traceOf(session.messages), all)]).toThrow(TypeError);
    expect(() => [...runTrace(traceOf(session.messages), all)]).toThrow(message);
  });

  it('takes no session for a trace', () => {
    const copied: unknown = JSON.parse(JSON.stringify(traceOf(session.messages)));
    for (const one of [session, copied])
      expect(() => [...runTrace(given(one), options)]).toThrow('what `compileSession` gives');
  });

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'to be an object, got undefined.'],
    ['a text', 'short', "Expected `summarizer.summarise()` to be an object, got 'short'."],
    ['a promise', Promise.resolve({}), ' to be no promise unless `isAsync` is true.'],
    ['no text', { state: 'finished', finish: 'stop' }, '.text` to be a text'],
    ['no end', { state: 'finished', text: 'x' }, '.finish` to be a text, got undefined.'],
    ['no reason', { state: 'failed', isOverflow: false }, '.reason` to be a text'],
    ['no kind of failure', { state: 'failed', reason: 'x' }, '.isOverflow` to be true or false'],
    [
      'no time',
      { state: 'finished', text: 'x', finish: 'stop', call: { latencyMs: Number.NaN } },
      '.call.latencyMs` to be a finite number, got NaN.',
    ],
    [
      'half a usage',
      { state: 'finished', text: 'x', finish: 'stop', call: { usage: { input: 4 } } },
      '.call.usage.output` to be a finite number of tokens',
    ],
  ])('takes no answer that is %s', (_name, answer, message) => {
    const summarizer = { name: 'own', summarise: () => given(answer) };
    const trace = traceOf(chat(3, 4_600));
    expect(() => collectRun(trace, { ...options, summarizer })).toThrow(message);
  });
});

describe('runForeign', () => {
  const { model, seed } = options;
  const own = { compactor: () => [], name: 'own', model, seed, env: createEnv(seed) };

  it.each<[string, unknown, string]>([
    ['options', undefined, 'Expected `options` to be an object, got undefined.'],
    ['function', { ...own, compactor: [] }, 'Expected `options.compactor` to be a function'],
    ['name', { ...own, name: undefined }, 'Expected `options.name` to be a text, got undefined.'],
    ['environment', { ...own, env: undefined }, '`options.env` to be what `createEnv` gives'],
    ['an option that there is', { ...own, onMessage: () => {} }, "onMessages, got 'onMessage'."],
  ])('takes no run without %s', async (_name, all, message) => {
    const events = runForeign(traceOf(session.messages), given(all));
    await expect(events.next()).rejects.toThrow(message);
  });
});
