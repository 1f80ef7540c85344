import { describe, expect, it } from 'vitest';
import { problemsOf } from './sample-scenario.ts';

describe('a scenario that is not one', () => {
  it.each<[Record<string, string | undefined>, string]>([
    [
      { why: undefined },
      '1:1: Expected why to be a sentence of at least 10 characters, got nothing.',
    ],
    [
      { why: 'short' },
      "1:6: Expected why to be a sentence of at least 10 characters, got 'short'.",
    ],
    [{ why: '3' }, '1:6: Expected why to be a sentence of at least 10 characters, got 3.'],
    [
      { polcy: 'none' },
      "7:1: Unknown key 'polcy' in the file. Nearest: policy, also, model. Expected one of: why, source, name, session, model, summaryModel, policy, summarizer, seed, faults, expect, also.",
    ],
    [
      { __proto__x: '1' },
      "7:1: Unknown key '__proto__x' in the file. Nearest: expect, policy, also. Expected one of: why, source, name, session, model, summaryModel, policy, summarizer, seed, faults, expect, also.",
    ],
    [
      { '"__proto__"': '1' },
      "7:1: Unknown key '__proto__' in the file. Nearest: expect, policy, also. Expected one of: why, source, name, session, model, summaryModel, policy, summarizer, seed, faults, expect, also.",
    ],
    [
      { source: 'users-and-failures A1' },
      "2:9: Expected source to be a thread as OWNER/REPO#NUMBER, or a list of sources with one, got 'users-and-failures A1'.",
    ],
    [
      { source: '[a, b]' },
      '2:9: Expected source to be a thread as OWNER/REPO#NUMBER, or a list of sources with one, got a list.',
    ],
    [
      { source: '3' },
      '2:9: Expected source to be a thread as OWNER/REPO#NUMBER, or a list of sources with one, got 3.',
    ],
    [
      { policy: 'opencode-1.8' },
      "5:9: Expected policy to be a policy (nearest: opencode-0.8, …), got 'opencode-1.8'.",
    ],
    [
      { policy: '{ preset: opencode-1.8 }' },
      "5:19: Expected policy.preset to be a policy (nearest: opencode-0.8, …), got 'opencode-1.8'.",
    ],
    [
      { policy: '{ set: { guards: true } }' },
      '5:9: Expected policy.preset to be a policy, got nothing.',
    ],
    [
      { policy: '{ preset: none, set: { reservd: 1 } }' },
      "5:32: Unknown key 'reservd' in policy.set. Nearest: reserved, … (of …).",
    ],
    [
      { policy: '{ preset: none, set: { reserved: yes } }' },
      "5:42: Expected policy.set.reserved to be a whole number of tokens, such as 2000 or 28k, got 'yes'.",
    ],
    [
      { policy: '{ preset: none, set: { guards: 1 } }' },
      '5:40: Expected policy.set.guards to be true or false, got 1.',
    ],
    [
      { policy: '{ preset: none, set: { guardTurns: 1k } }' },
      "5:44: Expected policy.set.guardTurns to be a whole number from 0, got '1k'.",
    ],
    [
      { policy: '{ preset: none, set: { contextTokens: 1 } }' },
      "5:32: Unknown key 'contextTokens' in policy.set. Nearest: keepTokens, … (of …).",
    ],
    [{ policy: '3' }, '5:9: Expected policy to be a policy, or a map with preset and set, got 3.'],
    [{ model: 'gpt-4o' }, "4:8: Expected model to be a model as PROVIDER/MODEL, got 'gpt-4o'."],
    [
      { model: '{ id: local/x, contextTokens: 1e400 }' },
      '4:38: Expected model.contextTokens to be a whole number of tokens, such as 2000 or 28k, got Infinity.',
    ],
    [
      { model: '{ contextTokens: 1 }' },
      '4:8: Expected model.id to be a model as PROVIDER/MODEL, got nothing.',
    ],
    [
      { model: '{ id: a/b, contxtTokens: 1 }' },
      "4:19: Unknown key 'contxtTokens' in model. Nearest: contextTokens, … (of …).",
    ],
    [
      { model: '{ id: a/b, contextTokens: -1 }' },
      '4:34: Expected model.contextTokens to be a whole number of tokens, such as 2000 or 28k, got -1.',
    ],
    [
      { model: '{ id: a/b, contextTokens: 1.5 }' },
      '4:34: Expected model.contextTokens to be a whole number of tokens, such as 2000 or 28k, got 1.5.',
    ],
    [
      { model: '{ id: a/b, cacheTtl: 5 }' },
      '4:29: Expected model.cacheTtl to be a duration, such as 500ms, 30s, 10m or 2h, got 5.',
    ],
    [
      { model: '{ id: a/b, checks: pairs }' },
      "4:27: Expected model.checks to be a list of checks, got 'pairs'.",
    ],
    [
      { model: '{ id: a/b, prices: { input: -1, output: 1 } }' },
      '4:36: Expected model.prices.input to be a price of at least 0 dollars, got -1.',
    ],
    [
      { model: '{ id: a/b, prices: { input: 1 } }' },
      '4:27: Expected model.prices.output to be a price in dollars, got nothing.',
    ],
    [{ seed: '-1' }, '7:7: Expected seed to be a whole number from 0, got -1.'],
    [
      { name: '"  "' },
      "7:7: Expected name to be a name of up to 60 characters on one line, got '  '.",
    ],
    [{ summarizer: '3' }, '7:13: Expected summarizer to be a text, got 3.'],
    [
      { model: '&m { id: a/b, x: 1 }', summaryModel: '*m' },
      "4:22: Unknown key 'x' in model. Nearest: contextTokens, … (of …).\n4:22: Unknown key 'x' in summaryModel. Nearest: contextTokens, … (of …).",
    ],
    [
      { why: '"\\u001b[31m a long text with a bad escape"', seed: '"\\u001b[31m"' },
      "7:7: Expected seed to be a whole number from 0, got '\\u001b[31m'.",
    ],
  ])('with %o is refused: %s', (keys, problems) => {
    expect(problemsOf(keys)).toBe(problems);
  });
});

describe('faults that are none', () => {
  it.each([
    [
      '[{ fail: true }]',
      '7:10: Expected faults[0] to be a fault with one of step, summary, got fail.',
    ],
    [
      '[{ step: 1, summary: 1, fail: true }]',
      '7:10: Expected faults[0] to be a fault with one of step, summary, got step and summary and fail.',
    ],
    [
      '[{ step: 1 }]',
      '7:10: Expected faults[0] to be a fault with one of fail, timeOut, rateLimit, overflow, abortAfter, usageTimes, compact, model, got step.',
    ],
    [
      '[{ step: 1, fail: true, timeOut: 3s }]',
      '7:10: Expected faults[0] to be a fault with one of fail, timeOut, rateLimit, overflow, abortAfter, usageTimes, compact, model, got step and fail and timeOut.',
    ],
    [
      '[{ step: 1, message: a }]',
      '7:10: Expected faults[0] to be a fault with one of fail, timeOut, rateLimit, overflow, abortAfter, usageTimes, compact, model, got step and message.',
    ],
    [
      '[{ summary: 1, usageTimes: 2 }]',
      '7:10: Expected faults[0] to be a fault with one of fail, timeOut, rateLimit, overflow, abortAfter, message, got summary and usageTimes.',
    ],
    [
      '[{ step: 1, times: 2, compact: true }]',
      '7:10: Expected faults[0] to be a fault with step, compact only, got times as well.',
    ],
    [
      '[{ step: 3, fail: true }]',
      '7:18: Expected faults[0].step to be a step of the session, which has 2, got 3.',
    ],
    [
      '[{ step: 0, fail: true }]',
      '7:18: Expected faults[0].step to be a whole number from 1, got 0.',
    ],
    [
      '[{ step: 1, fial: true }]',
      "7:21: Unknown key 'fial' in faults[0]. Nearest: fail, model, step. Expected one of: step, summary, times, fail, timeOut, rateLimit, overflow, abortAfter, usageTimes, message, compact, model.",
    ],
    [
      '[{ step: 1, fail: false }]',
      '7:27: Expected faults[0].fail to be true or a message, got false.',
    ],
    [
      '[{ step: 1, overflow: { status: 4 } }]',
      '7:41: Expected faults[0].overflow.status to be a status from 100 to 599, got 4.',
    ],
    [
      '[{ step: 1, overflow: { code: 4 } }]',
      "7:33: Unknown key 'code' in faults[0].overflow. Nearest: message, status. Expected one of: status, message.",
    ],
    ['{ step: 1 }', "7:9: Expected faults to be a list of faults, got a map with 'step'."],
    [
      '[{ step: 2, times: 2, usageTimes: 2 }]',
      '7:18: Expected faults[0].step to be a step of the session, which has 2, got 3.',
    ],
    [
      '[{ step: 1, times: 1001, fail: true }]',
      '7:28: Expected faults[0].times to be a whole number from 1 to 1000, got 1001.',
    ],
  ])('%s are refused: %s', (faults, problems) => {
    expect(problemsOf({ faults })).toBe(problems);
  });
});

describe('further runs that are none', () => {
  it.each<[Record<string, string>, string]>([
    [
      { also: '[{ seed: 2 }]' },
      '7:8: Expected also[0].name to be a name of up to 60 characters on one line, got nothing.',
    ],
    [
      { also: '[{ name: main }]' },
      "7:16: Expected also[0].name to be a name of its own, got 'main'.",
    ],
    [
      { also: '[{ name: a }, { name: a }]' },
      "7:29: Expected also[1].name to be a name of its own, got 'a'.",
    ],
    [
      { also: '[{ name: a, why: b }]' },
      "7:19: Unknown key 'why' in also[0]. Nearest: name, seed, model. Expected one of: name, session, model, summaryModel, policy, summarizer, seed, faults, expect.",
    ],
    [
      { also: '[{ name: a, model: { id: x } }]' },
      "7:32: Expected also[0].model.id to be a model as PROVIDER/MODEL, got 'x'.",
    ],
    [
      { also: '[{ name: a, session: { overhed: 3 } }]' },
      "7:30: Unknown key 'overhed' in also[0].session. Nearest: overhead, startsAt, calibration. Expected one of: overhead, calibration, startsAt.",
    ],
    [
      { also: '[{ name: a, expect: { stat: loop } }]' },
      "7:29: Unknown key 'stat' in also[0].expect. Nearest: state, sees, events. Expected one of: state, reason, reproduces, metrics, events, invariants, violates, sees, misses, summarizerSees, summarizerMisses.",
    ],
    [
      { also: '[{ name: a, faults: [{ step: 9, fail: true }] }]' },
      '7:36: Expected also[0].faults[0].step to be a step of the session, which has 2, got 9.',
    ],
    [
      { also: '[{ name: "" }]' },
      "7:16: Expected also[0].name to be a name of up to 60 characters on one line, got ''.",
    ],
    [
      { also: '[{ name: "a\\nb" }]' },
      "7:16: Expected also[0].name to be a name of up to 60 characters on one line, got 'a\\u000ab'.",
    ],
    [
      {
        also: '[{ name: a, session: { startsAt: "2026-01-01T00:00:00Z" } }]',
        session: '{ file: a }',
      },
      '7:40: Expected also[0].session.startsAt to be absent for a recorded session, got a time.',
    ],
    [
      {
        session: '{ file: a.json }',
        also: '[{ name: a, session: { calibration: { factor: 1, perMessage: 0 } } }]',
      },
      '7:43: Expected also[0].session.calibration to be absent for a recorded session, got a calibration.',
    ],
  ])('with %o are refused: %s', (keys, problems) => {
    expect(problemsOf(keys)).toBe(problems);
  });
});
