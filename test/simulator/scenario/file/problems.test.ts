import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  parseScenario,
  readScenario,
} from '../../../../src/simulator/scenario/file/read-scenario.ts';
import { problemOf, problemsOf, sampleText } from './sample-scenario.ts';

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
      "7:1: Unknown key 'polcy' in the file; nearest: policy, also, model. Expected one of: why, source, name, session, model, summaryModel, policy, summarizer, seed, faults, expect, also.",
    ],
    [
      { __proto__x: '1' },
      "7:1: Unknown key '__proto__x' in the file; nearest: expect, policy, also. Expected one of: why, source, name, session, model, summaryModel, policy, summarizer, seed, faults, expect, also.",
    ],
    [
      { '"__proto__"': '1' },
      "7:1: Unknown key '__proto__' in the file; nearest: expect, policy, also. Expected one of: why, source, name, session, model, summaryModel, policy, summarizer, seed, faults, expect, also.",
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
      "5:9: Expected policy to be a policy, got 'opencode-1.8'; nearest: opencode-0.8, ….",
    ],
    [
      { policy: '{ preset: opencode-1.8 }' },
      "5:19: Expected policy.preset to be a policy, got 'opencode-1.8'; nearest: opencode-0.8, ….",
    ],
    [
      { policy: '{ set: { guards: true } }' },
      '5:9: Expected policy.preset to be a policy, got nothing.',
    ],
    [
      { policy: '{ preset: none, set: { reservd: 1 } }' },
      "5:32: Unknown key 'reservd' in policy.set; nearest: reserved, ….",
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
      "5:32: Unknown key 'contextTokens' in policy.set; nearest: keepTokens, ….",
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
      "4:19: Unknown key 'contxtTokens' in model; nearest: contextTokens, ….",
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
      "4:22: Unknown key 'x' in model; nearest: contextTokens, ….\n4:22: Unknown key 'x' in summaryModel; nearest: contextTokens, ….",
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
      "7:21: Unknown key 'fial' in faults[0]; nearest: fail, model, step. Expected one of: step, summary, times, fail, timeOut, rateLimit, overflow, abortAfter, usageTimes, message, compact, model.",
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
      "7:33: Unknown key 'code' in faults[0].overflow; nearest: message, status. Expected one of: status, message.",
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
      "7:19: Unknown key 'why' in also[0]; nearest: name, seed, model. Expected one of: name, session, model, summaryModel, policy, summarizer, seed, faults, expect.",
    ],
    [
      { also: '[{ name: a, model: { id: x } }]' },
      "7:32: Expected also[0].model.id to be a model as PROVIDER/MODEL, got 'x'.",
    ],
    [
      { also: '[{ name: a, session: { overhed: 3 } }]' },
      "7:30: Unknown key 'overhed' in also[0].session; nearest: overhead, startsAt, calibration. Expected one of: overhead, calibration, startsAt.",
    ],
    [
      { also: '[{ name: a, expect: { stat: loop } }]' },
      "7:29: Unknown key 'stat' in also[0].expect; nearest: state, sees, events. Expected one of: state, reason, reproduces, metrics, events, invariants, violates, sees, misses, summarizerSees, summarizerMisses.",
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

describe('an expectation that is none', () => {
  it.each<[string | undefined, string]>([
    [undefined, '1:1: Expected expect to be a map of what is expected, got nothing.'],
    ['', '6:9: Expected expect to be a map of what is expected, got nothing.'],
    [
      '{ state: done }',
      "6:18: Expected expect.state to be a state (completed, refused, irreducible, breaker, loop, failed, skipped) or a list of states, got 'done'.",
    ],
    [
      '{ state: [] }',
      '6:18: Expected expect.state to be a state (completed, refused, irreducible, breaker, loop, failed, skipped) or a list of states, got an empty list.',
    ],
    ['{ reason: /(/ }', "6:19: Expected expect.reason to be a pattern, got '/(/'."],
    [
      '{ metrics: { a: "about 5" } }',
      '6:25: Expected expect.metrics.a to be a comparison, such as 3, "<= 30k", "in 3..5" or unknown, got \'about 5\'.',
    ],
    [
      '{ metrics: { a: "in 5..3" } }',
      "6:25: Expected expect.metrics.a to be a range from less to more, got 'in 5..3'.",
    ],
    [
      '{ metrics: { __proto__: 1 } }',
      "6:33: Expected expect.metrics.__proto__ to be a metric, got '__proto__'.",
    ],
    ['{ metrics: { "a b": 1 } }', "6:29: Expected expect.metrics.a b to be a metric, got 'a b'."],
    [
      '{ metrics: [a] }',
      '6:20: Expected expect.metrics to be a map of metrics with comparisons, got a list.',
    ],
    [
      '{ events: { must: [pivots] } }',
      "6:28: Expected expect.events.must[0] to be an event, got 'pivots'; nearest: pivot, ….",
    ],
    [
      '{ events: { must: [{ type: pivots }] } }',
      "6:36: Expected expect.events.must[0].type to be an event, got 'pivots'; nearest: pivot, ….",
    ],
    [
      '{ events: { must: [{ path: refused }] } }',
      '6:28: Expected expect.events.must[0].type to be an event, got nothing; nearest: pivot, ….',
    ],
    [
      '{ events: { mustNot: [{ type: overflow, path: refusd }] } }',
      "6:55: Expected expect.events.mustNot[0].path to be a value (after-step, before-request, refused), got 'refusd'.",
    ],
    [
      '{ events: { mustNot: [{ type: overflow, paht: refused }] } }',
      "6:49: Unknown key 'paht' in expect.events.mustNot[0]; nearest: path, type, countTokens. Expected one of: type, path, countTokens, usableTokens.",
    ],
    [
      '{ events: { mustNot: [{ type: overflow, times: 1 }] } }',
      "6:49: Unknown key 'times' in expect.events.mustNot[0]; nearest: type, path, countTokens. Expected one of: type, path, countTokens, usableTokens.",
    ],
    [
      '{ events: { must: [{ type: pivot, auto: maybe }] } }',
      "6:49: Expected expect.events.must[0].auto to be true or false, got 'maybe'.",
    ],
    [
      '{ events: { must: [{ type: pivot, contextAfterTokens: many }] } }',
      '6:63: Expected expect.events.must[0].contextAfterTokens to be a comparison, such as 3, "<= 30k", "in 3..5" or unknown, got \'many\'.',
    ],
    [
      '{ events: { never: [pivot] } }',
      "6:21: Unknown key 'never' in expect.events; nearest: inOrder, must, mustNot. Expected one of: must, mustNot, inOrder.",
    ],
    [
      '{ events: { must: [{ type: pivot, times: "in 2..1" }] } }',
      "6:50: Expected expect.events.must[0].times to be a range from less to more, got 'in 2..1'.",
    ],
    [
      '{ invariants: some }',
      "6:23: Expected expect.invariants to be all or a list of laws, got 'some'.",
    ],
    [
      '{ invariants: [calls-pared] }',
      "6:24: Expected expect.invariants[0] to be a law, got 'calls-pared'; nearest: calls-paired, ….",
    ],
    ['{ violates: all }', "6:21: Expected expect.violates to be a list of laws, got 'all'."],
    [
      '{ invariants: [calls-paired], violates: [calls-paired] }',
      "6:24: Expected expect.invariants[0] to be a law that is not under violates, got 'calls-paired'.",
    ],
    [
      '{ reproduces: owner/repo#2 }',
      "6:23: Expected expect.reproduces to be one of the scenario's sources, got 'owner/repo#2'.",
    ],
    [
      '{ reproduces: A1 }',
      "6:23: Expected expect.reproduces to be a thread as OWNER/REPO#NUMBER, got 'A1'.",
    ],
    [
      '{ sees: [] }',
      '6:17: Expected expect.sees to be a text or a list of texts, got an empty list.',
    ],
    ['{ sees: 3 }', '6:17: Expected expect.sees to be a text or a list of texts, got 3.'],
    [
      '{ see: a }',
      "6:11: Unknown key 'see' in expect; nearest: sees, summarizerSees, state. Expected one of: state, reason, reproduces, metrics, events, invariants, violates, sees, misses, summarizerSees, summarizerMisses.",
    ],
  ])('%s is refused: %s', (expectation, problems) => {
    expect(problemsOf({ expect: expectation })).toBe(problems);
  });
});

describe('a session that is none', () => {
  it.each([
    ['3', '3:10: Expected session to be a map with one of script, generate and file, got 3.'],
    [
      '{}',
      '3:10: Expected session to be a map with one of script, generate and file, got an empty map.',
    ],
    [
      '{ script: [user: 1, step: 1], file: x }',
      "3:10: Expected session to be a map with one of script, generate and file, got a map with 'script', 'file'.",
    ],
    [
      '{ script: [] }',
      '3:20: Expected session.script to be a list of at least one item, got an empty list.',
    ],
    [
      '{ script: [user: 1, step: 1], overhad: 3 }',
      "3:40: Unknown key 'overhad' in session; nearest: overhead, script, startsAt. Expected one of: overhead, calibration, startsAt, script.",
    ],
    ['{ script: [step: 1] }', '3:21: Expected session.script[0] to be a user first, got a step.'],
    ['{ script: [user: 1] }', '3:10: Expected session to be a session with a step, got none.'],
    [
      '{ script: [user: 1, stpe: 1] }',
      "3:30: Expected session.script[1] to be one of user, step, repeat with of, generate, idle, switchModel and compact, with their values, got a map with 'stpe'.",
    ],
    [
      '{ script: [user: 1, { step: 1, idle: 3s }] }',
      "3:30: Expected session.script[1] to be one of user, step, repeat with of, generate, idle, switchModel and compact, with their values, got a map with 'step', 'idle'.",
    ],
    [
      '{ script: [user: 1, step: { tex: 1 }] }',
      "3:38: Unknown key 'tex' in session.script[1].step; nearest: text, tools, error. Expected one of: text, reasoning, signedBy, tools, finish, error, outputTokens, reasoningTokens.",
    ],
    [
      '{ script: [user: 1, step: { text: -1 }] }',
      '3:44: Expected session.script[1].step.text to be a whole number of tokens, such as 2000 or 28k, got -1.',
    ],
    [
      '{ script: [user: 1, step: { text: { txt: 1 } }] }',
      "3:46: Unknown key 'txt' in session.script[1].step.text; nearest: text, more, times. Expected one of: text, times, tokens, characters, synthetic, more.",
    ],
    [
      '{ script: [user: 1, step: { tools: [read] }] }',
      '3:46: Expected session.script[1].step.tools[0] to be a call such as "read 5000", "3x bash 2k", "edit 40 error" or "bash pending", or a map, got \'read\'.',
    ],
    [
      '{ script: [user: 1, step: { tools: [{ tool: read, staus: error }] }] }',
      "3:60: Unknown key 'staus' in session.script[1].step.tools[0]; nearest: status, images, input. Expected one of: tool, output, input, inputCharacters, status, images, times.",
    ],
    [
      '{ script: [user: 1, step: { tools: [{ tool: read, status: ok }] }] }',
      "3:68: Expected session.script[1].step.tools[0].status to be a status (completed, error, pending), got 'ok'.",
    ],
    [
      '{ script: [user: 1, step: { finish: end }] }',
      "3:46: Expected session.script[1].step.finish to be a finish (stop, tool-calls, length, content-filter, error, unknown, none), got 'end'.",
    ],
    [
      '{ script: [user: 1.0001k] }',
      "3:27: Expected session.script[0].user to be a whole number of tokens, a text, or a map with text, times and tokens and images, got '1.0001k'.",
    ],
    [
      '{ script: [user: 1, step: 1.0001k] }',
      "3:36: Expected session.script[1].step to be a whole number of tokens, a text, or a map with text, reasoning and tools, got '1.0001k'.",
    ],
    [
      '{ script: [user: 1, step: { text: 1.00000001M }] }',
      "3:44: Expected session.script[1].step.text to be a whole number of tokens, a text, or a map with text, times and tokens, got '1.00000001M'.",
    ],
    [
      '{ script: [user: { tokens: 1.0001k }] }',
      "3:37: Expected session.script[0].user.tokens to be a whole number of tokens, such as 2000 or 28k, got '1.0001k'.",
    ],
    [
      '{ script: [user: 1, step: { tools: [read 1.0001k] }] }',
      `3:46: Expected session.script[1].step.tools[0] to be a call such as "read 5000", "3x bash 2k", "edit 40 error" or "bash pending", or a map, got 'read 1.0001k'.`,
    ],
    [
      '{ script: [user: 1, { repeat: 3 }] }',
      '3:30: Expected session.script[1].of to be a list of items, got nothing.',
    ],
    [
      '{ script: [user: 1, { repeat: 0, of: [step: 1] }] }',
      '3:40: Expected session.script[1].repeat to be a whole number from 1 to 1000000, got 0.',
    ],
    [
      '{ script: [user: 1, idle: 5] }',
      '3:36: Expected session.script[1].idle to be a duration, such as 500ms, 30s, 10m or 2h, got 5.',
    ],
    [
      '{ script: [user: 1, { repeat: 2, of: [step: 1, { repeat: 2, of: [stp: 1] }] }] }',
      "3:75: Expected session.script[1].of[1].of[0] to be one of user, step, repeat with of, generate, idle, switchModel and compact, with their values, got a map with 'stp'.",
    ],
    [
      '{ script: [user: 1, { compact: false }] }',
      '3:41: Expected session.script[1].compact to be true, got false.',
    ],
    [
      '{ script: [user: 1, step: 1, compact: true] }',
      '3:39: Expected session.script[2] to be followed by a step, got none after step 1.',
    ],
    [
      '{ script: [user: 1, { repeat: 1000000, of: [{ repeat: 1000000, of: [idle: 1s] }] }] }',
      '3:78: Expected session.script[1].of[0].of[0] to be within 50000 items of the session so far, got more.',
    ],
    [
      '{ script: [user: 1, step: 1000M] }',
      '3:30: Expected session.script[1] to be within 200000000 characters of the session so far, got more.',
    ],
    [
      '{ script: [user: { images: [{ bytes: 1M, mime: png }] }] }',
      "3:57: Expected session.script[0].user.images[0].mime to be a media type, such as image/png, got 'png'.",
    ],
    [
      '{ startsAt: "2026-99-99T00:00:00Z", script: [user: 1, step: 1] }',
      "3:22: Expected session.startsAt to be a time, such as 2026-08-14T11:19:00Z, got '2026-99-99T00:00:00Z'.",
    ],
    [
      '{ startsAt: 2026-01-01, script: [user: 1, step: 1] }',
      "3:22: Expected session.startsAt to be a time, such as 2026-08-14T11:19:00Z, got '2026-01-01'.",
    ],
    [
      '{ calibration: { factor: 0, perMessage: 1 }, script: [user: 1, step: 1] }',
      '3:35: Expected session.calibration.factor to be a number above 0, got 0.',
    ],
    [
      '{ calibration: { factor: 1 }, script: [user: 1, step: 1] }',
      '3:25: Expected session.calibration.perMessage to be a whole number of tokens, such as 2000 or 28k, got nothing.',
    ],
    [
      '{ script: [user: 1, step: { text: { more: [1] } }] }',
      '3:53: Expected session.script[1].step.text.more[0] to be a map with text, times, tokens, characters and synthetic, got 1.',
    ],
    [
      '{ script: [user: { tokens: 1, characters: 1000M }, step: 1] }',
      '3:21: Expected session.script[0] to be within 200000000 characters of the session so far, got more.',
    ],
    [
      '{ generate: { turns: 1 } }',
      '3:22: Expected session.generate.seed to be a whole number from 0, got nothing.',
    ],
    [
      '{ generate: { seed: 1, turns: [1, 2, 3] } }',
      '3:40: Expected session.generate.turns to be a number, or a list of minimum and maximum, got a list.',
    ],
    [
      '{ generate: { seed: 1, turns: 0 } }',
      '3:40: Expected session.generate.turns to be a whole number from 1, got 0.',
    ],
    [
      '{ generate: { seed: 1, turn: 1 } }',
      "3:33: Unknown key 'turn' in session.generate; nearest: turns, stepsPerTurn, text. Expected one of: seed, turns, stepsPerTurn, toolsPerStep, tools, toolOutput, user, text, reasoning, idle.",
    ],
    [
      '{ file: a, generate: { seed: 1, turns: 1 } }',
      "3:10: Expected session to be a map with one of script, generate and file, got a map with 'file', 'generate'.",
    ],
    [
      '{ generate: { seed: 1, turns: 1, toolsPerStep: 1001 } }',
      '3:57: Expected session.generate.toolsPerStep to be a whole number from 0 to 1000, got 1001.',
    ],
  ])('%s is refused: %s', (session, problems) => {
    expect(problemsOf({ session })).toBe(problems);
  });

  it.each([
    ['filler', 'step: 51M'],
    ['a text that is repeated', 'step: { text: { text: "0123456789", times: 1000000 } }'],
    ['filler behind a text', 'step: { text: { text: a, tokens: 51M } }'],
    ['an image', 'user: { images: [{ bytes: 51M, times: 3 }] }'],
    ['what a tool was given', 'step: { tools: [{ tool: a, input: 51M }] }'],
  ])('is refused when %s makes it too large', (_, item) => {
    const session = `{ script: [user: 1, { repeat: 25, of: [${item}, step: 1] }] }`;
    expect(problemsOf({ session })).toMatch(
      /: Expected session\.script\[1\]\.of\[0\] to be within 200000000 characters of the session so far, got more\.$/,
    );
  });
});

describe('problems yaml', () => {
  const folder = mkdtempSync(join(tmpdir(), 'scenario-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const LAUGHS = [
    'a: &a [x, x, x, x]',
    'b: &b [*a, *a, *a, *a, *a]',
    'c: &c [*b, *b, *b, *b, *b]',
    'd: [*c, *c, *c, *c, *c]',
  ].join('\n');

  describe('a text that is not YAML, or too much of it', () => {
    it.each<[Record<string, string>, string]>([
      [
        { seed: '!!js/function x' },
        '7:7: Expected YAML: Unresolved tag: tag:yaml.org,2002:js/function.',
      ],
      [
        { seed: '[1' },
        '8:1: Expected YAML: Flow sequence in block collection must be sufficiently indented and end with a ].',
      ],
      [
        { seed: '{ ? [a] : 1 }' },
        '7:11: Expected a key to be text, got a list, a map or an alias.',
      ],
      [{ '? [a]\n': '1' }, '7:3: Expected a key to be text, got a list, a map or an alias.'],
      [{ seed: '1\nwhy: again' }, '8:1: Expected YAML: Map keys must be unique.'],
      [
        { seed: '*nothing' },
        "1:1: Expected anchors before their uses, at most 100 of these, got 'Unresolved alias (the anchor must be set before the alias): nothing'.",
      ],
      [{ seed: '1\n---\na: 1' }, '8:1: Expected one YAML document per file, got another.'],
      [{ seed: '1\n\tb: 1' }, '8:1: Expected YAML: Tabs are not allowed as indentation.'],
    ])('with %o is refused: %s', (keys, problems) => {
      expect(problemsOf(keys)).toBe(problems);
    });

    it.each([
      ['', 'nothing'],
      ['- a', 'a list'],
      ['text', "'text'"],
      ['{}', 'an empty map'],
    ])('%j is refused, for it is %s', (text, got) => {
      expect(problemOf(() => parseScenario('a.yaml', text)).message).toContain(
        got === 'an empty map'
          ? 'Expected why'
          : `a.yaml:1:1: Expected the file to be a map with why, session, model, policy and expect, got ${got}.`,
      );
    });

    it('is told in few words, however long its lines are', () => {
      const text = `a\n: b\n]${'😀c'.repeat(5_000)}`;
      const { message } = problemOf(() => parseScenario('a.yaml', text));
      expect(message).toMatch(/^a\.yaml:3:2: Expected YAML: Unexpected scalar .*…\.$/m);
      expect(message.length).toBeLessThan(800);
    });

    it('that explodes by its anchors is refused', () => {
      const { message } = problemOf(() => parseScenario('a.yaml', LAUGHS));
      expect(message).toMatch(
        /^a\.yaml:1:1: Expected anchors before their uses, at most 100 of these, got /,
      );
    });

    it.each(['[', '{', '- ', 'a: {b: '])('that is nested too deep in %j is refused', (piece) => {
      const { code } = problemOf(() => parseScenario('a.yaml', piece.repeat(3_000)));
      expect(code).toBe('BAD_SCENARIO');
    });

    it('may use an anchor', () => {
      const model = '&m { id: a/b, contextTokens: 8k }';
      const { runs } = parseScenario('a.yaml', sampleText({ model, summaryModel: '*m' }));
      expect(runs[0]?.summaryModel?.value).toEqual({ id: 'a/b', contextTokens: 8_000 });
    });

    it('may merge maps with <<, what stands in a map before what is merged into it', () => {
      const model = '&m { id: a/b, contextTokens: 8k, outputTokens: 1k }';
      const summaryModel = '{ <<: [*m, { id: a/c, inputTokens: 7k }], contextTokens: 4k }';
      const { runs } = parseScenario('a.yaml', sampleText({ model, summaryModel }));
      expect(runs[0]?.summaryModel?.value).toEqual({
        id: 'a/b',
        contextTokens: 4_000,
        inputTokens: 7_000,
        outputTokens: 1_000,
      });
    });

    it.each(['5', '[5]', '*nothing'])('may not merge %s', (source) => {
      expect(problemsOf({ summaryModel: `{ id: a/b, <<: ${source} }` })).toBe(
        "7:26: Expected '<<' to be a map, an alias of one before it, or a list of these.",
      );
    });

    it('may not merge a map into itself', () => {
      expect(problemsOf({ summaryModel: '&m { id: a/b, <<: *m }' })).toMatch(
        /^1:1: Expected anchors/,
      );
    });

    it('that merges what is wrong is told where that stands', () => {
      const [model, place] = ['&m { id: a/b, contextTokens: 8k, outputTokens: many }', '4:55'];
      const problems = problemsOf({ model, summaryModel: '{ <<: [*m], id: a/c }' }).split('\n');
      expect(problems[1]).toMatch(
        `${place}: Expected summaryModel.outputTokens to be a whole number of`,
      );
    });

    it('tells at most five problems', () => {
      const { message } = problemOf(() => parseScenario('a.yaml', '{ a: 1 }'));
      expect(message.split('\n')).toHaveLength(5);
    });
  });

  describe('readScenario', () => {
    it('reads a file', () => {
      const file = join(folder, 'good.yaml');
      writeFileSync(file, sampleText());
      expect(readScenario(file)).toMatchObject({ file, name: 'good' });
    });

    it('names a file that is absent', () => {
      const { code, message } = problemOf(() => readScenario('absent/a.yaml'));
      expect([code, message]).toEqual([
        'UNREADABLE',
        "Expected to read 'absent/a.yaml', got nothing at that path.",
      ]);
    });

    it('refuses a folder', () => {
      const { code, message } = problemOf(() => readScenario(folder));
      expect(code).toBe('UNREADABLE');
      expect(message).toContain('got a folder');
    });

    it('refuses a file that is too large, and takes the largest', () => {
      const file = join(folder, 'large.yaml');
      const text = sampleText();
      writeFileSync(file, `${text}#${'x'.repeat(256 * 1024 - text.length - 1)}`);
      expect(readScenario(file).name).toBe('large');
      writeFileSync(file, `${text}#${'x'.repeat(256 * 1024 - text.length)}`);
      const { message } = problemOf(() => readScenario(file));
      expect(message).toMatch(
        /^Expected '.*large\.yaml' to be a scenario of at most 262144 bytes, got 262145\.$/,
      );
    });
  });
});
